#include "tests/fuzz/mutate.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "proto/raw_layout.h"
#include "proto/trace_fields.h"
#include "trace.pb.h"

namespace rollcall::tests {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::size_t Below(std::size_t limit, Random& random) {
  return limit == 0 ? 0 : random() % limit;
}

std::uint64_t Interesting(Random& random) {
  constexpr std::uint64_t kValues[] = {
      0,       1,        2,        3,          127,        128,        255,        1020,
      1 << 16, 1u << 24, 1u << 31, 0xffffffff, 1ull << 40, 1ull << 61, 1ull << 63, ~0ull};
  const std::size_t pick = Below(std::size(kValues) + 4, random);
  return pick < std::size(kValues) ? kValues[pick] : random() >> Below(64, random);
}

template <typename Value>
void Overwrite(std::string& bytes, std::size_t at, Value value) {
  if (at + sizeof value <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof value);
}

void SetField(Message& message, const FieldDescriptor& field, Random& random) {
  const Reflection& reflection = *message.GetReflection();
  const std::uint64_t value = Interesting(random);
  if (field.is_repeated()) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
      reflection.AddUInt32(&message, &field, static_cast<std::uint32_t>(value));
    } else if (reflection.FieldSize(message, &field) > 0) {
      reflection.RemoveLast(&message, &field);
    }
    return;
  }
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      reflection.SetUInt32(&message, &field, static_cast<std::uint32_t>(value));
      break;
    case FieldDescriptor::CPPTYPE_INT32:
      reflection.SetInt32(&message, &field, static_cast<std::int32_t>(value));
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      reflection.SetUInt64(&message, &field, value);
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      reflection.SetInt64(&message, &field, static_cast<std::int64_t>(value));
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      reflection.SetEnumValue(&message, &field, static_cast<int>(Below(40, random)));
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      reflection.SetString(&message, &field, std::string(Below(6, random), 'x'));
      break;
    default:
      reflection.ClearField(&message, &field);
  }
}

// A value somewhere in the message becomes another.
void ChangeMessage(Message& message, Random& random) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  if (fields.empty()) return;
  const FieldDescriptor& field = *fields[Below(fields.size(), random)];
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field.is_repeated()) {
    ChangeMessage(*message.GetReflection()->MutableMessage(&message, &field), random);
  } else if (Below(4, random) == 0) {
    const auto* of = message.GetDescriptor();
    SetField(message, *of->field(static_cast<int>(Below(of->field_count(), random))), random);
  } else {
    SetField(message, field, random);
  }
}

// Length of a packet's message; -1 = no packet here.
int PacketLength(const std::string& bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  if (at + 4 > bytes.size() || (byte(1) & 0x80) == 0 || (byte(2) & 0x80) == 0) return -1;
  return (byte(1) & 0x7f) | (byte(2) & 0x7f) << 7 | byte(3) << 14;
}

// Changes one packet of one block of definitions or events, if the new one fits in its place.
void ChangePacket(std::string& trace, Random& random) {
  const std::size_t blocks = trace.size() / kRollcallBlockBytes;
  const std::size_t block = kRollcallHeaderBytes + Below(blocks, random) * kRollcallBlockBytes;
  if (block + kRollcallBlockBytes > trace.size()) return;
  const int field = static_cast<unsigned char>(trace[block]) >> 3;
  if (field != ROLLCALL_Trace_definitions && field != ROLLCALL_Trace_events) return;
  std::vector<std::size_t> packets;
  for (std::size_t at = block + kRollcallPacketsAt; at < block + kRollcallPacketsEnd;) {
    const int length = PacketLength(trace, at);
    const int packet_field = static_cast<unsigned char>(trace[at]) >> 3;
    if (length < 0 || packet_field == ROLLCALL_Segment_pad) break;
    packets.push_back(at);
    const std::size_t rest = (4 - static_cast<std::size_t>(length) % 4) % 4;
    at += 4 + static_cast<std::size_t>(length) + (rest == 1 ? 5 : rest);
  }
  if (packets.empty()) return;
  const std::size_t at = packets[Below(packets.size(), random)];
  const auto length = static_cast<std::size_t>(PacketLength(trace, at));
  Definition definition;
  Event event;
  Message& message =
      field == ROLLCALL_Trace_definitions ? static_cast<Message&>(definition) : event;
  if (!message.ParseFromArray(trace.data() + at + 4, static_cast<int>(length))) return;
  ChangeMessage(message, random);
  const std::string changed = message.SerializeAsString();
  // What is left of its place becomes an unknown field of the message.
  if (changed.size() + 3 > length && changed.size() != length) return;
  std::memcpy(trace.data() + at + 4, changed.data(), changed.size());
  const std::size_t left = length - changed.size();
  if (left == 0) return;
  char* filler = trace.data() + at + 4 + changed.size();
  filler[0] = 0x7a;
  filler[1] = static_cast<char>(0x80 | ((left - 3) & 0x7f));
  filler[2] = static_cast<char>((left - 3) >> 7);
  std::memset(filler + 3, 0, left - 3);
}

}  // namespace

void Damage(std::string& trace, const std::string& other, Random& random) {
  const std::size_t at = Below(trace.size(), random);
  const std::size_t piece = 1 + Below(Below(3, random) == 0 ? 40'000 : 64, random);
  switch (Below(12, random)) {
    case 0:
      trace.resize(at);
      break;
    case 1:
      for (std::size_t i = 0; i < 1 + Below(8, random) && !trace.empty(); ++i)
        trace[Below(trace.size(), random)] ^= static_cast<char>(1u << Below(8, random));
      break;
    case 2:
      Overwrite(trace, at & ~std::size_t{7}, Interesting(random));
      break;
    case 3:
      Overwrite(trace, at & ~std::size_t{3}, static_cast<std::uint32_t>(Interesting(random)));
      break;
    case 4:
      std::fill_n(trace.begin() + static_cast<std::ptrdiff_t>(at),
                  std::min(piece, trace.size() - at), Below(2, random) ? '\0' : '\xff');
      break;
    case 5:
      trace.erase(at, piece);
      break;
    case 6:
      trace.insert(at, other.substr(Below(other.size(), random), piece));
      break;
    case 7: {  // a block of the grid, of this file or of the other
      const std::string& from = Below(2, random) ? trace : other;
      const std::size_t source =
          kRollcallHeaderBytes +
          Below(from.size() / kRollcallBlockBytes + 1, random) * kRollcallBlockBytes;
      const std::size_t target =
          kRollcallHeaderBytes +
          Below(trace.size() / kRollcallBlockBytes + 1, random) * kRollcallBlockBytes;
      if (source >= from.size() || target >= trace.size()) break;
      const std::string block = from.substr(source, kRollcallBlockBytes);
      trace.replace(target, block.size(), block);
      break;
    }
    case 8:  // header and state of the process
      Overwrite(trace, Below(kRollcallHeaderBytes, random) & ~std::size_t{3},
                static_cast<std::uint32_t>(Interesting(random)));
      break;
    default:
      for (std::size_t i = 0; i < 1 + Below(4, random); ++i)
        ChangePacket(trace, random);
  }
}

}  // namespace rollcall::tests

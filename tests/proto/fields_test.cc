// proto/trace_fields.h against the descriptor of proto/trace.proto, walked both ways: a number that
// differs would make traces that parse and mean something else.
#include <google/protobuf/descriptor.h>

#include <map>
#include <string>

#include "proto/trace_fields.h"
#include "tests/catch.h"
#include "trace.pb.h"

namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;

std::map<std::string, int> HeaderFields() {
  std::map<std::string, int> fields;
#define ADD(message, field, number) fields[std::string(#message) + "." + #field] = number;
  ROLLCALL_TRACE_FIELDS(ADD)
#undef ADD
  return fields;
}

std::map<std::string, int> HeaderValues() {
  std::map<std::string, int> values;
#define ADD(type, value, number) values[std::string(#type) + "." + #value] = number;
  ROLLCALL_TRACE_VALUES(ADD)
#undef ADD
  return values;
}

// Pads are written by their number in every message and are named once, in Trace.
bool IsPad(const std::string& name) {
  return name.size() > 4 && name.ends_with(".pad");
}

std::map<std::string, int> SchemaFields() {
  std::map<std::string, int> fields;
  const auto* const file = rollcall::Trace::descriptor()->file();
  for (int i = 0; i < file->message_type_count(); ++i) {
    const Descriptor* const message = file->message_type(i);
    for (int j = 0; j < message->field_count(); ++j)
      fields[message->name() + "." + message->field(j)->name()] = message->field(j)->number();
  }
  return fields;
}

std::map<std::string, int> SchemaValues() {
  std::map<std::string, int> values;
  const auto* const file = rollcall::Trace::descriptor()->file();
  for (int i = 0; i < file->enum_type_count(); ++i) {
    const EnumDescriptor* const type = file->enum_type(i);
    for (int j = 0; j < type->value_count(); ++j)
      values[type->name() + "." + type->value(j)->name()] = type->value(j)->number();
  }
  return values;
}

}  // namespace

TEST_CASE("every field number of the header is the schema's", "[proto]") {
  const auto schema = SchemaFields();
  for (const auto& [name, number] : HeaderFields()) {
    INFO(name);
    REQUIRE(schema.count(name) == 1);
    CHECK(schema.at(name) == number);
  }
}

TEST_CASE("every field of the schema is in the header", "[proto]") {
  const auto header = HeaderFields();
  for (const auto& [name, number] : SchemaFields()) {
    INFO(name);
    if (IsPad(name)) CHECK(number == ROLLCALL_Trace_pad);
    if (!IsPad(name)) CHECK(header.count(name) == 1);
  }
}

TEST_CASE("every value of an enumeration is the same in header and schema", "[proto]") {
  CHECK(HeaderValues() == SchemaValues());
}

TEST_CASE("sequence words have one number in every message", "[proto]") {
  for (const auto& [name, number] : SchemaFields()) {
    INFO(name);
    if (name.ends_with(".sequence")) CHECK(number == 1);
    if (name.ends_with(".sequence_check")) CHECK(number == 14);
  }
}

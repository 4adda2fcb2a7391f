#include "interpose/native/memo.h"

namespace rollcall::interpose {
namespace {

std::uint32_t SetOf(std::uintptr_t stack_pointer, std::uintptr_t return_address) noexcept {
  const std::uint64_t hash = (stack_pointer ^ return_address << 20) * 0x9E3779B97F4A7C15u;
  return static_cast<std::uint32_t>(hash >> 40) % NativeMemo::kSets;
}

// Reads the stack as it is, redzones of sanitizers included.
__attribute__((no_sanitize("address", "thread"))) bool IsStillThere(const StackWord* words,
                                                                    std::uint32_t count) noexcept {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (*reinterpret_cast<const volatile std::uint64_t*>(words[i].slot) != words[i].value)
      return false;
  }
  return true;
}

}  // namespace

NativeMemo::Entry* FindMemo(NativeMemo* memo, std::uintptr_t stack_pointer,
                            std::uintptr_t return_address, std::uint32_t generation) noexcept {
  const std::uint32_t set = SetOf(stack_pointer, return_address);
  for (std::uint32_t way = 0; way < NativeMemo::kWays; ++way) {
    NativeMemo::Entry* const entry = &memo->entries[set * NativeMemo::kWays + way];
    if (entry->stack_pointer == 0) return nullptr;
    if (entry->stack_pointer == stack_pointer && entry->return_address == return_address &&
        entry->generation == generation &&
        IsStillThere(memo->words + entry->first_word, entry->words)) {
      return entry;
    }
  }
  return nullptr;
}

bool AgreesWithMemo(const NativeMemo& memo, const NativeMemo::Entry& entry,
                    const NativeFrames& frames) noexcept {
  if (frames.count != entry.frames || frames.truncated != entry.truncated) return false;
  for (std::uint32_t i = 0; i < frames.count; ++i) {
    if (frames.pc[i] != memo.words[entry.first_word + i].value) return false;
  }
  return true;
}

void RememberStack(NativeMemo* memo, std::uintptr_t stack_pointer, std::uintptr_t return_address,
                   std::uint32_t generation, const NativeFrames& frames,
                   std::uint32_t id) noexcept {
  if (!frames.has_slots || frames.count == 0) return;
  for (std::uint32_t i = 0; i < frames.word_count; ++i) {
    const std::uintptr_t slot = frames.word[i].slot;
    if (slot < stack_pointer || slot > memo->stack_high - 8) return;
  }
  // Full: forget everything rather than keep track. A training loop needs tens of stacks.
  if (frames.word_count > NativeMemo::kWords - memo->words_used) {
    memo->words_used = 0;
    for (std::uint32_t& way : memo->next_way)
      way = 0;
    for (NativeMemo::Entry& entry : memo->entries)
      entry.stack_pointer = 0;
  }
  const std::uint32_t set = SetOf(stack_pointer, return_address);
  NativeMemo::Entry* const entry =
      &memo->entries[set * NativeMemo::kWays + memo->next_way[set]++ % NativeMemo::kWays];
  for (std::uint32_t i = 0; i < frames.word_count; ++i) {
    memo->words[memo->words_used + i] = frames.word[i];
  }
  entry->stack_pointer = stack_pointer;
  entry->return_address = return_address;
  entry->first_word = memo->words_used;
  entry->words = frames.word_count;
  entry->frames = frames.count;
  entry->generation = generation;
  entry->id = id;
  entry->truncated = frames.truncated;
  memo->words_used += frames.word_count;
}

}  // namespace rollcall::interpose

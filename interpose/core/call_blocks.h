// Call blocks: preformatted ahead of the calls, claimed row by row without a lock, reused oldest
// first at the bound. Called with the recorder's mutex held, but FindCallBlock.
#pragma once

#include <atomic>
#include <cstdint>

#include "interpose/core/claim_table.h"
#include "interpose/core/trace_file.h"

namespace rollcall::interpose {

struct Recorder;

// In CallBlocks.sequence_of: being reused.
constexpr std::uint64_t kReusing = ~std::uint64_t{0};
// In the column `entered` of a row that was claimed and then given up.
constexpr std::uint32_t kAbandoned = 0xffffffffu;

// In Row.row of rows that are handed out, above the index: whose they are.
constexpr std::uint32_t kGenerationShift = 16;
static_assert(kRollcallRows <= 1 << kGenerationShift);

struct CallBlocks {
  ClaimTable claims;
  std::atomic<std::uint64_t> sequence_of[kMaxBlocks];  // by block; 0 = no call block
  std::atomic<std::uint32_t> pins[kMaxBlocks];         // stampers that are not owners
  std::atomic<std::uint32_t> used[kMaxBlocks];  // rows that can be claimed; fewer when ended early
  std::atomic<std::uint64_t> first_lost_row;    // plus 1; 0 = none lost since lanes were ended
  std::uint32_t last_entered;                   // ROLLCALL_LAST_ENTERED; tests take less

  std::uint32_t ages[kMaxBlocks];  // call blocks, oldest first
  std::uint32_t age_count;
  std::uint32_t spare;        // taken from the calls, one pad, not used yet; kNoBlock = none
  std::uint64_t hashed_row;   // all rows below are hashed
  std::uint64_t covered_row;  // all rows below are in Progress records
  std::uint64_t reused;       // blocks, for tests
  std::uint32_t ahead;        // blocks to prepare ahead
};

// Makes the block of the next sequence. Returns false when there is no room now.
bool PrepareCallBlock(Recorder& recorder) noexcept;
// A block for something else than calls, one pad: a new one, or at the bound the oldest of calls.
std::uint32_t TakeBlock(Recorder& recorder) noexcept;
// The oldest call block whose rows are closed and covered; kNoBlock = none.
std::uint32_t TakeOldestCallBlock(Recorder& recorder) noexcept;
// Hashes rows in the order of their numbers, up to the first that is claimed and not yet stored,
// and covers them.
void HashRows(Recorder& recorder) noexcept;

// The block of a sequence that the table does not have. Takes the mutex.
std::uint32_t FindCallBlock(Recorder& recorder, std::uint64_t sequence) noexcept;
// Rows of a block that were or can be claimed and are not closed.
std::uint32_t CountOpenRows(const Recorder& recorder, std::uint32_t block) noexcept;

}  // namespace rollcall::interpose

// Call shapes: what repeats from step to step has an id. A known shape is found without a lock; a
// new one is defined under the mutex.
//
// A site is a shape without count, peer, tag, dimensions and splits. After 64 variants of a site
// those fields that differ stand in cells of the row, and the shape says which
// (CallShape.variable): so calls whose size differs every time do not fill the definitions.
#pragma once

#include <atomic>
#include <cstdint>

#include "interpose/core/recorder.h"

namespace rollcall::interpose {

struct Recorder;

constexpr std::uint32_t kMaxShapes = 65536;
// Kept for calls of which less is said, so that they are still recorded when there are no others.
constexpr std::uint32_t kReducedShapes = kMaxShapes / 4;
constexpr std::uint32_t kShapeEntries = 4 * kMaxShapes;  // power of two
constexpr std::uint32_t kMaxSites = 16384;
constexpr std::uint32_t kSiteEntries = 2 * kMaxSites;
constexpr std::uint32_t kVariantsOfSite = 64;
constexpr std::uint32_t kRowElements = 65536;  // power of two

struct ShapeRecord {
  std::uint32_t id;
  std::uint32_t thread;
  std::uint32_t variable;  // bits of Variable
  std::uint32_t lane;
  std::uint64_t element;  // of the fingerprint; 0 = differs from row to row, or takes no part
  CallArguments call;
};

struct SiteRecord {
  std::uint32_t thread;
  std::uint32_t variants;
  CallArguments first;  // the first variant: fields are variable when they differed from it
  std::atomic<const ShapeRecord*> variable;
};

struct RowElementSlot {
  std::atomic<std::uint64_t> row;  // plus 1; 0 while the others are written
  std::atomic<std::uint64_t> value;
  std::atomic<std::uint32_t> lane;
};

struct ShapeTable {
  struct Entry {
    std::atomic<std::uint64_t> hash;
    std::atomic<const ShapeRecord*> record;
  };
  struct SiteEntry {
    std::atomic<std::uint64_t> hash;
    std::atomic<SiteRecord*> record;
  };
  Entry entries[kShapeEntries];
  SiteEntry sites[kSiteEntries];
  bool is_full;  // a shape found no room: no new sites
  std::uint32_t alias_count;
  std::uint32_t site_count;
  std::uint32_t count;
  const ShapeRecord* by_id[kMaxShapes + 1];
  // For the hashing thread: elements of rows whose shape does not say them.
  RowElementSlot row_elements[kRowElements];
  const char* names[64];  // library names: equal texts at different addresses are one
  std::uint32_t name_count;
};

// The shape of a call; null = the definitions are full. Takes the mutex when it is new.
const ShapeRecord* FindShape(Recorder& recorder, const CallArguments& call,
                             std::uint32_t thread) noexcept;
// What the shape says is variable, in cells of this row; before the row's shape is stored.
void PutVariableCells(Recorder& recorder, const ShapeRecord& shape, const CallArguments& call,
                      std::uint64_t row) noexcept;

struct RowElement {
  std::uint32_t lane = 0;  // 0 = takes no part
  std::uint64_t value = 0;
  bool lost = false;
};
RowElement ElementOfRow(const Recorder& recorder, std::uint32_t shape, std::uint64_t row) noexcept;

// Lane kind of an operation; false = it is in no lane.
bool LaneOf(const CallArguments& call, std::uint32_t* kind, std::int32_t* peer) noexcept;
// A digest of all splits, that of the caller if he gave one; 0 = there are none.
std::uint64_t SplitsDigest(const CallArguments& call) noexcept;
// Element of the fingerprint.
std::uint64_t FingerprintOf(const CallArguments& call) noexcept;

}  // namespace rollcall::interpose

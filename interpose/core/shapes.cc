#include "interpose/core/shapes.h"

#include <string.h>

#include "interpose/core/recorder_state.h"
#include "interpose/core/shape_definition.h"
#include "interpose/core/shape_key.h"
#include "interpose/core/slow_section.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint32_t kVariableAll = ROLLCALL_VARIABLE_COUNT | ROLLCALL_VARIABLE_PEER |
                                       ROLLCALL_VARIABLE_TAG | ROLLCALL_VARIABLE_SPLITS;

// What its site has in common: the call without the fields named in `variable`.
CallArguments Without(const CallArguments& call, std::uint32_t variable) noexcept {
  CallArguments site = call;
  if (variable & ROLLCALL_VARIABLE_COUNT) {
    site.count = 0;
    site.dimension_count = 0;
  }
  if (variable & ROLLCALL_VARIABLE_PEER) site.peer = kNoRank;
  if (variable & ROLLCALL_VARIABLE_TAG) site.tag = kNoTag;
  if (variable & ROLLCALL_VARIABLE_SPLITS) {
    site.input_split_count = site.output_split_count = 0;
    site.splits_digest = 0;
  }
  return site;
}

bool AreSplitsEqual(const CallArguments& a, const CallArguments& b) noexcept {
  return a.splits_digest == b.splits_digest && a.input_split_count == b.input_split_count &&
         a.output_split_count == b.output_split_count &&
         memcmp(a.input_splits, b.input_splits, 8 * KeptSplits(a.input_split_count)) == 0 &&
         memcmp(a.output_splits, b.output_splits, 8 * KeptSplits(a.output_split_count)) == 0;
}

std::uint32_t DifferentFields(const CallArguments& a, const CallArguments& b) noexcept {
  std::uint32_t fields = 0;
  if (a.count != b.count || a.dimension_count != b.dimension_count ||
      memcmp(a.dimensions, b.dimensions, 8 * KeptDimensions(a)) != 0)
    fields |= ROLLCALL_VARIABLE_COUNT;
  if (a.peer != b.peer) fields |= ROLLCALL_VARIABLE_PEER;
  if (a.tag != b.tag) fields |= ROLLCALL_VARIABLE_TAG;
  if (!AreSplitsEqual(a, b)) fields |= ROLLCALL_VARIABLE_SPLITS;
  return fields;
}

const ShapeRecord* LookUp(const ShapeTable& table, std::uint64_t hash, const CallArguments& call,
                          std::uint32_t thread) noexcept {
  for (std::uint64_t i = hash;; ++i) {
    const ShapeTable::Entry& entry = table.entries[i % kShapeEntries];
    const std::uint64_t there = entry.hash.load(std::memory_order_acquire);
    if (there == 0) return nullptr;
    if (there != hash) continue;
    const ShapeRecord* const record = entry.record.load(std::memory_order_relaxed);
    if (record->thread == thread && AreEqualArguments(record->call, call)) return record;
  }
}

SiteRecord* LookUpSite(const ShapeTable& table, std::uint64_t hash, const CallArguments& site,
                       std::uint32_t thread) noexcept {
  for (std::uint64_t i = hash;; ++i) {
    const ShapeTable::SiteEntry& entry = table.sites[i % kSiteEntries];
    const std::uint64_t there = entry.hash.load(std::memory_order_acquire);
    if (there == 0) return nullptr;
    if (there != hash) continue;
    SiteRecord* const record = entry.record.load(std::memory_order_relaxed);
    if (record->thread == thread && AreEqualArguments(Without(record->first, kVariableAll), site))
      return record;
  }
}

template <class Entry, class Record>
void Insert(Entry* entries, std::uint32_t capacity, std::uint64_t hash, Record* record) noexcept {
  std::uint64_t i = hash;
  while (entries[i % capacity].hash.load(std::memory_order_relaxed) != 0)
    ++i;
  entries[i % capacity].record.store(record, std::memory_order_relaxed);
  entries[i % capacity].hash.store(hash, std::memory_order_release);
}

// Literals with equal text may have many addresses.
const char* KnownName(ShapeTable& table, const char* name) noexcept {
  for (std::uint32_t i = 0; i < table.name_count; ++i)
    if (strcmp(table.names[i], name) == 0) return table.names[i];
  constexpr std::uint32_t kMost = sizeof table.names / sizeof table.names[0];
  if (table.name_count < kMost) table.names[table.name_count++] = name;
  return name;
}

// A call whose count, peer, tag or splits were not seen before, at a site that has had many of
// them: no lock. Null = the site is not (yet) one of these.
const ShapeRecord* FindVariable(const ShapeTable& table, const CallArguments& call,
                                std::uint32_t thread) noexcept {
  const CallArguments site = Without(call, kVariableAll);
  const SiteRecord* const record = LookUpSite(table, HashArguments(site, thread), site, thread);
  if (!record) return nullptr;
  const ShapeRecord* const shape = record->variable.load(std::memory_order_acquire);
  if (!shape || (DifferentFields(call, record->first) & ~shape->variable)) return nullptr;
  return shape;
}

SiteRecord* SiteOf(Recorder& recorder, const CallArguments& call, std::uint32_t thread) noexcept {
  const CallArguments key = Without(call, kVariableAll);
  const std::uint64_t hash = HashArguments(key, thread);
  ShapeTable& table = recorder.shapes;
  SiteRecord* site = LookUpSite(table, hash, key, thread);
  if (site || table.is_full || table.site_count == kMaxSites) return site;
  site = static_cast<SiteRecord*>(Allocate(recorder.arena, sizeof *site));
  if (!site) return nullptr;
  site->thread = thread;
  site->first = call;
  ++table.site_count;
  Insert(table.sites, kSiteEntries, hash, site);
  return site;
}

// Defines the shape of `call` without its variable fields, or finds it.
const ShapeRecord* Define(Recorder& recorder, const CallArguments& call, std::uint32_t thread,
                          std::uint32_t variable, DefinitionBudget budget) noexcept {
  ShapeTable& table = recorder.shapes;
  const CallArguments shape = variable ? Without(call, variable) : call;
  const std::uint64_t hash = RollcallFingerprintMix(HashArguments(shape, thread), variable) | 1;
  const std::uint64_t key = variable ? hash : HashArguments(shape, thread);
  const ShapeRecord* const found = LookUp(table, key, shape, thread);
  if (found && found->variable == variable) return found;
  const std::uint32_t most =
      budget == DefinitionBudget::kOrdinary ? kMaxShapes - kReducedShapes : kMaxShapes;
  if (table.count >= most) return nullptr;
  auto* const record = static_cast<ShapeRecord*>(Allocate(recorder.arena, sizeof(ShapeRecord)));
  if (!record) return nullptr;
  record->id = table.count + 1;
  record->thread = thread;
  record->variable = variable;
  record->call = shape;
  SetLane(recorder, *record);
  if (!WriteShape(recorder, *record, budget)) {
    TakeBack(recorder.arena, record, sizeof *record);
    return nullptr;
  }
  table.by_id[record->id] = record;
  table.count = record->id;
  Insert(table.entries, kShapeEntries, key, record);
  return record;
}

// The next call that gives this address of the name finds the shape without the mutex.
void InsertAlias(Recorder& recorder, const ShapeRecord& shape, const CallArguments& call) noexcept {
  ShapeTable& table = recorder.shapes;
  if (table.alias_count == kMaxShapes) return;
  auto* const alias = static_cast<ShapeRecord*>(Allocate(recorder.arena, sizeof(ShapeRecord)));
  if (!alias) return;
  *alias = shape;
  alias->call.library_name = call.library_name;
  ++table.alias_count;
  Insert(table.entries, kShapeEntries, HashArguments(call, shape.thread), alias);
}

// What is left of a call when the definitions are full: no stacks, one shape for all sizes.
CallArguments Reduced(const CallArguments& call) noexcept {
  CallArguments reduced;
  reduced.operation = call.operation;
  reduced.datatype = call.datatype;
  reduced.redop = call.redop;
  reduced.redop_function = call.redop_function;
  reduced.element_bytes = call.element_bytes;
  reduced.root = call.root;
  reduced.communicator = call.communicator;
  return reduced;
}

const ShapeRecord* DefineForCall(Recorder& recorder, const CallArguments& call,
                                 std::uint32_t thread) noexcept {
  SiteRecord* const site = SiteOf(recorder, call, thread);
  if (site && site->variants >= kVariantsOfSite) {
    const ShapeRecord* const before = site->variable.load(std::memory_order_relaxed);
    const std::uint32_t variable =
        DifferentFields(call, site->first) | (before ? before->variable : 0);
    const ShapeRecord* const shape =
        Define(recorder, call, thread, variable, DefinitionBudget::kOrdinary);
    if (shape && variable) site->variable.store(shape, std::memory_order_release);
    return shape;
  }
  const ShapeRecord* const shape = Define(recorder, call, thread, 0, DefinitionBudget::kOrdinary);
  if (shape && site) ++site->variants;
  return shape;
}

[[gnu::noinline, gnu::cold]] const ShapeRecord* FindSlowly(Recorder& recorder,
                                                           const CallArguments& given,
                                                           std::uint32_t thread) noexcept {
  if (const ShapeRecord* const shape = FindVariable(recorder.shapes, given, thread)) return shape;
  const SlowSection section(recorder.mutex);
  ShapeTable& table = recorder.shapes;
  CallArguments call = given;
  call.library_name = KnownName(table, given.library_name);
  const ShapeRecord* shape = LookUp(table, HashArguments(call, thread), call, thread);
  if (!shape) shape = FindVariable(table, call, thread);
  if (!shape) shape = DefineForCall(recorder, call, thread);
  if (!shape) {
    table.is_full = true;
    __atomic_fetch_add(&State(recorder.file).lost_definitions, 1, __ATOMIC_RELAXED);
    return Define(recorder, Reduced(call), 0, kVariableAll, DefinitionBudget::kReduced);
  }
  if (call.library_name != given.library_name && shape->variable == 0)
    InsertAlias(recorder, *shape, given);
  return shape;
}

}  // namespace

const ShapeRecord* FindShape(Recorder& recorder, const CallArguments& call,
                             std::uint32_t thread) noexcept {
  const ShapeRecord* const shape =
      LookUp(recorder.shapes, HashArguments(call, thread), call, thread);
  return shape ? shape : FindSlowly(recorder, call, thread);
}

}  // namespace rollcall::interpose

// Where a fault can be put, and whom it concerns.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tests/generate/builder.h"
#include "tests/generate/edit.h"

namespace rollcall::tests::generate {

// A call of all members of its communicator from one line, in the main thread, outside of groups
// and captures, behind the last restart.
bool IsCommonCall(const Script& script, const Context& context);

// A common call of the script that stands alone, with some of its members that are to do something
// else.
struct Target {
  std::size_t index = 0;  // of its step
  Action action;
  Ranks members, deviators;

  Ranks Others() const { return Without(members, deviators); }
  bool IsTie() const { return 2 * deviators.size() == members.size(); }
  // With equal groups both are named.
  Ranks Named() const { return IsTie() ? members : deviators; }
};
std::optional<Target> AnyTarget(Builder& builder,
                                const std::function<bool(const Context&)>& fits = nullptr);
// Deviators get a step of their own; returns its index.
std::size_t SetApart(Builder& builder, Target* target);

// They made this call from this line before.
bool MadeBefore(const Script& script, const Target& target);
// Behind the index others send to these ranks, receive from them, or create a group: they would
// wait for them there too.
bool AreTalkedTo(const Script& script, std::size_t index, const Ranks& ranks);
// Something runs beside the main thread and the first stream, or on another backend.
bool RunsAside(const Script& script);

// Fewer than half; of two, one. Sometimes half, where ties are told as such.
Ranks Minority(Random& random, const Ranks& members, bool may_tie = false);

// Puts nodes at a boundary of the script, behind the last restart; before anything else is changed.
// Returns the index of the first.
std::size_t InsertSomewhere(Builder& builder, std::vector<Node> nodes);

}  // namespace rollcall::tests::generate

// What a verdict on less than all of a job may say: the same cause, or less and why, and never that
// it was somebody else.
#pragma once

#include <string>

#include "report.pb.h"

namespace rollcall::tests {

// Kind, ranks and position of the first finding are equal.
bool SameCause(const Report& whole, const Report& less);

// "" if `less` is right where `whole` is what all of the data says. Else what is wrong:
// - an error or a certain warning of `less` names a rank that none of `whole` names. No accusation
//   are two groups of equal size that disagree, where the report says so and names all those that
//   `whole` does; nor that `hidden`, whose file is not there, is absent from a creation for which
//   all others are there, where the report says that it is not visible;
// - the first finding is another one, with other ranks, and no limit says that something could not
//   be seen.
// hidden: rank, -1 = none.
std::string Wrong(const Report& whole, const Report& less, int hidden);

}  // namespace rollcall::tests

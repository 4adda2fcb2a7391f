// Damage at random, of the kinds that files meet: cut off, overwritten, mixed up; and packets that
// parse but say what no recorder would.
#pragma once

#include <random>
#include <string>

namespace rollcall::tests {

using Random = std::mt19937_64;

// other: a second trace, from which pieces may come.
void Damage(std::string& trace, const std::string& other, Random& random);

}  // namespace rollcall::tests

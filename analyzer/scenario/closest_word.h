// "Did you mean ...?" for mistyped words.
#pragma once

#include <string>
#include <vector>

namespace rollcall::analyzer {

// The candidate with the smallest number of single-letter edits from word; "" when none is close
// enough to be meant.
std::string ClosestWord(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace rollcall::analyzer

#include "analyzer/scenario/closest_word.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace rollcall::analyzer {
namespace {

// Insertions, deletions, replacements, and swaps of two neighbours (Damerau-Levenshtein).
std::size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string ClosestWord(const std::string& word, const std::vector<std::string>& candidates) {
  std::string closest;
  std::size_t closest_distance = word.size() / 3 + 2;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate);
    if (distance < closest_distance && distance < candidate.size()) {
      closest = candidate;
      closest_distance = distance;
    }
  }
  return closest;
}

}  // namespace rollcall::analyzer

#include "analyzer/model/job.h"

#include <algorithm>

namespace rollcall::analyzer {

const std::string& Process::Setting(const std::string& name) const {
  static const std::string none;
  // The newest value counts: a setting that changed was appended.
  const auto found = std::find_if(settings.rbegin(), settings.rend(),
                                  [&](const auto& setting) { return setting.first == name; });
  return found == settings.rend() ? none : found->second;
}

bool Communicator::Excludes(int rank, std::int64_t position) const {
  const auto shrink =
      std::lower_bound(shrinks.begin(), shrinks.end(), position,
                       [](const Shrink& of, std::int64_t at) { return of.position < at; });
  return shrink != shrinks.end() && shrink->position == position &&
         std::binary_search(shrink->excluded.begin(), shrink->excluded.end(), rank);
}

}  // namespace rollcall::analyzer

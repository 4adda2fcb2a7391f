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

}  // namespace rollcall::analyzer

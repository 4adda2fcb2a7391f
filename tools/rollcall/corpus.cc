#include "tools/rollcall/corpus.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace rollcall::tools {

namespace fs = std::filesystem;
using analyzer::scenario::TraceImage;

std::string ReadWhole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> FindCases(const fs::path& corpus) {
  std::vector<fs::path> cases;
  std::error_code error;
  if (fs::exists(corpus / "expected.txt", error)) cases.push_back(corpus);
  for (fs::recursive_directory_iterator entry(corpus, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_directory() && fs::exists(entry->path() / "expected.txt"))
      cases.push_back(entry->path());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

absl::StatusOr<std::vector<TraceImage>> TracesOfCase(const fs::path& folder) {
  const fs::path scenario = folder / "scenario.txt";
  if (fs::exists(scenario))
    return analyzer::scenario::Synthesize(ReadWhole(scenario), scenario.string());
  std::vector<TraceImage> images;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".rollcall")
      images.push_back({entry.path().filename().string(), ReadWhole(entry.path())});
  }
  if (images.empty())
    return absl::NotFoundError(
        absl::StrCat(folder.string(), ": expected scenario.txt or *.rollcall files"));
  std::sort(images.begin(), images.end(),
            [](const TraceImage& a, const TraceImage& b) { return a.name < b.name; });
  return images;
}

}  // namespace rollcall::tools

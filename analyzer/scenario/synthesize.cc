#include "analyzer/scenario/synthesize.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "analyzer/scenario/parse.h"

namespace rollcall::analyzer::scenario {

absl::StatusOr<std::vector<TraceImage>> Synthesize(absl::string_view text,
                                                   const std::string& name) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(text, name);
  if (!scenario.ok()) return scenario.status();
  const absl::StatusOr<Play> play = PlayScenario(*scenario);
  if (!play.ok()) return play.status();
  return WritePlay(*scenario, *play);
}

absl::Status WriteTraces(const std::vector<TraceImage>& images, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return absl::PermissionDeniedError(absl::StrCat("cannot make ", folder, ": ", error.message()));
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".rollcall")
      return absl::AlreadyExistsError(
          absl::StrCat(folder, " holds traces already: give another folder, or remove them"));
  }
  for (const TraceImage& image : images) {
    const std::string path = absl::StrCat(folder, "/", image.name);
    std::ofstream file(path, std::ios::binary);
    file << image.bytes;
    file.close();
    if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  }
  return absl::OkStatus();
}

}  // namespace rollcall::analyzer::scenario

// rollcall synth: trace files from a scenario.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "analyzer/scenario/synthesize.h"
#include "tools/rollcall/commands.h"

namespace rollcall::tools {
namespace {

struct Settings {
  std::string scenario, folder;
};

int Synth(const Settings& settings) {
  std::ifstream file(settings.scenario, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    std::cerr << "rollcall: cannot read " << settings.scenario << "\n";
    return kCannotAnalyze;
  }
  const absl::StatusOr<std::vector<analyzer::scenario::TraceImage>> images =
      analyzer::scenario::Synthesize(text, settings.scenario);
  if (!images.ok()) {
    std::cerr << "rollcall: " << std::string(images.status().message()) << "\n";
    return kCannotAnalyze;
  }
  const absl::Status written = analyzer::scenario::WriteTraces(*images, settings.folder);
  if (!written.ok()) {
    std::cerr << "rollcall: " << std::string(written.message()) << "\n";
    return kCannotAnalyze;
  }
  std::cerr << "rollcall: wrote " << images->size() << (images->size() == 1 ? " trace" : " traces")
            << " to " << settings.folder << "\n";
  return kNothingFound;
}

}  // namespace

Action DeclareSynth(CLI::App& options, const std::vector<std::string>&) {
  const auto settings = std::make_shared<Settings>();
  options.add_option("SCENARIO", settings->scenario, "A scenario: what every rank does")
      ->required();
  options.add_option("-o,--output", settings->folder, "Folder for the traces")
      ->type_name("DIR")
      ->required();
  return [settings] { return Synth(*settings); };
}

}  // namespace rollcall::tools

#include "tests/generate/judge.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/model/build_job.h"
#include "analyzer/scenario/parse.h"
#include "analyzer/scenario/play.h"
#include "analyzer/scenario/synthesize.h"

namespace rollcall::tests::generate {
namespace {

namespace scenario = analyzer::scenario;

constexpr double kPlayerLooksAfter = 100;  // seconds

template <class T>
T ValueOf(absl::StatusOr<T> value) {
  if (!value.ok()) throw std::runtime_error(std::string(value.status().message()));
  return *std::move(value);
}

void LookEarlier(double seconds_later, scenario::Play* play) {
  play->now_ns -= static_cast<std::int64_t>((kPlayerLooksAfter - seconds_later) * 1e9);
  for (scenario::PlayedProcess& process : play->processes)
    std::erase_if(process.snapshots, [&](const scenario::PlayedSnapshot& snapshot) {
      return snapshot.ns > play->now_ns;
    });
}

void CheckThatItEnds(const scenario::Scenario& text, const scenario::Play& play) {
  int last = 0;
  for (const scenario::PlayedProcess& process : play.processes)
    last = std::max(last, process.restarts);
  for (const scenario::PlayedProcess& process : play.processes) {
    for (const scenario::PlayedCall& call : process.calls) {
      if (process.restarts == last && !call.captured &&
          call.state != analyzer::CallState::kCompleted)
        throw std::runtime_error(
            "the generated job does not end: rank " + std::to_string(process.actor) + ", line " +
            std::to_string(text.statements[static_cast<std::size_t>(call.statement)].place.line) +
            " of the scenario");
    }
  }
}

}  // namespace

TraceFolder::TraceFolder() {
  const std::filesystem::path memory = "/dev/shm";
  const std::filesystem::path in =
      access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
  path_ = (in / "rollcall-generated-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
}

TraceFolder::~TraceFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

Report ReportOn(const Script& script, bool is_correct, const TraceFolder& folder) {
  const scenario::Scenario parsed = ValueOf(scenario::ParseScenario(TextOf(script), "generated"));
  scenario::Play play = ValueOf(scenario::PlayScenario(parsed));
  if (script.seconds_later > 0) {
    LookEarlier(script.seconds_later, &play);
  } else if (is_correct) {
    CheckThatItEnds(parsed, play);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    std::filesystem::remove(entry.path());
  const absl::Status written =
      scenario::WriteTraces(scenario::WritePlay(parsed, play), folder.path());
  if (!written.ok()) throw std::runtime_error(std::string(written.message()));
  return analyzer::Diagnose(ValueOf(analyzer::BuildJob({folder.path()})));
}

Score Judge(const Script& script, const Expectation& expectation, const TraceFolder& folder) {
  try {
    return Compare(expectation, ReportOn(script, expectation.answers.empty(), folder));
  } catch (const std::exception& error) {
    return {false, false, false, error.what()};
  }
}

}  // namespace rollcall::tests::generate

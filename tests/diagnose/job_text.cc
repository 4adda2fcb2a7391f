#include "tests/diagnose/job_text.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>
#include <stdexcept>

#include "analyzer/model/build_job.h"
#include "analyzer/scenario/synthesize.h"

namespace rollcall::tests {

using analyzer::Job;
using analyzer::Process;

Job JobFromText(const std::string& text) {
  const absl::StatusOr<std::vector<analyzer::scenario::TraceImage>> images =
      analyzer::scenario::Synthesize(text, "scenario");
  if (!images.ok()) throw std::runtime_error(std::string(images.status().message()));
  std::string folder = (std::filesystem::temp_directory_path() / "rollcall-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  const absl::Status written = analyzer::scenario::WriteTraces(*images, folder);
  absl::StatusOr<Job> job = analyzer::BuildJob({folder});
  std::filesystem::remove_all(folder);
  if (!written.ok()) throw std::runtime_error(std::string(written.message()));
  if (!job.ok()) throw std::runtime_error(std::string(job.status().message()));
  return *std::move(job);
}

Job Shuffled(const Job& job, unsigned seed) {
  std::mt19937 random(seed);
  const auto permutation = [&](std::size_t size) {
    std::vector<int> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    return order;  // old index -> new index
  };
  const std::vector<int> processes = permutation(job.processes.size()),
                         communicators = permutation(job.communicators.size());
  const auto moved = [](const std::vector<int>& order, int index) {
    return index < 0 ? index : order[static_cast<std::size_t>(index)];
  };
  Job shuffled = job;
  for (std::size_t p = 0; p < job.processes.size(); ++p) {
    Process& of = shuffled.processes[static_cast<std::size_t>(processes[p])];
    of = job.processes[p];
    for (analyzer::CommunicatorHandle& handle : of.communicators)
      handle.communicator = moved(communicators, handle.communicator);
  }
  for (std::size_t c = 0; c < job.communicators.size(); ++c) {
    analyzer::Communicator& of = shuffled.communicators[static_cast<std::size_t>(communicators[c])];
    of = job.communicators[c];
    for (analyzer::Participant& member : of.members)
      member.process = moved(processes, member.process);
  }
  for (analyzer::Incarnation& incarnation : shuffled.incarnations) {
    for (int& process : incarnation.processes)
      process = moved(processes, process);
  }
  for (analyzer::InputFile& input : shuffled.inputs)
    input.process = moved(processes, input.process);
  std::shuffle(shuffled.inputs.begin(), shuffled.inputs.end(), random);
  return shuffled;
}

}  // namespace rollcall::tests

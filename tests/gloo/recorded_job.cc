#include "tests/gloo/recorded_job.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>

namespace rollcall::tests {
namespace {

bool IsFree(int port) {
  const int socket_fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool bound =
      bind(socket_fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(socket_fd);
  return bound;
}

// Not one that the kernel picks: those it hands to the next connection, too, and the ranks of other
// jobs make hundreds of them before this one's store listens.
int FreePort() {
  int first_picked = 32768;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first_picked;
  std::random_device random;
  std::uniform_int_distribution<int> choose(10000, std::max(first_picked, 20000) - 1);
  int port = choose(random);
  while (!IsFree(port))
    port = choose(random);
  return port;
}

std::vector<RecordedCall> ReadExpected(const std::string& output) {
  std::vector<RecordedCall> expected;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("call ", 0) != 0) continue;
    RecordedCall call;
    std::istringstream words(line.substr(5));
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      call[word.substr(0, equals)] = word.substr(equals + 1);
    }
    expected.push_back(call);
  }
  return expected;
}

std::string Render(const RecordedCall& call) {
  std::string text;
  for (const auto& [name, value] : call)
    if (!value.empty()) text += " " + name + "=" + value;
  return text;
}

}  // namespace

std::vector<RecordedRank> RunJob(const std::vector<std::vector<std::string>>& commands,
                                 const JobOptions& options) {
  char folder[] = "/tmp/rollcall-gloo-XXXXXX";
  if (mkdtemp(folder) == nullptr) return {};
  ProgramOptions program;
  program.environment = {{"WORLD_SIZE", std::to_string(commands.size())},
                         {"MASTER_ADDR", "127.0.0.1"},
                         {"MASTER_PORT", std::to_string(FreePort())},
                         {"GLOO_SOCKET_IFNAME", "lo"},
                         {"OMP_NUM_THREADS", "1"},
                         {"USE_LIBUV", "0"},  // Debian's torch 2.6 asks for it and has none
                         {"PYTHONWARNINGS", "ignore"},
                         {"PYTHONDONTWRITEBYTECODE", "1"},
                         {"ROLLCALL_DIR", folder},
                         {"ROLLCALL_TEST_FOLDER", folder}};
  if (!options.recorder.empty()) program.environment["LD_PRELOAD"] = options.recorder;
  for (const auto& [name, value] : options.environment)
    program.environment[name] = value;
  std::vector<std::unique_ptr<Program>> programs;
  for (std::size_t rank = 0; rank < commands.size(); ++rank) {
    program.environment["RANK"] = program.environment["LOCAL_RANK"] = std::to_string(rank);
    programs.push_back(std::make_unique<Program>(commands[rank], program));
  }
  std::vector<RecordedRank> ranks;
  for (const auto& running : programs) {
    RecordedRank rank;
    const int pid = running->pid();
    rank.outcome = running->Wait();
    rank.expected = ReadExpected(rank.outcome.output);
    const std::string file = TraceOf(folder, pid);
    if (!file.empty()) rank.process = ReadProcess(file);
    ranks.push_back(rank);
  }
  std::filesystem::remove_all(folder);
  return ranks;
}

std::vector<RecordedRank> RunJob(int ranks, const std::vector<std::string>& command,
                                 const JobOptions& options) {
  return RunJob(std::vector<std::vector<std::string>>(static_cast<std::size_t>(ranks), command),
                options);
}

std::string Difference(const RecordedRank& rank) {
  if (!rank.process.readable) return "no trace, or libprotobuf does not read it";
  const auto& recorded = rank.process.calls;
  for (std::size_t i = 0; i < rank.expected.size(); ++i) {
    if (i >= recorded.size()) return "not recorded:" + Render(rank.expected[i]);
    for (const auto& [name, value] : rank.expected[i]) {
      const auto found = recorded[i].find(name);
      if ((found == recorded[i].end() ? "" : found->second) != value)
        return "call " + std::to_string(i) + ", " + name + ":\n expected" +
               Render(rank.expected[i]) + "\n recorded" + Render(recorded[i]);
    }
  }
  if (recorded.size() > rank.expected.size())
    return "recorded only:" + Render(recorded[rank.expected.size()]);
  return "";
}

std::vector<std::string> PythonsWithTorch(const std::string& candidates) {
  std::vector<std::string> pythons;
  std::istringstream list(candidates);
  for (std::string python; std::getline(list, python, ':');) {
    if (python.empty()) continue;
    Program probe({python, "-c", "import torch.distributed as d; assert d.is_gloo_available()"});
    if (probe.Wait().status == 0)
      pythons.push_back(python);
    else
      std::cerr << "SKIPPED: " << python << " has no torch with Gloo\n";
  }
  return pythons;
}

}  // namespace rollcall::tests

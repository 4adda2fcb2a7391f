// Real PyTorch over Gloo: what the trace says of each call is what the program says it called.
#include <algorithm>
#include <csignal>
#include <string>

#include "tests/catch.h"
#include "tests/gloo/recorded_job.h"

namespace rollcall::tests {
namespace {

const std::vector<std::string>& TorchPythons() {
  static const std::vector<std::string> pythons = PythonsWithTorch(ROLLCALL_PYTHONS);
  return pythons;
}

JobOptions Recorded() {
  JobOptions options;
  options.recorder = ROLLCALL_RECORDER;
  return options;
}

// torch's own race of a worker thread with the end of Python (pytorch#190489), with and without the
// recorder.
bool AbortedByTorch(const std::vector<RecordedRank>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const RecordedRank& rank) {
    return rank.outcome.signal == SIGABRT &&
           rank.outcome.errors.find("without an active exception") != std::string::npos;
  });
}

std::vector<RecordedRank> RunScript(const std::string& python, int ranks, const std::string& script,
                                    const std::vector<std::string>& arguments = {},
                                    const JobOptions& options = Recorded()) {
  std::vector<std::string> command = {python, std::string(ROLLCALL_PROGRAMS "/") + script};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<RecordedRank> job = RunJob(ranks, command, options);
  for (int attempt = 1; attempt < 3 && AbortedByTorch(job); ++attempt)
    job = RunJob(ranks, command, options);
  return job;
}

void RequireAsExpected(const std::vector<RecordedRank>& ranks) {
  for (const RecordedRank& rank : ranks) {
    INFO(rank.outcome.errors);
    REQUIRE(rank.outcome.status == 0);
    CHECK_FALSE(rank.expected.empty());
    CHECK(Difference(rank) == "");
  }
}

std::string Results(const RecordedRank& rank) {
  std::string results;
  std::size_t at = 0;
  while ((at = rank.outcome.output.find("result ", at)) != std::string::npos) {
    const std::size_t end = rank.outcome.output.find('\n', at);
    results += rank.outcome.output.substr(at, end - at) + "\n";
    at = end;
  }
  return results;
}

// The word behind this one in what the rank printed.
std::string Printed(const RecordedRank& rank, const std::string& word) {
  const std::size_t at = rank.outcome.output.find(word + " ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + word.size() + 1;
  return rank.outcome.output.substr(begin, rank.outcome.output.find('\n', begin) - begin);
}

TEST_CASE("every operation of a process group is one record with its arguments", "[gloo]") {
  for (const std::string& python : TorchPythons()) {
    INFO(python);
    const auto ranks = RunScript(python, 4, "every_operation.py");
    RequireAsExpected(ranks);
    for (const RecordedRank& rank : ranks)
      CHECK(rank.process.settings.at("hooks.gloo") == "c10d");
  }
}

TEST_CASE("random calls on several groups have results as without the recorder", "[gloo]") {
  for (const std::string& python : TorchPythons()) {
    INFO(python);
    const auto ranks = RunScript(python, 3, "random_calls.py", {"4711", "300"});
    RequireAsExpected(ranks);
    const auto without = RunScript(python, 3, "random_calls.py", {"4711", "300"}, JobOptions());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      CHECK_FALSE(Results(ranks[i]).empty());
      CHECK(Results(ranks[i]) == Results(without[i]));
    }
  }
}

TEST_CASE("10000 random calls are recorded as the program passed them", "[gloo]") {
  if (TorchPythons().empty()) return;
  INFO(TorchPythons()[0]);
  RequireAsExpected(RunScript(TorchPythons()[0], 3, "random_calls.py", {"271828", "10000"}));
}

// Of the other releases of torch; see CMakeLists.txt.
TEST_CASE("10000 random calls on all releases", "[.full]") {
  for (const std::string& python : TorchPythons()) {
    INFO(python);
    RequireAsExpected(RunScript(python, 3, "random_calls.py", {"314159", "10000"}));
  }
}

TEST_CASE("exceptions reach the program unharmed, and their calls are failed", "[gloo]") {
  for (const std::string& python : TorchPythons()) {
    INFO(python);
    const auto ranks = RunScript(python, 2, "failures.py");
    RequireAsExpected(ranks);
    CHECK(ranks[0].outcome.output.find("refused True") != std::string::npos);
    CHECK(ranks[1].outcome.output.find("refused True") != std::string::npos);
    CHECK(ranks[0].outcome.output.find("timeout True") != std::string::npos);
    CHECK(ranks[0].outcome.output.find("broken True") != std::string::npos);
    int refused = 0, timeouts = 0;
    for (const RecordedCall& call : ranks[0].process.calls) {
      if (call.count("text") == 0) continue;
      refused += call.at("text").find("non-integral") != std::string::npos;
      timeouts += call.at("text").find("Timed out waiting 2000ms") != std::string::npos;
    }
    CHECK(refused == 1);
    CHECK(timeouts == 1);
    // Destroyed and made again: another communicator of the same name.
    std::vector<std::string> occurrences;
    for (const RecordedCall& call : ranks[0].process.calls)
      if (call.at("operation") == "init" && call.at("group") == "0")
        occurrences.push_back(call.at("occurrence"));
    CHECK(occurrences.size() == 2);
  }
}

TEST_CASE("gradient buckets are one record each, at the line of backward", "[gloo]") {
  for (const std::string& python : TorchPythons()) {
    INFO(python);
    const auto ranks = RunScript(python, 2, "ddp.py");
    const auto without = RunScript(python, 2, "ddp.py", {}, JobOptions());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      INFO(ranks[i].outcome.errors);
      REQUIRE(ranks[i].outcome.status == 0);
      CHECK(Results(ranks[i]) == Results(without[i]));
      const std::string line = Printed(ranks[i], "backward");
      int buckets = 0;
      std::uint64_t elements = 0;
      for (const RecordedCall& call : ranks[i].process.calls) {
        if (call.at("operation") != "allreduce") continue;
        ++buckets;
        elements += std::stoull(call.at("count"));
        const bool here = call.count("function") != 0;
        CHECK(call.at(here ? "function" : "initiator") == "train");
        CHECK(call.at(here ? "line" : "initiator_line") == line);
        CHECK(call.at("state") == "completed");
      }
      CHECK(buckets > 6);  // passes
      CHECK(std::to_string(elements) == Printed(ranks[i], "elements"));
      std::int64_t passes = 0;
      for (const Event& event : ranks[i].process.events)
        if (event.kind() == EVENT_BACKWARD) passes = std::max(passes, event.value());
      CHECK(passes == 6);
    }
  }
}

TEST_CASE("a call made for the user by others carries the user's line", "[gloo]") {
  for (const std::string& python : TorchPythons()) {
    INFO(python);
    RequireAsExpected(RunScript(python, 2, "whose_line.py"));
  }
}

TEST_CASE("a bucket from a thread without Python frames carries the line of backward", "[gloo]") {
  constexpr std::uint32_t kAmbiguous = FLAG_AMBIGUOUS_INITIATOR;
  for (const std::string& python : TorchPythons()) {
    for (const char* passes : {"1", "2"}) {
      INFO(python << ", " << passes << " passes");
      for (const RecordedRank& rank : RunScript(python, 2, "backward_threads.py", {passes})) {
        INFO(rank.outcome.errors);
        REQUIRE(rank.outcome.status == 0);
        std::vector<RecordedCall> buckets;
        for (const RecordedCall& call : rank.process.calls)
          if (call.at("operation") == "allreduce") buckets.push_back(call);
        REQUIRE(buckets.size() == 1);
        CHECK(buckets[0].count("function") == 0);
        const bool alone = std::string(passes) == "1";
        const auto flags = static_cast<std::uint32_t>(std::stoul(buckets[0].at("flags")));
        CHECK((flags & kAmbiguous) == (alone ? 0 : kAmbiguous));
        if (!alone) continue;
        CHECK(buckets[0].at("initiator") == "train");
        CHECK(buckets[0].at("initiator_line") == Printed(rank, "backward"));
      }
    }
  }
}

TEST_CASE("objects and coalesced calls, and groups that are made again are recorded", "[gloo]") {
  for (const std::string& python : TorchPythons()) {
    INFO(python);
    JobOptions options = Recorded();
    // Two contexts in each group, used in turn.
    options.environment["GLOO_SOCKET_IFNAME"] = "lo,lo";
    RequireAsExpected(RunScript(python, 2, "other_ways.py", {}, options));
  }
}

TEST_CASE("what torch adds in DETAIL mode is internal", "[gloo]") {
  for (const std::string& python : TorchPythons()) {
    INFO(python);
    JobOptions options = Recorded();
    options.environment["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL";
    for (RecordedRank& rank : RunScript(python, 2, "other_ways.py", {}, options)) {
      auto& calls = rank.process.calls;
      const auto is_internal = [](const RecordedCall& call) {
        return (std::stoul(call.at("flags")) & FLAG_INTERNAL) != 0;
      };
      CHECK(std::any_of(calls.begin(), calls.end(), is_internal));
      for (const RecordedCall& call : calls)
        CHECK((call.count("path") != 0 &&
               call.at("path").find("pg_wrapper") != std::string::npos) == is_internal(call));
      calls.erase(std::remove_if(calls.begin(), calls.end(), is_internal), calls.end());
      INFO(rank.outcome.errors);
      CHECK(rank.outcome.status == 0);
      CHECK(Difference(rank) == "");
    }
  }
}

TEST_CASE("a rendezvous that waits for a rank that is not there is pending", "[gloo]") {
  for (const std::string& python : TorchPythons()) {
    INFO(python);
    JobOptions options = Recorded();
    options.environment["WORLD_SIZE"] = "3";
    const auto ranks = RunScript(python, 2, "lonely_rendezvous.py", {}, options);
    for (const RecordedRank& rank : ranks) {
      INFO(rank.outcome.errors);
      REQUIRE(rank.process.readable);
      REQUIRE_FALSE(rank.process.calls.empty());
      const RecordedCall& call = rank.process.calls[0];
      CHECK(call.at("operation") == "rendezvous");
      CHECK(call.at("count") == "3");
      // The server waits for all; in some releases clients go on, and wait for the group.
      CHECK(rank.process.calls.back().at("state") == "pending");
      CHECK(call.at("function") == "<module>");
      CHECK(rank.process.settings.at("rendezvous.endpoint").rfind("127.0.0.1:", 0) == 0);
    }
  }
}

}  // namespace
}  // namespace rollcall::tests

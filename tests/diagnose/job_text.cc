#include "tests/diagnose/job_text.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/diagnose/statement.h"

namespace rollcall::tests {
namespace {

using analyzer::Call;
using analyzer::CallState;
using analyzer::EndKind;
using analyzer::Job;
using analyzer::Process;
using analyzer::Shape;

constexpr std::int64_t kStart = 1'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHangs =
    100 * kSecond;  // how long a hang has lasted when the job is looked at

struct Player {
  explicit Player(const Scenario& of) : scenario(of) {}

  const Scenario& scenario;
  Job job;
  std::vector<std::size_t> next;           // statement, by rank
  std::vector<std::int64_t> clock;         // by rank
  std::vector<bool> inside, over, absent;  // by rank
  std::map<std::string, int> communicators;

  Process& process(int rank) { return job.processes[static_cast<std::size_t>(rank)]; }

  int CommunicatorOf(const Statement& statement) const {
    const auto found = communicators.find(statement.communicator);
    if (found == communicators.end())
      throw std::runtime_error(absl::StrCat("unknown communicator ", statement.communicator));
    return found->second;
  }

  int StackOf(int rank, const Statement& statement) {
    if (statement.file.empty()) return -1;
    analyzer::Stack stack;
    if (OperationOf(statement.verb) != OPERATION_UNKNOWN) {
      const std::string name = statement.verb == "allreduce" ? "all_reduce" : statement.verb;
      stack.frames.push_back(
          {"/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py", 1, name});
    }
    std::vector<std::string> functions = statement.functions;
    if (functions.empty()) functions.push_back("<module>");
    for (std::size_t i = functions.size(); i-- > 0;) {
      // Callers are on lines that depend on what they call.
      const int line = i + 1 == functions.size() ? statement.line
                                                 : 1000 + static_cast<int>(functions[i + 1].size());
      stack.frames.push_back({statement.file, line, functions[i]});
    }
    process(rank).python_stacks.push_back(stack);
    return static_cast<int>(process(rank).python_stacks.size()) - 1;
  }

  Shape ShapeOf(int rank, const Statement& statement) {
    Shape shape;
    shape.operation = OperationOf(statement.verb);
    shape.count = static_cast<std::uint64_t>(std::max(statement.size, 1));
    for (const std::string& argument : statement.arguments) {
      const std::string upper = absl::AsciiStrToUpper(argument);
      std::uint64_t count = 0;
      if (absl::SimpleAtoi(argument, &count)) {
        shape.count = count;
      } else if (!Datatype_Parse(absl::StrCat("DATATYPE_", upper), &shape.datatype) &&
                 !ReduceOperation_Parse(absl::StrCat("REDUCE_OPERATION_", upper), &shape.redop)) {
        throw std::runtime_error(absl::StrCat("unknown word ", argument));
      }
    }
    if (shape.datatype != DATATYPE_UNKNOWN)
      shape.element_bytes = absl::StrContains(Datatype_Name(shape.datatype), "64") ? 8 : 4;
    shape.root = statement.root;
    shape.python_stack = StackOf(rank, statement);
    if (shape.operation != OPERATION_RENDEZVOUS) {
      const int communicator = CommunicatorOf(statement);
      for (std::size_t h = 0; h < process(rank).communicators.size(); ++h) {
        if (process(rank).communicators[h].communicator == communicator)
          shape.communicator = static_cast<int>(h);
      }
    }
    return shape;
  }

  Call& Enter(int rank, const Statement& statement) {
    Process& of = process(rank);
    Call call;
    call.row = static_cast<std::int64_t>(of.calls.size());
    call.entered_ns = clock[static_cast<std::size_t>(rank)];
    call.shape = static_cast<std::uint32_t>(of.shapes.size());
    of.shapes.push_back(ShapeOf(rank, statement));
    call.count = of.shapes.back().count;
    if (statement.peer.has_value()) {
      call.peer = *statement.peer;
      call.tag = statement.tag;
    } else if (statement.verb != "rendezvous") {
      for (analyzer::Participant& member :
           job.communicators[static_cast<std::size_t>(CommunicatorOf(statement))].members) {
        if (member.process != rank) continue;
        call.position = static_cast<std::int64_t>(member.calls.size());
        member.calls.push_back(call.row);
      }
    }
    of.calls.push_back(call);
    return of.calls.back();
  }

  Call* LastCallOf(int rank) {
    return process(rank).calls.empty() ? nullptr : &process(rank).calls.back();
  }

  // Everybody is in the call that this rank is in, with the same operation and size.
  bool Complete(int rank, const Statement& statement) {
    if (statement.forced == "completed" || statement.forced == "failed") return true;
    if (statement.forced == "entered") return false;
    // Sends and receives are not played: they hang unless they are forced.
    if (statement.peer.has_value()) return false;
    const Call& call = *LastCallOf(rank);
    const Shape& shape = process(rank).shapes[call.shape];
    if (statement.verb == "rendezvous") {
      int there = 0;
      for (const Process& other : job.processes)
        there += other.calls.empty() ? 0 : 1;
      return there >= statement.size;
    }
    for (const analyzer::Participant& member :
         job.communicators[static_cast<std::size_t>(CommunicatorOf(statement))].members) {
      if (call.position >= static_cast<std::int64_t>(member.calls.size())) return false;
      const Process& of = process(member.process);
      const Shape& other =
          of.shapes[of.calls[static_cast<std::size_t>(
                                 member.calls[static_cast<std::size_t>(call.position)])]
                        .shape];
      if (other.operation != shape.operation ||
          other.count * other.element_bytes != shape.count * shape.element_bytes)
        return false;
    }
    return true;
  }

  void Leave(int rank, const Statement& statement) {
    Call& call = *LastCallOf(rank);
    std::int64_t& now = clock[static_cast<std::size_t>(rank)];
    now += statement.forced == "failed" ? 5 * kSecond : 1'000'000;
    call.completed_ns = now;
    call.state = statement.forced == "failed" ? CallState::kFailed : CallState::kCompleted;
  }

  void End(int rank, EndKind kind) {
    process(rank).end.kind = kind;
    process(rank).end.ns = process(rank).last_sign_ns = clock[static_cast<std::size_t>(rank)];
    over[static_cast<std::size_t>(rank)] = true;
  }

  void Snap(int rank, const Statement& statement, const char* reason) {
    analyzer::Snapshot snapshot;
    snapshot.ns = clock[static_cast<std::size_t>(rank)] + kSecond;
    snapshot.reason = reason;
    snapshot.threads.push_back({1, "python3", StackOf(rank, statement)});
    process(rank).snapshots.push_back(snapshot);
  }

  // What is no call.
  void Do(int rank, const Statement& statement) {
    analyzer::End& end = process(rank).end;
    if (statement.verb == "exit") {
      end.status = statement.arguments.empty() ? 0 : std::stoi(statement.arguments[0]);
      if (!statement.file.empty()) Snap(rank, statement, "exit");
      End(rank, EndKind::kExit);
    } else if (statement.verb == "raise") {
      end.exception = statement.text;
      end.status = 1;
      end.exception_stack = StackOf(rank, statement);
      Call* call = LastCallOf(rank);
      if (call != nullptr && call->state == CallState::kFailed) {
        process(rank).texts.push_back(statement.text);
        call->error = static_cast<int>(process(rank).texts.size()) - 1;
      }
      End(rank, EndKind::kException);
    } else if (statement.verb == "signal") {
      static const std::map<std::string, int> signals = {
          {"ABRT", SIGABRT}, {"TERM", SIGTERM}, {"SEGV", SIGSEGV}, {"KILL", SIGKILL}};
      end.signal = signals.at(statement.arguments.at(0));
      End(rank, EndKind::kSignal);
    } else if (statement.verb == "vanish") {
      End(rank, EndKind::kKilled);
    } else if (statement.verb == "absent") {
      absent[static_cast<std::size_t>(rank)] = true;
      over[static_cast<std::size_t>(rank)] = true;
    } else if (statement.verb == "busy") {
      Snap(rank, statement, "idle");
      over[static_cast<std::size_t>(rank)] = true;
    } else if (statement.verb == "late") {
      clock[static_cast<std::size_t>(rank)] += std::stoi(statement.arguments.at(0)) * kSecond;
    } else {
      throw std::runtime_error(absl::StrCat("unknown statement ", statement.verb));
    }
  }

  // One statement of one rank, as far as it can go; false = it cannot.
  bool Step(int rank) {
    const auto r = static_cast<std::size_t>(rank);
    if (over[r] || next[r] >= scenario.ranks[r].size()) return false;
    const Statement& statement = scenario.ranks[r][next[r]];
    if (OperationOf(statement.verb) == OPERATION_UNKNOWN) {
      // A signal reaches a process inside a call too.
      Do(rank, statement);
      ++next[r];
      return true;
    }
    if (!inside[r]) {
      Enter(rank, statement);
      inside[r] = true;
      return true;
    }
    const bool ended_inside = next[r] + 1 < scenario.ranks[r].size() &&
                              statement.forced == "entered" &&
                              (scenario.ranks[r][next[r] + 1].verb == "signal" ||
                               scenario.ranks[r][next[r] + 1].verb == "vanish");
    if (!Complete(rank, statement)) {
      if (ended_inside) {
        inside[r] = false;
        ++next[r];
      }
      return ended_inside;
    }
    Leave(rank, statement);
    inside[r] = false;
    ++next[r];
    return true;
  }

  void MakeCommunicator(const std::string& name, const std::vector<int>& ranks, bool world) {
    analyzer::Communicator communicator;
    communicator.name = name;
    communicator.library = LIBRARY_GLOO;
    communicator.size = static_cast<int>(ranks.size());
    communicator.is_world = world;
    communicators[name] = static_cast<int>(job.communicators.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      analyzer::Participant member;
      member.process = ranks[i];
      member.handle = static_cast<int>(process(ranks[i]).communicators.size());
      member.rank = static_cast<int>(i);
      member.global_rank = ranks[i];
      communicator.members.push_back(member);
      analyzer::CommunicatorHandle handle;
      handle.rank = member.rank;
      handle.size = communicator.size;
      handle.library = LIBRARY_GLOO;
      handle.communicator = communicators[name];
      process(ranks[i]).communicators.push_back(handle);
    }
    job.communicators.push_back(std::move(communicator));
  }

  void Prepare() {
    const auto size = static_cast<std::size_t>(scenario.world);
    next.assign(size, 0);
    clock.assign(size, kStart);
    inside.assign(size, false);
    over = absent = inside;
    job.incarnations.emplace_back();
    for (int rank = 0; rank < scenario.world; ++rank) {
      Process of;
      of.path = absl::StrCat("node.", 100 + rank, ".1.rollcall");
      of.host = "node";
      of.pid = 100 + rank;
      of.rank = rank;
      of.world_size = scenario.world;
      of.started_ns = kStart - kSecond;
      of.end.kind = EndKind::kAlive;
      job.processes.push_back(of);
      job.inputs.push_back({of.path, rank, "complete", ""});
      job.incarnations[0].processes.push_back(rank);
    }
    std::vector<int> all(size);
    std::iota(all.begin(), all.end(), 0);
    MakeCommunicator("world", all, true);
    for (const auto& [name, ranks] : scenario.communicators)
      MakeCommunicator(name, ranks, false);
  }

  void Finish() {
    const std::int64_t last = *std::max_element(clock.begin(), clock.end());
    const bool all_done = std::none_of(inside.begin(), inside.end(), [](bool in) { return in; }) &&
                          std::none_of(over.begin(), over.end(), [](bool is) { return is; });
    job.now_ns = last + (all_done ? kSecond : kHangs);
    for (int rank = 0; rank < scenario.world; ++rank) {
      if (all_done) End(rank, EndKind::kExit);
      if (process(rank).end.kind == EndKind::kAlive) process(rank).last_sign_ns = job.now_ns;
    }
  }

  // A process without a trace: others know that it is a member, and nothing else.
  void DropAbsent() {
    for (int rank = scenario.world - 1; rank >= 0; --rank) {
      if (!absent[static_cast<std::size_t>(rank)]) continue;
      job.processes.erase(job.processes.begin() + rank);
      job.inputs.erase(job.inputs.begin() + rank);
      job.incarnations[0].processes.pop_back();
      for (analyzer::InputFile& input : job.inputs)
        input.process -= input.process > rank ? 1 : 0;
      for (analyzer::Communicator& communicator : job.communicators) {
        for (analyzer::Participant& member : communicator.members) {
          if (member.process == rank) {
            member.process = member.handle = -1;
            member.calls.clear();
          } else if (member.process > rank) {
            --member.process;
          }
        }
      }
    }
  }
};

}  // namespace

Job JobFromText(const std::string& text) {
  const Scenario scenario = ParseScenario(text);
  Player player(scenario);
  player.Prepare();
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < scenario.world; ++rank)
      moved = player.Step(rank) || moved;
  }
  player.Finish();
  player.DropAbsent();
  return player.job;
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

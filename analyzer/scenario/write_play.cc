// What was played, as the recorder would have written it.
#include <algorithm>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "analyzer/scenario/python_code.h"
#include "analyzer/scenario/synthesize.h"
#include "analyzer/scenario/words.h"
#include "analyzer/trace/trace_writer.h"

namespace rollcall::analyzer::scenario {
namespace {

constexpr std::uint64_t kRealtimeAtZero = 1'700'000'000'000'000'000;
constexpr int kFirstPid = 1000, kPidsPerStart = 100'000;
constexpr std::int64_t kNsPerTick = 10'000'000;

class ProcessWriter {
 public:
  ProcessWriter(const Scenario& scenario, const CallerLines& lines, const PlayedProcess& process,
                std::int64_t now_ns)
      : scenario_(scenario),
        lines_(lines),
        process_(process),
        now_ns_(now_ns),
        pid_(kFirstPid + process.actor + kPidsPerStart * process.restarts),
        writer_(MakeHeader()) {}

  TraceImage Write() {
    AddSettings();
    InternStacks();
    code_.AddTo(writer_);
    AddThreads();
    AddCommunicators();
    AddCalls();
    AddSnapshots();
    AddBackward();
    SetState();
    return {absl::StrCat(Host(), ".", pid_, ".", process_.started_ns / kNsPerTick, ".rollcall"),
            writer_.Finish()};
  }

 private:
  const std::string& Host() const {
    return scenario_.hosts[static_cast<std::size_t>(process_.actor)];
  }

  Header MakeHeader() const {
    Header header;
    header.set_host(Host());
    header.set_boot_id("00000000-0000-4000-8000-000000000000");
    header.set_pid(static_cast<std::uint32_t>(pid_));
    header.set_start_ticks(static_cast<std::uint64_t>(process_.started_ns / kNsPerTick));
    header.set_monotonic_ns(static_cast<std::uint64_t>(process_.started_ns));
    header.set_realtime_ns(kRealtimeAtZero + static_cast<std::uint64_t>(process_.started_ns));
    return header;
  }

  void AddSettings() {
    const int actor = process_.actor;
    const auto local = std::count(scenario_.hosts.begin(), scenario_.hosts.begin() + actor, Host());
    std::vector<std::pair<std::string, std::string>> variables = {
        {"RANK", std::to_string(scenario_.RankOf(actor))},
        {"WORLD_SIZE", std::to_string(scenario_.world)},
        {"LOCAL_RANK", std::to_string(local)},
        {"MASTER_ADDR", scenario_.hosts.front()},
        {"MASTER_PORT", "29500"},
        {"TORCHELASTIC_RUN_ID", "scenario"},
        {"TORCHELASTIC_RESTART_COUNT", std::to_string(process_.restarts)}};
    for (const Variable& variable : scenario_.environment) {
      if (variable.actor != actor) continue;
      const auto found = std::find_if(variables.begin(), variables.end(), [&](const auto& known) {
        return known.first == variable.name;
      });
      if (found != variables.end()) {
        found->second = variable.value;
      } else {
        variables.emplace_back(variable.name, variable.value);
      }
    }
    writer_.AddSetting("python.version", "3.11.2");
    for (const auto& [name, value] : variables)
      writer_.AddSetting(absl::StrCat("env.", name), value);
    visible_devices_.clear();
    for (const auto& [name, value] : variables) {
      if (name == "CUDA_VISIBLE_DEVICES") visible_devices_ = absl::StrSplit(value, ',');
    }
  }

  // Every host has the same slots; the process sees those that it was told to see.
  std::string BusId(int device) const {
    int slot = device;
    if (static_cast<std::size_t>(device) < visible_devices_.size())
      static_cast<void>(
          absl::SimpleAtoi(visible_devices_[static_cast<std::size_t>(device)], &slot));
    return absl::StrFormat("0000:%02x:00.0", slot + 1);
  }

  // Code objects hold all lines that stacks name, so all stacks are known before the first is
  // written.
  void InternStacks() {
    call_stacks_.assign(scenario_.statements.size(), 0);
    for (const PlayedCall& call : process_.calls) {
      std::uint32_t& stack = call_stacks_[static_cast<std::size_t>(call.statement)];
      if (stack == 0) stack = code_.StackOf(CallFrames(lines_, StatementOf(call.statement)));
    }
    for (const PlayedSnapshot& snapshot : process_.snapshots) {
      for (const PlayedThread& thread : snapshot.threads)
        code_.StackOf(ThreadFrames(lines_, scenario_, thread));
    }
    for (const PlayedBackward& backward : process_.backward)
      code_.StackOf(CallFrames(lines_, StatementOf(backward.statement)));
    if (process_.raised_at >= 0) code_.StackOf(lines_.UserFrames(StatementOf(process_.raised_at)));
  }

  const Statement& StatementOf(int index) const {
    return scenario_.statements[static_cast<std::size_t>(index)];
  }

  void AddThreads() {
    for (int thread = 0; thread < process_.threads; ++thread) {
      Definition definition;
      definition.mutable_thread()->set_id(static_cast<std::uint32_t>(thread + 1));
      definition.mutable_thread()->set_tid(static_cast<std::uint32_t>(pid_ + thread));
      definition.mutable_thread()->set_name("python3");
      writer_.AddDefinition(definition);
    }
  }

  void AddCommunicators() {
    for (std::size_t i = 0; i < process_.communicators.size(); ++i) {
      const PlayedCommunicator& of = process_.communicators[i];
      Definition definition;
      rollcall::Communicator* made = definition.mutable_communicator();
      made->set_id(static_cast<std::uint32_t>(i + 1));
      made->set_parent(static_cast<std::uint32_t>(of.parent));
      made->set_rank(static_cast<std::uint32_t>(of.rank));
      made->set_size(static_cast<std::uint32_t>(of.size));
      made->set_digest(of.digest);
      made->set_occurrence(static_cast<std::uint32_t>(of.occurrence));
      made->set_library(of.library);
      made->set_name(of.name);
      if (of.device >= 0) {
        made->set_device(of.device);
        made->set_bus_id(BusId(of.device));
      }
      if (of.name == "world" && of.library == LIBRARY_GLOO) {
        made->set_store_path("default_pg|0/|1/|cpu/|");
        made->set_name("0");
      }
      writer_.AddDefinition(definition);
      AddMembers(of, static_cast<std::int64_t>(i + 1));
    }
  }

  void AddMembers(const PlayedCommunicator& of, std::int64_t id) {
    Event event;
    event.set_value(id);
    event.set_time_ns(static_cast<std::uint64_t>(process_.started_ns));
    if (of.gone_ns != 0) {
      event.set_kind(EVENT_COMMUNICATOR_GONE);
      event.set_time_ns(static_cast<std::uint64_t>(of.gone_ns));
      writer_.AddEvent(event);
    }
    std::string packed;
    for (const int rank : of.members) {
      if (rank < 0) return;  // not known to this process
      for (auto value = static_cast<unsigned>(rank);; value >>= 7) {
        packed.push_back(static_cast<char>(value >= 128 ? 128 | (value & 127) : value));
        if (value < 128) break;
      }
    }
    event.set_kind(EVENT_MEMBERS);
    event.set_time_ns(static_cast<std::uint64_t>(process_.started_ns));
    event.set_data(packed);
    writer_.AddEvent(event);
  }

  CallShape ShapeOf(const PlayedCall& call) const {
    const Statement& statement = StatementOf(call.statement);
    CallShape shape;
    shape.set_operation(statement.operation);
    shape.set_datatype(statement.datatype);
    shape.set_element_bytes(BytesOf(statement.datatype));
    shape.set_redop(statement.redop);
    if (statement.root) shape.set_root(*statement.root);
    if (statement.peer) shape.set_peer(*statement.peer);
    if (statement.tag) shape.set_tag(*statement.tag);
    shape.set_count(statement.size > 0 ? static_cast<std::uint64_t>(statement.size)
                                       : statement.count);
    shape.set_communicator(static_cast<std::uint32_t>(call.communicator));
    // Autograd's threads have no Python frames.
    const std::uint32_t stack = call_stacks_[static_cast<std::size_t>(call.statement)];
    statement.in_backward ? shape.set_initiator(stack) : shape.set_python_stack(stack);
    shape.set_thread(static_cast<std::uint32_t>(statement.thread + 1));
    shape.set_flags(static_cast<std::uint32_t>(statement.in_place ? FLAG_IN_PLACE : FLAG_NONE) |
                    static_cast<std::uint32_t>(statement.async ? FLAG_ASYNC : FLAG_NONE) |
                    static_cast<std::uint32_t>(call.captured ? FLAG_CAPTURED : FLAG_NONE) |
                    static_cast<std::uint32_t>(call.replayed ? FLAG_REPLAYED : FLAG_NONE));
    shape.set_stream(StreamOf(call));
    shape.mutable_excluded()->Assign(statement.without.begin(), statement.without.end());
    shape.mutable_input_splits()->Assign(statement.splits.begin(), statement.splits.end());
    shape.mutable_output_splits()->Assign(statement.receives.begin(), statement.receives.end());
    if (!statement.waits_in.empty()) shape.set_library_name(statement.waits_in);
    return shape;
  }

  // Numbers count from 1, a scenario's streams from 0. Whoever waits on the host waits for the
  // device as a whole if it names no stream.
  std::uint32_t StreamOf(const PlayedCall& call) const {
    const Statement& statement = StatementOf(call.statement);
    const auto number = static_cast<std::uint32_t>(statement.stream) + 1;
    if (statement.operation == OPERATION_SYNC) return statement.stream > 0 ? number : 0;
    const bool queued =
        call.communicator > 0 &&
        process_.communicators[static_cast<std::size_t>(call.communicator - 1)].library ==
            LIBRARY_NCCL &&
        statement.operation < OPERATION_INIT;
    return queued ? number : 0;
  }

  void AddCalls() {
    std::map<std::tuple<int, int, bool>, std::uint32_t> known;
    for (const PlayedCall& call : process_.calls) {
      const auto [found, is_new] =
          known.try_emplace({call.statement, call.communicator, call.captured}, 0);
      if (is_new) found->second = writer_.AddShape(ShapeOf(call));
      WriterRow row;
      row.shape = found->second;
      row.entered_ns = call.entered_ns;
      row.started_ns = call.started_ns;
      row.not_watched = call.state == CallState::kUnwatched;
      const bool plain = call.state == CallState::kPending || call.state == CallState::kCompleted ||
                         row.not_watched;
      row.completed_ns = plain ? call.completed_ns : 0;
      row.see_event = !plain;
      const std::int64_t number = writer_.AddRow(row);
      if (call.group > 0) {
        writer_.AddCell(number, CELL_GROUP, static_cast<std::uint64_t>(call.group));
      }
      if (plain) continue;
      Event event;
      event.set_kind(call.state == CallState::kFailed ? EVENT_FAILED : EVENT_ABORTED);
      event.set_row(static_cast<std::uint64_t>(number) + 1);
      event.set_time_ns(static_cast<std::uint64_t>(call.completed_ns));
      event.set_value(call.error_code);
      event.set_data(call.error);
      writer_.AddEvent(event);
    }
  }

  void AddSnapshots() {
    int number = 0;
    for (const PlayedSnapshot& snapshot : process_.snapshots) {
      Event event;
      event.set_value(++number);
      event.set_time_ns(static_cast<std::uint64_t>(snapshot.ns));
      event.set_kind(EVENT_SNAPSHOT_BEGIN);
      event.set_data(snapshot.reason);
      writer_.AddEvent(event);
      for (const PlayedThread& thread : snapshot.threads) {
        Event at = event;
        at.set_kind(EVENT_SNAPSHOT_THREAD);
        at.set_tid(static_cast<std::uint32_t>(pid_ + thread.thread));
        at.set_python_stack(code_.StackOf(ThreadFrames(lines_, scenario_, thread)));
        at.set_data("python3");
        writer_.AddEvent(at);
      }
      event.set_kind(EVENT_SNAPSHOT_END);
      event.clear_data();
      writer_.AddEvent(event);
    }
  }

  void AddBackward() {
    for (const PlayedBackward& backward : process_.backward) {
      Event event;
      event.set_kind(EVENT_BACKWARD);
      event.set_value(backward.passes);
      event.set_time_ns(static_cast<std::uint64_t>(backward.last_ns));
      std::string first(sizeof backward.first_ns, '\0');
      std::memcpy(first.data(), &backward.first_ns, first.size());
      event.set_data(first);
      event.set_python_stack(code_.StackOf(CallFrames(lines_, StatementOf(backward.statement))));
      writer_.AddEvent(event);
    }
  }

  void SetState() {
    RollcallState& state = writer_.state();
    const rollcall::analyzer::End& end = process_.end;
    const bool alive = end.kind == EndKind::kAlive;
    const std::uint32_t word = static_cast<std::uint32_t>(pid_) | (alive ? 0 : ROLLCALL_OWNER_DIED);
    std::memcpy(state.mutex, &word, sizeof word);
    state.heartbeat_ns = static_cast<std::uint64_t>(alive ? now_ns_ : end.ns);
    if (process_.exception_ns != 0) {
      state.exception_ns = static_cast<std::uint64_t>(process_.exception_ns);
      state.exception_tid = static_cast<std::uint32_t>(pid_);
      const std::size_t length =
          std::min<std::size_t>(end.exception.size(), kRollcallExceptionBytes);
      state.exception_bytes = static_cast<std::uint32_t>(length);
      std::memcpy(state.exception, end.exception.data(), length);
      AddException();
    }
    if (alive || end.kind == EndKind::kKilled) return;
    state.end_kind = end.kind == EndKind::kSignal ? kRollcallEndSignal : kRollcallEndExit;
    state.end_status = static_cast<std::uint32_t>(end.status);
    state.end_signal = static_cast<std::uint32_t>(end.signal);
    state.end_ns = static_cast<std::uint64_t>(end.ns);
  }

  void AddException() {
    Event event;
    event.set_kind(EVENT_EXCEPTION);
    event.set_time_ns(static_cast<std::uint64_t>(process_.exception_ns));
    event.set_tid(static_cast<std::uint32_t>(pid_));
    event.set_data(process_.end.exception.substr(0, kRollcallExceptionBytes));
    if (process_.raised_at >= 0)
      event.set_python_stack(code_.StackOf(lines_.UserFrames(StatementOf(process_.raised_at))));
    writer_.AddEvent(event);
  }

  const Scenario& scenario_;
  const CallerLines& lines_;
  const PlayedProcess& process_;
  std::int64_t now_ns_;
  int pid_;
  TraceWriter writer_;
  PythonCode code_;
  std::vector<std::uint32_t> call_stacks_;  // by statement
  std::vector<std::string> visible_devices_;
};

}  // namespace

std::vector<TraceImage> WritePlay(const Scenario& scenario, const Play& play) {
  const CallerLines lines(scenario);
  std::vector<TraceImage> images;
  for (const PlayedProcess& process : play.processes) {
    if (process.has_file)
      images.push_back(ProcessWriter(scenario, lines, process, play.now_ns).Write());
  }
  return images;
}

}  // namespace rollcall::analyzer::scenario

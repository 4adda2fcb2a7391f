#include "analyzer/model/build_job.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/model/agreement.h"
#include "analyzer/model/decode_calls.h"
#include "analyzer/model/global_rank.h"
#include "analyzer/model/incarnations.h"
#include "analyzer/model/inputs.h"
#include "analyzer/model/join_communicators.h"
#include "analyzer/model/launcher_record.h"
#include "analyzer/model/loaded_process.h"
#include "analyzer/model/parallel.h"
#include "analyzer/model/process_end.h"
#include "analyzer/trace/rows.h"

namespace rollcall::analyzer {
namespace {

// Below this all rows of the job are decoded, so that call sites of agreeing calls can be compared
// too.
constexpr std::int64_t kAllRowsOfJob = 4'000'000;
// In front of what parts, per process.
constexpr std::int64_t kWindow = 4096;
// Of all processes together; with 10,000 ranks the window shrinks.
constexpr std::int64_t kWindowsOfJob = 16'000'000;

absl::Status NothingToRead(const Inputs& inputs, const std::vector<InputFile>& files) {
  if (files.empty() && !inputs.missing.empty()) {
    return absl::NotFoundError(
        absl::StrCat(absl::StrJoin(inputs.missing, ", "), ": no such file or folder"));
  }
  if (files.empty()) {
    return absl::NotFoundError(
        "no trace found: no file ends in .rollcall. Record the job with `rollcall run -o DIR -- "
        "COMMAND`, then analyze DIR");
  }
  std::string message =
      absl::StrCat("no readable trace in ", files.size(), files.size() == 1 ? " file:" : " files:");
  for (std::size_t i = 0; i < files.size() && i < 5; ++i) {
    absl::StrAppend(&message, "\n  ", files[i].path, ": ", files[i].message);
  }
  if (files.size() > 5) absl::StrAppend(&message, "\n  and ", files.size() - 5, " more");
  return absl::DataLossError(message);
}

// What can be known of a process before its rows are read.
LoadedProcess Load(const std::string& path) {
  LoadedProcess loaded;
  loaded.trace = ReadTraceFile(path);
  if (!loaded.trace.usable) return loaded;
  TakeDefinitions(loaded.trace.definitions, loaded);
  loaded.trace.definitions = {};
  return loaded;
}

void SetEnd(LoadedProcess& loaded, const std::vector<LauncherRecord>& launchers) {
  // The newest block holds the newest call; its base is close enough to compare with an exception.
  std::int64_t last_entered = 0;
  if (!loaded.trace.call_blocks.empty()) {
    std::vector<Row> rows;
    absl::StatusOr<RowReader> reader = RowReader::Open(loaded.trace.path);
    const std::vector<CallBlockPlace>& blocks = loaded.trace.call_blocks;
    // Blocks are prepared ahead, so the last ones may be unused.
    for (auto block = blocks.rbegin(); reader.ok() && block != blocks.rend() && rows.empty();
         ++block) {
      reader->ReadRows(*block, rows);
    }
    for (const Row& row : rows)
      last_entered = std::max(last_entered, row.entered_ns);
  }
  Process& process = loaded.process;
  const int exception_stack = process.end.exception_stack;
  process.end =
      ClassifyEnd(loaded.trace.process_state, AskThisMachine(loaded.trace.header), last_entered);
  process.end.exception_stack = exception_stack;
  process.end.ns = loaded.Time(process.end.ns);
  for (const LauncherRecord& launcher : launchers)
    ApplyLauncherRecord(launcher, process);
}

std::int64_t RowsOf(const LoadedProcess& loaded) {
  return static_cast<std::int64_t>(loaded.trace.call_blocks.size()) * kRollcallRows;
}

// How many of its newest rows each process needs: all, or from `kWindow` calls before the first
// position at which a communicator may part.
std::vector<std::int64_t> WantedRows(const std::vector<LoadedProcess>& loaded, const Job& job) {
  std::int64_t all = 0;
  for (const LoadedProcess& one : loaded)
    all += RowsOf(one);
  if (all <= kAllRowsOfJob) return std::vector<std::int64_t>(loaded.size(), kAllRows);
  const std::int64_t window = std::clamp<std::int64_t>(
      kWindowsOfJob / static_cast<std::int64_t>(loaded.size()), 512, kWindow);
  std::vector<std::int64_t> wanted(loaded.size(), window);
  for (const Communicator& communicator : job.communicators) {
    const QuickAgreement agreement = AgreeByFingerprints(communicator, loaded);
    if (agreement.complete) continue;
    for (const Participant& member : communicator.members) {
      if (member.handle < 0) continue;
      const LoadedProcess& process = loaded[member.process];
      const auto progress = process.trace.progress.find(process.collective_lane[member.handle]);
      const std::int64_t behind =
          progress == process.trace.progress.end()
              ? kAllRows
              : static_cast<std::int64_t>(progress->second.count) - agreement.agreed;
      // Calls of other communicators lie between: rows are at least as many as calls, in the
      // proportion of the whole.
      const std::int64_t calls = progress == process.trace.progress.end()
                                     ? 1
                                     : std::max<std::int64_t>(1, progress->second.count);
      const std::int64_t rows_so_far = progress == process.trace.progress.end()
                                           ? 1
                                           : std::max<std::int64_t>(1, progress->second.next_row);
      const double share = static_cast<double>(rows_so_far) / static_cast<double>(calls);
      const double needed =
          behind == kAllRows
              ? 1e18
              : static_cast<double>(behind + 2 * kRollcallCheckpointInterval) * share;
      const std::int64_t rows =
          needed > 1e15 ? kAllRows : static_cast<std::int64_t>(needed) + window;
      wanted[member.process] = std::max(wanted[member.process], rows);
    }
  }
  return wanted;
}

void SetInputs(std::vector<InputFile>& files, Job& job) {
  for (std::size_t i = 0; i < job.processes.size(); ++i) {
    const auto found = std::find_if(files.begin(), files.end(), [&](const InputFile& file) {
      return file.path == job.processes[i].path;
    });
    if (found != files.end()) found->process = static_cast<int>(i);
  }
  job.inputs = std::move(files);
}

std::string Name(const Process& process) {
  return process.rank >= 0 ? absl::StrCat("rank ", process.rank)
                           : absl::StrCat("process ", process.pid, " on ", process.host);
}

void NoteRecording(const LoadedProcess& loaded, Job& job) {
  const Process& process = loaded.process;
  if (process.lost_rows != 0) {
    job.notes.push_back(
        absl::StrCat(Name(process), ": ", process.lost_rows,
                     " calls found no room in the trace and are lost (raise ROLLCALL_MAX_MB)"));
  }
  if (process.lost_definitions != 0) {
    job.notes.push_back(absl::StrCat(
        Name(process), ": ", process.lost_definitions,
        " call sites or shapes were beyond the budget of the trace (raise ROLLCALL_MAX_MB)"));
  }
  if (!process.recording_note.empty()) {
    job.notes.push_back(
        absl::StrCat(Name(process), ": the recorder says: ", process.recording_note));
  }
}

void NoteIncarnations(Job& job) {
  for (std::size_t i = 0; i + 1 < job.incarnations.size(); ++i) {
    const Incarnation& other = job.incarnations[i];
    job.notes.push_back(absl::StrCat("an earlier start of the job is in the traces (",
                                     other.run_id.empty() ? "" : absl::StrCat(other.run_id, ", "),
                                     "restart ", other.restart, ", ", other.processes.size(),
                                     other.processes.size() == 1 ? " process" : " processes",
                                     "); the last one is judged"));
  }
}

}  // namespace

absl::StatusOr<Job> BuildJob(const std::vector<std::string>& paths) {
  const Inputs inputs = FindInputs(paths);
  std::vector<LoadedProcess> loaded(inputs.traces.size());
  ParallelFor(loaded.size(), [&](std::size_t i) { loaded[i] = Load(inputs.traces[i]); });

  std::vector<InputFile> files;
  for (const LoadedProcess& one : loaded) {
    files.push_back({one.trace.path, -1, TraceStateName(one.trace.state), one.trace.message});
  }
  loaded.erase(std::remove_if(loaded.begin(), loaded.end(),
                              [](const LoadedProcess& one) { return !one.trace.usable; }),
               loaded.end());
  if (loaded.empty()) return NothingToRead(inputs, files);

  Job job;
  for (const std::string& missing : inputs.missing)
    job.notes.push_back(absl::StrCat(missing, ": no such file or folder"));
  std::vector<LauncherRecord> launchers;
  for (const std::string& path : inputs.launchers) {
    absl::StatusOr<LauncherRecord> record = ReadLauncherRecord(path);
    if (!record.ok()) {
      job.notes.push_back(std::string(record.status().message()));
      continue;
    }
    job.notes.insert(job.notes.end(), record->not_interposed.begin(), record->not_interposed.end());
    launchers.push_back(*std::move(record));
  }

  SetClockOffsets(loaded);
  std::vector<std::string> disagreements(loaded.size());
  ParallelFor(loaded.size(), [&](std::size_t i) {
    TakeHeader(loaded[i]);
    TakeProcessEvents(loaded[i]);
    SetEnd(loaded[i], launchers);
    disagreements[i] = SetGlobalRank(loaded[i].process);
  });
  std::sort(disagreements.begin(), disagreements.end());
  std::copy_if(disagreements.begin(), disagreements.end(), std::back_inserter(job.notes),
               [](const std::string& note) { return !note.empty(); });
  job.incarnations = SetIncarnations(loaded);
  NoteIncarnations(job);

  // Communicators are joined by definitions, so they are known before any row is.
  for (LoadedProcess& one : loaded)
    job.processes.push_back(std::move(one.process));
  JoinCommunicators(loaded, job);
  const std::vector<std::int64_t> wanted = WantedRows(loaded, job);
  for (std::size_t i = 0; i < loaded.size(); ++i)
    loaded[i].process = std::move(job.processes[i]);
  std::vector<Decoded> decoded(loaded.size());
  ParallelFor(loaded.size(),
              [&](std::size_t i) { decoded[i] = DecodeCalls(loaded[i], wanted[i]); });
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    for (const std::string& note : decoded[i].notes) {
      job.notes.push_back(absl::StrCat(Name(loaded[i].process), ": ", note));
    }
    NoteRecording(loaded[i], job);
    job.processes[i] = std::move(loaded[i].process);
  }
  SetParticipantCalls(decoded, job);
  SetAgreedPositions(loaded, decoded, job);
  SetInputs(files, job);
  for (const Process& process : job.processes) {
    job.now_ns = std::max(job.now_ns, process.last_sign_ns);
    int seconds = 0;
    if (absl::SimpleAtoi(process.Setting("env.ROLLCALL_HANG_SECONDS"), &seconds) && seconds > 0)
      job.hang_seconds = seconds;
  }
  return job;
}

}  // namespace rollcall::analyzer

#include "analyzer/model/build_job.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/model/agreement.h"
#include "analyzer/model/copies.h"
#include "analyzer/model/decode_calls.h"
#include "analyzer/model/failed_start.h"
#include "analyzer/model/global_rank.h"
#include "analyzer/model/incarnations.h"
#include "analyzer/model/inputs.h"
#include "analyzer/model/join_communicators.h"
#include "analyzer/model/launcher_record.h"
#include "analyzer/model/loaded_process.h"
#include "analyzer/model/parallel.h"
#include "analyzer/model/process_end.h"
#include "analyzer/model/shrinks.h"
#include "analyzer/model/wanted_rows.h"
#include "analyzer/trace/rows.h"

namespace rollcall::analyzer {
namespace {

std::string FileName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string Some(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  const std::vector<std::string> first(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMost)));
  return absl::StrCat(absl::StrJoin(first, ", "), names.size() > kMost ? ", ..." : "");
}

// Why there is nothing to judge, and what to do.
absl::Status NothingToRead(const Inputs& inputs, const std::vector<InputFile>& files) {
  std::vector<std::string> sentences = inputs.missing;
  if (files.empty() && inputs.missing.empty()) {
    std::string sentence = "no trace found: no file ends in .rollcall";
    if (inputs.other_files != 0) {
      absl::StrAppend(&sentence, "; ", inputs.other_files, " other ",
                      inputs.other_files == 1 ? "file is" : "files are", " there");
    }
    if (!inputs.inner_folders.empty()) {
      absl::StrAppend(&sentence, "; folders inside are not looked into, give them instead: ",
                      Some(inputs.inner_folders));
    }
    absl::StrAppend(&sentence,
                    ". Record the job with `rollcall run -o DIR -- COMMAND`, then analyze DIR");
    sentences.push_back(sentence);
  }
  if (files.empty()) return absl::NotFoundError(absl::StrJoin(sentences, "\n"));
  std::string message =
      absl::StrCat("no readable trace in ", files.size(), files.size() == 1 ? " file:" : " files:");
  for (std::size_t i = 0; i < files.size() && i < 5; ++i) {
    absl::StrAppend(&message, "\n  ", files[i].path, ": ", files[i].message);
  }
  if (files.size() > 5) absl::StrAppend(&message, "\n  and ", files.size() - 5, " more");
  for (const std::string& sentence : sentences)
    absl::StrAppend(&message, "\n  ", sentence);
  return absl::DataLossError(message);
}

void NoteInputs(const Inputs& inputs, Job& job) {
  job.notes.insert(job.notes.end(), inputs.missing.begin(), inputs.missing.end());
  if (inputs.repeated.empty()) return;
  std::vector<std::string> names;
  for (const std::string& path : inputs.repeated)
    names.push_back(FileName(path));
  job.notes.push_back(
      absl::StrCat(names.size(), names.size() == 1 ? " file was" : " files were",
                   " given more than once, by path or by link, and read once: ", Some(names)));
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

// Rows of all processes, in parallel; of those that did not reach far enough back again, more.
std::vector<Decoded> DecodeAll(std::vector<LoadedProcess>& loaded, const RowLimits& limits,
                               Job& job) {
  std::vector<Decoded> decoded(loaded.size());
  const auto decode = [&](const std::vector<std::size_t>& processes,
                          const std::vector<std::int64_t>& wanted) {
    for (const std::size_t i : processes)
      loaded[i].process = std::move(job.processes[i]);
    ParallelFor(processes.size(), [&](std::size_t n) {
      const std::size_t i = processes[n];
      decoded[i] = DecodeCalls(loaded[i], wanted[i]);
    });
    for (const std::size_t i : processes)
      job.processes[i] = std::move(loaded[i].process);
  };
  std::vector<std::size_t> processes(loaded.size());
  std::iota(processes.begin(), processes.end(), std::size_t{0});
  const std::vector<std::int64_t> wanted = WantedRows(loaded, job, limits);
  decode(processes, wanted);
  const std::vector<std::int64_t> again = WantedAgain(loaded, decoded, wanted, job, limits);
  processes.erase(std::remove_if(processes.begin(), processes.end(),
                                 [&](std::size_t i) { return again[i] <= wanted[i]; }),
                  processes.end());
  decode(processes, again);
  const std::size_t cut = CutShort(loaded, decoded, again, job);
  if (cut != 0) {
    job.notes.push_back(absl::StrCat(
        "of ", cut, " of ", loaded.size(),
        " traces only the newest calls were read, because all "
        "together hold more than ",
        limits.most_of_job,
        " that would have to be compared: where calls parted first may lie before them. Analyze "
        "the traces of fewer ranks together"));
  }
  return decoded;
}

void SetInputs(std::vector<InputFile>& files, const std::vector<Decoded>& decoded, Job& job) {
  std::map<std::string, int> processes;
  for (std::size_t i = 0; i < job.processes.size(); ++i)
    processes[job.processes[i].path] = static_cast<int>(i);
  for (InputFile& file : files) {
    const auto found = processes.find(file.path);
    if (found != processes.end()) file.process = found->second;
  }
  job.inputs = std::move(files);
  for (InputFile& file : job.inputs) {
    if (file.process < 0 || file.state != TraceStateName(TraceState::kComplete)) continue;
    const std::string& why = decoded[static_cast<std::size_t>(file.process)].breaks_off;
    if (why.empty()) continue;
    file.state = TraceStateName(TraceState::kDamaged);
    file.message = why;
  }
}

std::string Name(const Process& process) {
  return process.rank >= 0 ? absl::StrCat("rank ", process.rank)
                           : absl::StrCat("process ", process.pid, " on ", process.host);
}

void NoteRecording(const Process& process, Job& job) {
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
  std::vector<std::string> others;
  std::size_t starts = 0;
  for (std::size_t i = 0; i < job.incarnations.size(); ++i) {
    const Incarnation& other = job.incarnations[i];
    for (const int p : other.aside ? other.processes : std::vector<int>{}) {
      const Process& process = job.processes[static_cast<std::size_t>(p)];
      job.notes.push_back(absl::StrCat(
          Name(process), " was started more than once while the others went on: its process ",
          process.pid, " on ", process.host, " is not judged"));
    }
    if (other.aside) continue;
    ++starts;
    if (i + 1 == job.incarnations.size()) break;
    others.push_back(absl::StrCat(other.run_id.empty() ? "" : absl::StrCat(other.run_id, ", "),
                                  "restart ", other.restart, ", ", other.processes.size(),
                                  other.processes.size() == 1 ? " process" : " processes"));
  }
  if (others.empty()) return;
  job.notes.push_back(
      absl::StrCat("the last of ", starts,
                   " starts of the job is judged; the earlier: ", absl::StrJoin(others, "; ")));
}

}  // namespace

absl::StatusOr<Job> BuildJob(const std::vector<std::string>& paths, const RowLimits& limits) {
  const Inputs inputs = FindInputs(paths);
  std::vector<LoadedProcess> loaded(inputs.traces.size());
  ParallelFor(loaded.size(), [&](std::size_t i) { loaded[i] = Load(inputs.traces[i]); });

  const std::vector<std::string> copies = LeaveOutCopies(loaded);
  std::vector<InputFile> files;
  for (const LoadedProcess& one : loaded) {
    files.push_back({one.trace.path, -1, TraceStateName(one.trace.state), one.trace.message});
  }
  loaded.erase(std::remove_if(loaded.begin(), loaded.end(),
                              [](const LoadedProcess& one) { return !one.trace.usable; }),
               loaded.end());
  if (loaded.empty()) return NothingToRead(inputs, files);

  Job job;
  NoteInputs(inputs, job);
  job.notes.insert(job.notes.end(), copies.begin(), copies.end());
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
    SetGlobalRank(loaded[i].process);
    disagreements[i] = RankDisagreement(loaded[i].process);
  });
  std::sort(disagreements.begin(), disagreements.end());
  std::copy_if(disagreements.begin(), disagreements.end(), std::back_inserter(job.notes),
               [](const std::string& note) { return !note.empty(); });
  job.incarnations = SetIncarnations(loaded);

  // Communicators are joined by definitions, so they are known before any row is.
  for (LoadedProcess& one : loaded)
    job.processes.push_back(std::move(one.process));
  NoteIncarnations(job);
  JoinCommunicators(loaded, job);
  std::vector<Decoded> decoded = DecodeAll(loaded, limits, job);
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    for (const std::string& note : decoded[i].notes) {
      job.notes.push_back(absl::StrCat(Name(job.processes[i]), ": ", note));
    }
    NoteRecording(job.processes[i], job);
    SetTextOfFailedStart(job.processes[i]);
  }
  SetParticipantCalls(decoded, job);
  SetAgreedPositions(loaded, decoded, job);
  MakeRoomForShrinks(job);
  SetInputs(files, decoded, job);
  for (const Process& process : job.processes) {
    job.now_ns = std::max(job.now_ns, process.last_sign_ns);
    double seconds = 0;
    if (absl::SimpleAtod(process.Setting("env.ROLLCALL_HANG_SECONDS"), &seconds) && seconds > 0 &&
        seconds < 1e9)
      job.hang_seconds = std::max(1, static_cast<int>(seconds));
  }
  return job;
}

}  // namespace rollcall::analyzer

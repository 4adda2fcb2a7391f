// The job as the analyzer sees it: processes, communicators, participants and their calls. Plain
// values, made by analyzer/model/build_job from trace files, read by every later stage. Nothing
// here is a judgement.
//
// Times are nanoseconds on the clock of the process's host, moved by one offset per host so that
// hosts can be compared roughly (CLOCK_REALTIME); compare times of different hosts for display
// only, never to decide who is to blame.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace.pb.h"

namespace rollcall::analyzer {

struct Frame {
  std::string file;  // as the program knew it; "" = unknown
  int line = 0;      // 0 = unknown
  std::string function;
};

struct Stack {
  std::vector<Frame> frames;  // innermost first
  bool truncated = false;
};

// A loaded object of a process, for native stacks: see analyzer/model/native_frames.h.
struct NativeModule {
  std::uint64_t low = 0, high = 0;  // addresses
  std::uint64_t bias = 0;           // load address minus link address
  std::string path, build_id;
};

// What repeats from step to step; CallShape of the trace with indices resolved.
struct Shape {
  Operation operation = OPERATION_UNKNOWN;
  Datatype datatype = DATATYPE_UNKNOWN;
  ReduceOperation redop = REDUCE_OPERATION_NONE;
  std::optional<int> root;  // rank in the communicator
  std::optional<int> peer;  // rank in the communicator; -1 = any
  std::optional<std::int64_t> tag;
  std::uint64_t count = 0;
  std::uint32_t element_bytes = 0;  // 0 = unknown
  std::uint32_t flags = 0;          // Flag
  std::uint32_t variable = 0;       // Variable: see Call
  std::uint32_t tensors = 1;
  std::int64_t timeout_ms = 0;
  std::uint64_t redop_function = 0;
  std::uint64_t fingerprint = 0;
  std::vector<std::int64_t> dimensions;
  std::vector<std::uint64_t> input_splits, output_splits;
  std::vector<int> excluded;  // SHRINK: ranks of the communicator that are left out
  int stream = 0;             // number in the process, from 1; 0 = none or unknown, SYNC: all
  std::string library_name;
  int communicator = -1;     // index in Process::communicators; -1 = none
  int python_stack = -1;     // index in Process::python_stacks; -1 = none
  int native_stack = -1;     // index in Process::native_stacks
  int initiator_stack = -1;  // index in Process::python_stacks
  int thread = -1;           // index in Process::threads
};

enum class CallState : std::uint8_t {
  kPending,  // entered, not completed
  kCompleted,
  kFailed,  // threw or returned an error
  kAborted,
  kDiscarded,
  kUnwatched,  // nobody would have seen its completion
};

struct Call {
  std::int64_t row = 0;        // number in the process, from 0: program order of entry
  std::int64_t position = -1;  // among the collectives of its communicator, from 0; sends,
                               // receives, INIT, RENDEZVOUS: -1
  std::int64_t entered_ns = 0;
  std::int64_t started_ns = 0;  // 0 = not started or not seen
  std::int64_t completed_ns =
      0;  // 0 = none; of failed, aborted and discarded calls: when that became known
  std::uint32_t shape = 0;  // index in Process::shapes
  CallState state = CallState::kPending;
  // Of the shape, or of the row where the shape says that they are variable.
  std::uint64_t count = 0;
  std::int32_t peer = -2;  // -2 = none, -1 = any
  std::int64_t tag = -1;
  int error = -1;           // index in Process::texts: what the exception said
  std::uint32_t group = 0;  // calls of one group are entered together; 0 = in none
  int splits = -1;  // index in Process::splits; -1 = as in the shape
};

// How a process ended, as far as its trace tells.
enum class EndKind {
  kUnknown,    // the trace does not say (recorder still starting, damaged)
  kAlive,      // alive when it was read, or when the copy was made
  kExit,       // exit() or return from main: status
  kQuickExit,  // _exit(): status
  kException,  // uncaught Python exception: text; status 1
  kSignal,     // signal, sender if known
  kKilled,     // ended without notice: SIGKILL, out of memory, power
  kExec,       // became another program
};

struct End {
  EndKind kind = EndKind::kUnknown;
  // The process said that it exits, and is still there (it may hang in its exit with calls
  // pending).
  bool exiting = false;
  int status = 0;
  int signal = 0;
  int signal_code = 0;
  int sender_pid = 0;
  std::int64_t ns = 0;       // when; of kKilled: the last heartbeat
  int exception_stack = -1;  // index in Process::python_stacks: where it was raised
  std::string
      exception;  // "Type: text"; also when the exception was caught later and the process went on
};

// Backward passes that were started at one place.
struct BackwardSite {
  int python_stack = -1;    // index in Process::python_stacks
  std::int64_t passes = 0;  // so many at least: a count is written when it doubles, and in the end
  std::int64_t first_ns = 0, last_ns = 0;
};

// How many elements an all-to-all sends to each rank, and takes from each; empty = not known.
struct Splits {
  std::vector<std::uint64_t> input, output;
};

struct ThreadInfo {
  int tid = 0;
  std::string name;
};

struct SnapshotThread {
  int tid = 0;
  std::string name;
  int python_stack = -1;
};

struct Snapshot {
  std::int64_t ns = 0;
  std::string reason;                   // hang, idle, request, end, exit
  std::vector<SnapshotThread> threads;  // the main thread first
  std::vector<std::string> files;       // open for writing
};

// A communicator as one process knows it.
struct CommunicatorHandle {
  int rank = 0, size = 0;
  std::uint64_t digest = 0;
  int occurrence = 0;
  std::string store_path, name;
  Library library = LIBRARY_UNKNOWN;
  std::uint32_t flags = 0;
  std::optional<int> device;  // as the process numbers them
  std::string bus_id;         // of that device; "" = unknown
  int parent = -1;            // index in Process::communicators
  int communicator = -1;      // index in Job::communicators
  std::int64_t gone_ns = 0;   // destroyed or garbage; 0 = not
};

struct Process {
  std::string path;  // of the trace file, as given by the user
  std::string host;
  int pid = 0;
  std::int64_t start_ticks = 0;
  std::string boot_id;
  int rank = -1;        // global rank: in the first default group, else RANK-like environment, else
                        // communicator; -1 = unknown
  int world_size = -1;  // likewise
  std::string rank_source;  // where `rank` comes from, for messages: "process group", "RANK", ...
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<Stack> python_stacks;
  std::vector<Stack> native_stacks;  // module+offset; ResolveNativeStack gives functions and lines
  std::vector<std::vector<std::uint64_t>> native_pcs;    // return addresses, by native stack
  std::vector<std::vector<NativeModule>> module_tables;  // loaded objects, by epoch
  std::vector<int> native_epochs;                        // index in module_tables, by native stack
  std::vector<ThreadInfo> threads;
  std::vector<std::string> texts;
  std::vector<Splits> splits;  // of rows whose shape says that they are variable
  std::vector<BackwardSite> backward;
  std::vector<Shape> shapes;
  std::vector<CommunicatorHandle> communicators;
  std::vector<Call> calls;     // by row; see first_row
  std::int64_t first_row = 0;  // earlier rows are known by fingerprint alone
  std::int64_t lost_rows = 0, lost_definitions = 0, lost_events = 0;
  int recording_error = 0;          // errno that stopped the growth of the file
  std::string recording_note;       // why recording stopped or was reduced; "" = it did not
  std::vector<Snapshot> snapshots;  // oldest first
  End end;
  std::int64_t last_sign_ns = 0;  // last heartbeat, or the latest time in the trace
  std::int64_t started_ns = 0;    // when the trace was opened
  int incarnation = 0;            // index in Job::incarnations

  const std::string& Setting(const std::string& name) const;  // "" = not recorded
};

// A member of a communicator, present or only known to exist.
struct Participant {
  int process = -1;  // index in Job::processes; -1 = not visible here
  int handle = -1;   // index in Process::communicators; -1 = the process never joined
  int rank = 0;      // in the communicator
  int global_rank = -1;
  std::vector<std::int64_t> calls;  // indices in Process::calls: its collectives, by position
  std::int64_t first_position = 0;  // of calls.front(): earlier ones are known by fingerprint alone
  std::int64_t agreed_position = 0;  // all visible members agree below it, by fingerprint
};

struct Shrink {
  std::int64_t position = 0;
  std::vector<int> excluded;  // ranks in the communicator; sorted
};

struct Communicator {
  std::string name;  // for people: "world", "tp", or the store path
  Library library = LIBRARY_UNKNOWN;
  std::uint64_t digest = 0;
  int occurrence = 0;
  int size = 0;  // as members said; the greatest where they differ
  std::uint32_t flags = 0;
  bool is_world = false;  // the first default group
  int incarnation = 0;
  std::vector<Participant>
      members;  // by rank in the communicator, size entries; more if ranks are claimed twice
  std::vector<Shrink> shrinks;  // by position: those that it leaves out have no call there

  bool Excludes(int rank, std::int64_t position) const;
};

// One start of the job: elastic restarts make several in one folder.
struct Incarnation {
  std::string run_id;
  int restart = 0;
  bool aside = false;  // processes that one rank had besides, while the others went on
  std::vector<int> processes;
};

// What became of one file given to the analyzer. `state` as in report.proto.
struct InputFile {
  std::string path;
  int process = -1;  // index in Job::processes
  std::string state;
  std::string message;  // what is wrong, at which byte, what to do; "" = nothing
};

struct Job {
  std::vector<Process> processes;  // sorted by (incarnation, rank, host, pid)
  std::vector<Communicator> communicators;
  std::vector<Incarnation> incarnations;  // the last one is judged
  std::vector<InputFile> inputs;
  std::vector<std::string> notes;  // statements about the input that belong into `limits`
  std::int64_t now_ns = 0;         // the latest sign of life of any process: "now" of the job
  int hang_seconds = 60;           // ROLLCALL_HANG_SECONDS of the job
};

}  // namespace rollcall::analyzer

// The memo against full unwinding, and the module table that native stacks are resolved with.
#include <dlfcn.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "interpose/native/capture.h"
#include "interpose/native/memo.h"
#include "interpose/native/unwind.h"
#include "tests/catch.h"
#include "tests/python/memory_recorder.h"

namespace rollcall::tests {
namespace {

using interpose::CaptureNativeStack;
using interpose::NativeFrames;
using interpose::UnwindNativeFrames;

RecordedNativeStack StackOf(std::uint32_t id) {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const std::lock_guard<std::mutex> lock(recorder.mutex);
  REQUIRE(id >= 1);
  REQUIRE(id <= recorder.native_stacks.size());
  return recorder.native_stacks[id - 1];
}

std::size_t StacksSoFar() {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const std::lock_guard<std::mutex> lock(recorder.mutex);
  return recorder.native_stacks.size();
}

struct Taken {
  std::uint32_t id = 0;
  std::vector<std::uint64_t> expected;  // from the caller of the function that captured
};

// Both from one frame: they differ in the return address inside this function alone.
__attribute__((noinline)) Taken Take() {
  Taken taken;
  NativeFrames frames;
  UnwindNativeFrames(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), &frames);
  taken.expected.assign(frames.pc, frames.pc + frames.count);
  taken.id = CaptureNativeStack();
  return taken;
}

void RequireEqual(const Taken& taken) {
  std::vector<std::uint64_t> got = StackOf(taken.id).pc;
  REQUIRE(!got.empty());
  got.erase(got.begin());
  std::vector<std::uint64_t> expected = taken.expected;
  const std::size_t common = std::min({got.size(), expected.size(), std::size_t{63}});
  got.resize(common);
  expected.resize(common);
  REQUIRE(got == expected);
}

// A call tree of three kinds of function, with frames of constant and of varying size.
using Path = std::vector<unsigned>;
void Descend(const Path& path, std::size_t depth);

__attribute__((noinline)) void Small(const Path& path, std::size_t depth) {
  Descend(path, depth + 1);
  asm volatile("" ::: "memory");
}

__attribute__((noinline)) void Large(const Path& path, std::size_t depth) {
  volatile char space[300];
  space[0] = 1;
  Descend(path, depth + 1);
  space[1] = space[0];
}

__attribute__((noinline)) void Varying(const Path& path, std::size_t depth) {
  auto* const space = static_cast<volatile char*>(__builtin_alloca(16 + 16 * path[depth]));
  space[0] = 1;
  Descend(path, depth + 1);
  space[1] = space[0];
}

__attribute__((noinline)) void Descend(const Path& path, std::size_t depth) {
  if (depth == path.size()) {
    RequireEqual(Take());
    RequireEqual(Take());
    return;
  }
  if (path[depth] == 0) Small(path, depth);
  if (path[depth] == 1) Large(path, depth);
  if (path[depth] >= 2) Varying(path, depth);
  asm volatile("" ::: "memory");
}

__attribute__((noinline)) std::uint32_t TakeId() {
  const std::uint32_t id = CaptureNativeStack();
  asm volatile("" ::: "memory");
  return id;
}

__attribute__((noinline)) std::uint32_t TakeAtDepth(int depth) {
  const std::uint32_t id = depth == 0 ? CaptureNativeStack() : TakeAtDepth(depth - 1);
  asm volatile("" ::: "memory");
  return id;
}

}  // namespace

TEST_CASE("the memo agrees with full unwinding over varied call paths", "[native]") {
  std::minstd_rand random(1);  // the same paths in every run
  for (int round = 0; round < 20000; ++round) {
    Path path(random() % 8);
    // Few different numbers: paths come again, others share their upper part or their depth.
    for (unsigned& step : path)
      step = static_cast<unsigned>(random() % 4);
    Descend(path, 0);
  }
  REQUIRE(TheMemoryRecorder().settings.count("native.memo_disagreements") == 0);
}

TEST_CASE("one place is one stack, however often", "[native]") {
  std::set<std::uint32_t> ids;
  for (int i = 0; i < 5000; ++i)
    ids.insert(TakeId());  // more than one check of the memo
  REQUIRE(ids.size() == 1);
  REQUIRE(*ids.begin() != 0);
}

TEST_CASE("deep stacks are cut at 64 frames", "[native]") {
  const RecordedNativeStack stack = StackOf(TakeAtDepth(200));
  REQUIRE(stack.pc.size() == interpose::kMaxNativeFrames);
  REQUIRE(stack.truncated);
}

TEST_CASE("every return address lies in a module of the table, with its build-id", "[native]") {
  const RecordedNativeStack stack = StackOf(TakeId());
  MemoryRecorder& recorder = TheMemoryRecorder();
  const std::lock_guard<std::mutex> lock(recorder.mutex);
  for (const std::uint64_t pc : stack.pc) {
    const auto module =
        std::find_if(recorder.modules.begin(), recorder.modules.end(),
                     [pc](const RecordedModule& m) { return pc >= m.low && pc < m.high; });
    REQUIRE(module != recorder.modules.end());
    REQUIRE(module->epoch <= stack.epoch);
    REQUIRE(!module->path.empty());
  }
  const auto libc = std::find_if(
      recorder.modules.begin(), recorder.modules.end(),
      [](const RecordedModule& m) { return m.path.find("libc.so") != std::string::npos; });
  REQUIRE(libc != recorder.modules.end());
  REQUIRE(libc->build_id.size() >= 16);
  Dl_info info{};
  REQUIRE(dladdr(reinterpret_cast<void*>(&getpid), &info) != 0);
  REQUIRE(libc->bias == reinterpret_cast<std::uint64_t>(info.dli_fbase));
}

TEST_CASE("threads capture at once, each its own stack", "[native]") {
  std::vector<std::thread> threads;
  std::vector<std::set<std::uint32_t>> ids(4);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    threads.emplace_back([&ids, i] {
      for (int n = 0; n < 3000; ++n)
        ids[i].insert(TakeId());
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const auto& of_thread : ids) {
    REQUIRE(of_thread.size() == 1);
    REQUIRE(*of_thread.begin() == *ids[0].begin());  // equal code paths, equal stacks
  }
}

// Not inlined: a branch in the loop would give each turn a call of its own.
[[gnu::noinline]] pid_t ForkIf(bool wanted) {
  return wanted ? fork() : -1;
}

TEST_CASE("a forked child defines its stacks and modules anew", "[native]") {
  // From one place and one stack in both processes.
  pid_t child = -1;
  std::uint32_t ids[2] = {};
  for (int turn = 0; turn < 2; ++turn) {
    asm volatile("" : "+r"(turn));  // one copy of the loop body
    child = ForkIf(turn == 1);
    const std::size_t before = StacksSoFar();
    ids[turn] = TakeId();
    if (child == 0) _exit(ids[turn] == before + 1 ? 0 : 1);
  }
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  REQUIRE(ids[0] == ids[1]);
}

TEST_CASE("what is loaded later gets a line, and unloading ends the old ids", "[native]") {
  using CallBack = void (*)(void (*)(void*), void*);
  const auto take = [](void* id) { *static_cast<std::uint32_t*>(id) = TakeId(); };
  RecordedNativeStack stacks[2];
  for (int turn = 0; turn < 2; ++turn) {
    asm volatile("" : "+r"(turn));  // one copy of the loop body
    void* const plugin = dlopen(NATIVE_STACK_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(plugin != nullptr);
    std::uint32_t id = 0;
    reinterpret_cast<CallBack>(dlsym(plugin, "CallBack"))(take, &id);
    stacks[turn] = StackOf(id);
    dlclose(plugin);
    // A new stack: that is when the table is looked at.
    std::thread([] { REQUIRE(TakeAtDepth(3) != 0); }).join();
  }
  // Even at the same addresses the second stack is another one, and the plugin's line was written
  // again before it.
  REQUIRE(stacks[1].epoch > stacks[0].epoch);
  const auto& modules = TheMemoryRecorder().modules;
  for (const RecordedNativeStack& stack : stacks) {
    REQUIRE(std::count_if(modules.begin(), modules.end(), [&stack](const RecordedModule& module) {
              return module.path == NATIVE_STACK_PLUGIN && module.epoch == stack.epoch;
            }) == 1);
  }
}

namespace {
ucontext_t main_context;
ucontext_t side_context;
std::uint32_t side_id = 0;
void OnSideStack() {
  side_id = TakeId();
  swapcontext(&side_context, &main_context);
}
}  // namespace

TEST_CASE("a stack that is not the thread's own is unwound each time", "[native]") {
  std::vector<char> stack(256 * 1024);
  for (int turn = 0; turn < 2; ++turn) {
    getcontext(&side_context);
    side_context.uc_stack.ss_sp = stack.data();
    side_context.uc_stack.ss_size = stack.size();
    side_context.uc_link = &main_context;
    makecontext(&side_context, OnSideStack, 0);
    swapcontext(&main_context, &side_context);
    REQUIRE(side_id != 0);
    // Another stack at another place: nothing of the first is read again.
    stack = std::vector<char>(64 * 1024);
  }
}

}  // namespace rollcall::tests

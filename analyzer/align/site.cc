#include "analyzer/align/site.h"

#include "absl/strings/str_cat.h"
#include "analyzer/model/native_frames.h"

namespace rollcall::analyzer {
namespace {

std::string FolderOf(const std::string& file) {
  return file.substr(0, file.rfind('/') + 1);
}

// Where the program lies: `python -m` has no script, but a main module.
std::string ProgramFolder(const Process& process, const std::string& user_code) {
  if (const std::string& script = process.Setting("script"); !script.empty())
    return FolderOf(script);
  for (const Stack& stack : process.python_stacks) {
    const std::vector<int> user = UserFrames(stack, user_code);
    if (user.empty() || stack.truncated) continue;
    const Frame& outermost = stack.frames[static_cast<std::size_t>(user.back())];
    if (outermost.function == "<module>") return FolderOf(outermost.file);
  }
  return "";
}

}  // namespace

int SiteTable::Intern(const Stack& stack, Operation operation,
                      const std::vector<std::string>& folders, const std::string& user_code) {
  const std::vector<int> user = UserFrames(stack, user_code);
  if (user.empty()) return kNoSite;
  Site site;
  site.api = ApiName(stack, user.front(), operation);
  site.collective = DistributedFunction(stack);
  std::string place;
  for (const int index : user) {
    Frame frame = stack.frames[static_cast<std::size_t>(index)];
    site.paths.push_back(frame.file);
    frame.file = KnownPath(frame.file);
    for (const std::string& folder : folders) {
      const std::string shorter = ShortPath(frame.file, folder);
      if (shorter == frame.file) continue;
      frame.file = shorter;
      break;
    }
    absl::StrAppend(&place, "|", frame.file, ":", frame.line, ":", frame.function);
    site.frames.push_back(std::move(frame));
  }
  const auto [found, is_new] = ids_.try_emplace(absl::StrCat(site.api, "|", site.collective, place),
                                                static_cast<int>(sites_.size()));
  if (!is_new) return found->second;
  sites_.push_back(std::move(site));
  places_.push_back(
      place_ids_.try_emplace(place, static_cast<int>(place_ids_.size())).first->second);
  return found->second;
}

int SiteTable::InternNative(const Process& process, int native_stack,
                            const std::vector<std::string>& folders, const std::string& user_code,
                            SymbolFinder& finder) {
  // Libraries are told by the module, so the user's frames are chosen before they get their names.
  const Stack& stack = process.native_stacks[static_cast<std::size_t>(native_stack)];
  Stack own;
  for (const int frame : UserFrames(stack, user_code))
    own.frames.push_back(ResolveNativeFrame(process, native_stack, frame, finder));
  return Intern(own, OPERATION_UNKNOWN, folders, user_code);
}

SiteTable::SiteTable(const Job& job, const std::string& user_code) {
  SymbolFinder finder;
  shapes_.resize(job.processes.size());
  python_stacks_.resize(job.processes.size());
  for (std::size_t p = 0; p < job.processes.size(); ++p) {
    const Process& process = job.processes[p];
    const std::vector<std::string> folders = {process.Setting("cwd"),
                                              ProgramFolder(process, user_code)};
    for (const Stack& stack : process.python_stacks)
      python_stacks_[p].push_back(Intern(stack, OPERATION_UNKNOWN, folders, user_code));
    absl::flat_hash_map<std::pair<int, int>, int> of_operation;
    for (const Shape& shape : process.shapes) {
      // A thread of autograd has no Python frame of the user's: the line that started the backward
      // pass stands for it. A program without Python has native frames only.
      int site = kNoSite;
      for (const int stack : {shape.python_stack, shape.initiator_stack}) {
        if (site != kNoSite || OfPythonStack(static_cast<int>(p), stack) == kNoSite) continue;
        const auto [known, is_new] = of_operation.try_emplace({stack, shape.operation}, kNoSite);
        if (is_new)
          known->second = Intern(process.python_stacks[static_cast<std::size_t>(stack)],
                                 shape.operation, folders, user_code);
        site = known->second;
      }
      if (site == kNoSite && shape.python_stack < 0 && shape.native_stack >= 0 &&
          static_cast<std::size_t>(shape.native_stack) < process.native_stacks.size()) {
        site = InternNative(process, shape.native_stack, folders, user_code, finder);
      }
      shapes_[p].push_back(site);
    }
  }
}

int SiteTable::OfPythonStack(int process, int stack) const {
  const std::vector<int>& stacks = python_stacks_[static_cast<std::size_t>(process)];
  return stack < 0 || static_cast<std::size_t>(stack) >= stacks.size()
             ? kNoSite
             : stacks[static_cast<std::size_t>(stack)];
}

bool SiteTable::SameFunction(int a, int b) const {
  return at(a).where().file == at(b).where().file &&
         at(a).where().function == at(b).where().function;
}

}  // namespace rollcall::analyzer

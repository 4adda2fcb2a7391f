#include "analyzer/model/native_frames.h"

#include <algorithm>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"

namespace rollcall::analyzer {
namespace {

const NativeModule* FindModule(const Process& process, int stack, std::uint64_t address) {
  // A table holds what is new since the last one, so the newest that covers the address counts.
  for (int epoch = process.native_epochs[stack]; epoch >= 0; --epoch) {
    for (const NativeModule& module : process.module_tables[epoch]) {
      if (module.low <= address && address < module.high) return &module;
    }
  }
  return nullptr;
}

Frame OffsetFrame(const Process& process, int stack, std::uint64_t return_address) {
  Frame frame;
  // The call is in front of its return address.
  const std::uint64_t address = return_address - 1;
  const NativeModule* module = FindModule(process, stack, address);
  if (module == nullptr) {
    frame.function = absl::StrCat("0x", absl::Hex(return_address));
    return frame;
  }
  frame.file = module->path;
  const std::string name = module->path.substr(module->path.rfind('/') + 1);
  frame.function = absl::StrCat(name, "+0x", absl::Hex(address - module->bias));
  return frame;
}

}  // namespace

void TakeNativeStacks(const std::vector<Definition>& definitions, LoadedProcess& loaded) {
  Process& process = loaded.process;
  std::map<std::uint32_t, std::vector<NativeModule>> epochs;
  for (const Definition& definition : definitions) {
    if (!definition.has_module()) continue;
    const Module& module = definition.module();
    epochs[module.epoch()].push_back(
        {module.low(), module.high(), module.bias(), module.path(), module.build_id()});
  }
  if (!epochs.empty()) {
    process.module_tables.clear();
    for (auto& [epoch, modules] : epochs)
      process.module_tables.push_back(std::move(modules));
  }
  for (const Definition& definition : definitions) {
    if (!definition.has_native_stack()) continue;
    const NativeStack& stack = definition.native_stack();
    const int index = static_cast<int>(process.native_stacks.size());
    if (!loaded.native_stacks.try_emplace(stack.id(), index).second) continue;
    const auto after = epochs.upper_bound(stack.epoch());
    process.native_epochs.push_back(static_cast<int>(std::distance(epochs.begin(), after)) - 1);
    process.native_pcs.emplace_back(stack.pc().begin(), stack.pc().end());
    Stack& made = process.native_stacks.emplace_back();
    made.truncated = stack.truncated();
    for (const std::uint64_t pc : stack.pc())
      made.frames.push_back(OffsetFrame(process, index, pc));
  }
}

Frame ResolveNativeFrame(const Process& process, int native_stack, int frame,
                         SymbolFinder& finder) {
  const auto index = static_cast<std::size_t>(frame);
  Frame resolved = process.native_stacks.at(native_stack).frames.at(index);
  const std::vector<std::uint64_t>& pcs = process.native_pcs.at(native_stack);
  if (index >= pcs.size()) return resolved;
  // The call is in front of its return address.
  const std::uint64_t address = pcs[index] - 1;
  const NativeModule* module = FindModule(process, native_stack, address);
  if (module == nullptr) return resolved;
  const std::optional<Symbol> symbol =
      finder.Find(module->path, module->build_id, address - module->bias);
  if (!symbol) return resolved;
  resolved.function = symbol->function;
  if (symbol->line != 0) {
    resolved.file = symbol->file;
    resolved.line = symbol->line;
  }
  return resolved;
}

}  // namespace rollcall::analyzer

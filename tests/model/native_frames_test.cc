// Functions of native stacks, on this test program itself.
#include "analyzer/model/native_frames.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <filesystem>

#include "tests/catch.h"

namespace rollcall::analyzer {

// Its return address is in the function whose name is looked for. Not static: stripped or not, it
// has a symbol.
__attribute__((noinline)) std::uint64_t AddressInCaller() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}
__attribute__((noinline)) std::uint64_t FunctionToBeFound() {
  const std::uint64_t address = AddressInCaller();
  asm volatile("" ::: "memory");  // no tail call
  return address;
}

namespace {

Module MainModule() {
  Module module;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        auto& made = *static_cast<Module*>(into);
        made.set_epoch(1);
        made.set_bias(info->dlpi_addr);
        made.set_path(std::filesystem::read_symlink("/proc/self/exe").string());
        made.set_low(~0ull);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          const std::uint64_t at = info->dlpi_addr + header.p_vaddr;
          if (header.p_type == PT_LOAD) {
            made.set_low(std::min<std::uint64_t>(made.low(), at));
            made.set_high(std::max<std::uint64_t>(made.high(), at + header.p_memsz));
          }
          if (header.p_type != PT_NOTE) continue;
          for (std::uint64_t note = at; note + sizeof(ElfW(Nhdr)) < at + header.p_memsz;) {
            const auto* head = reinterpret_cast<const ElfW(Nhdr)*>(note);
            const std::uint64_t data = note + sizeof *head + (head->n_namesz + 3) / 4 * 4;
            if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4) {
              made.set_build_id(reinterpret_cast<const char*>(data), head->n_descsz);
            }
            note = data + (head->n_descsz + 3) / 4 * 4;
          }
        }
        return 1;  // the first is the program
      },
      &module);
  return module;
}

LoadedProcess Loaded(const Module& module, std::uint64_t pc) {
  std::vector<Definition> definitions(2);
  *definitions[0].mutable_module() = module;
  NativeStack* stack = definitions[1].mutable_native_stack();
  stack->set_id(1);
  stack->set_epoch(1);
  stack->add_pc(pc);
  LoadedProcess loaded;
  TakeDefinitions(definitions, loaded);
  return loaded;
}

TEST_CASE("a native frame is module and offset until it is shown") {
  const LoadedProcess loaded = Loaded(MainModule(), FunctionToBeFound());
  const Frame& frame = loaded.process.native_stacks.at(0).frames.at(0);
  CHECK(frame.function.find("model_test+0x") == 0);
}

TEST_CASE("an address in no module stays a number") {
  const LoadedProcess loaded = Loaded(MainModule(), 16);
  CHECK(loaded.process.native_stacks.at(0).frames.at(0).function == "0x10");
}

TEST_CASE("an address belongs to what was loaded there when its stack was taken") {
  std::vector<Definition> definitions;
  const auto add_module = [&definitions](std::uint32_t epoch, std::uint64_t low, const char* path) {
    Module* module = definitions.emplace_back().mutable_module();
    module->set_epoch(epoch);
    module->set_bias(low);
    module->set_low(low);
    module->set_high(low + 0x1000);
    module->set_path(path);
  };
  const auto add_stack = [&definitions](std::uint32_t id, std::uint32_t epoch, std::uint64_t pc) {
    NativeStack* stack = definitions.emplace_back().mutable_native_stack();
    stack->set_id(id);
    stack->set_epoch(epoch);
    stack->add_pc(pc);
  };
  add_module(1, 0x1000, "/lib/first.so");
  add_stack(1, 1, 0x1901);
  add_module(2, 0x1800, "/lib/second.so");  // the first is gone
  add_stack(2, 2, 0x1901);
  add_module(3, 0x1000, "/lib/first.so");  // and came again
  add_stack(3, 3, 0x1901);
  add_stack(4, 4, 0x1101);  // a table in which nothing was new
  add_stack(5, 0, 0x1901);
  LoadedProcess loaded;
  TakeDefinitions(definitions, loaded);
  std::vector<std::string> functions;
  for (const Stack& stack : loaded.process.native_stacks)
    functions.push_back(stack.frames.at(0).function);
  CHECK(functions == std::vector<std::string>{"first.so+0x900", "second.so+0x100", "first.so+0x900",
                                              "first.so+0x100", "0x1901"});
}

#ifdef ROLLCALL_HAVE_LIBDW
TEST_CASE("a native frame that is shown has its function") {
  Module module = MainModule();
  if (module.build_id().empty()) {
    WARN("the test program has no build id: skipped");
    return;
  }
  LoadedProcess loaded = Loaded(module, FunctionToBeFound());
  SymbolFinder finder;
  CHECK(ResolveNativeFrame(loaded.process, 0, 0, finder).function.find("FunctionToBeFound") !=
        std::string::npos);
  loaded = Loaded(module, FunctionToBeFound());
  loaded.process.module_tables.at(0).at(0).build_id[0] ^= 1;
  CHECK(ResolveNativeFrame(loaded.process, 0, 0, finder).function.find("model_test+0x") == 0);
}
#endif

}  // namespace
}  // namespace rollcall::analyzer

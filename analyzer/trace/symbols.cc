#include "analyzer/trace/symbols.h"

#ifdef ROLLCALL_HAVE_LIBDW

#include <cxxabi.h>
#include <elfutils/libdwfl.h>

#include <cstdlib>
#include <map>

namespace rollcall::analyzer {
namespace {

std::string Demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && plain ? plain.get() : name;
}

struct OpenFile {
  std::unique_ptr<Dwfl, decltype(&dwfl_end)> session{nullptr, &dwfl_end};
  Dwfl_Module* module = nullptr;
  GElf_Addr bias = 0;
};

OpenFile Open(const Dwfl_Callbacks& callbacks, const std::string& path,
              const std::string& build_id) {
  OpenFile file;
  file.session.reset(dwfl_begin(&callbacks));
  if (!file.session || build_id.empty()) return file;
  Dwfl_Module* module = dwfl_report_offline(file.session.get(), path.c_str(), path.c_str(), -1);
  dwfl_report_end(file.session.get(), nullptr, nullptr);
  if (module == nullptr || dwfl_module_getelf(module, &file.bias) == nullptr) return file;
  const unsigned char* bits = nullptr;
  GElf_Addr place = 0;
  const int bytes = dwfl_module_build_id(module, &bits, &place);
  if (bytes > 0 && build_id == std::string(reinterpret_cast<const char*>(bits),
                                           static_cast<std::size_t>(bytes))) {
    file.module = module;
  }
  return file;
}

}  // namespace

struct SymbolFinder::Files {
  explicit Files(const std::string& debug_folder) : folder(debug_folder) {
    if (!folder.empty()) folders = folder.data();
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string folder;
  char* folders = nullptr;  // libdw's own list
  // Local files alone: the standard callbacks would also ask servers of $DEBUGINFOD_URLS.
  const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf, dwfl_build_id_find_debuginfo,
                                    dwfl_offline_section_address, &folders};
  std::map<std::pair<std::string, std::string>, OpenFile> by_path_and_id;
};

SymbolFinder::SymbolFinder(const std::string& debug_folder)
    : files_(std::make_unique<Files>(debug_folder)) {}
SymbolFinder::~SymbolFinder() = default;

std::optional<Symbol> SymbolFinder::Find(const std::string& path, const std::string& build_id,
                                         std::uint64_t address) {
  auto found = files_->by_path_and_id.find({path, build_id});
  if (found == files_->by_path_and_id.end()) {
    found = files_->by_path_and_id
                .emplace(std::pair(path, build_id), Open(files_->callbacks, path, build_id))
                .first;
  }
  const OpenFile& file = found->second;
  if (file.module == nullptr) return std::nullopt;
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  const GElf_Addr at = address + file.bias;
  const char* name =
      dwfl_module_addrinfo(file.module, at, &offset, &symbol, nullptr, nullptr, nullptr);
  // Hidden functions of stripped files would take the name of whatever lies in front of them.
  if (name == nullptr || offset >= symbol.st_size) return std::nullopt;
  Symbol result;
  result.function = Demangled(name);
  if (Dwfl_Line* line = dwfl_module_getsrc(file.module, at); line != nullptr) {
    int number = 0;
    const char* source = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    if (source != nullptr) {
      result.file = source;
      result.line = number;
    }
  }
  return result;
}

}  // namespace rollcall::analyzer

#else

namespace rollcall::analyzer {

struct SymbolFinder::Files {};
SymbolFinder::SymbolFinder(const std::string&) {}
SymbolFinder::~SymbolFinder() = default;
std::optional<Symbol> SymbolFinder::Find(const std::string&, const std::string&, std::uint64_t) {
  return std::nullopt;
}

}  // namespace rollcall::analyzer

#endif

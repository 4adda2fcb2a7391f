#include "interpose/core/life/python_hook_exception.h"

#include <algorithm>
#include <cstring>

#include "interpose/core/recorder.h"
#include "interpose/core/valid_text.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint32_t kMaxFrames = 64;

// A str as bytes: lone surrogates become escapes, so it cannot fail for them.
PythonObject* Encode(const PythonApi& api, PythonObject* text) noexcept {
  return text == nullptr ? nullptr : api.encode(text, "utf-8", "backslashreplace");
}

struct BytesView {
  const char* data = "";
  std::size_t size = 0;
};

BytesView View(const PythonApi& api, const PythonReference& bytes) noexcept {
  char* data = nullptr;
  ssize_t size = 0;
  if (bytes && api.get_bytes(bytes.get(), &data, &size) == 0) {
    return {data, static_cast<std::size_t>(size)};
  }
  api.clear_error();
  return {};
}

class Line {
 public:
  Line(char* text, std::size_t capacity) noexcept : text_(text), capacity_(capacity) {}
  void Append(BytesView view) noexcept {
    size_ += CopyValidText(reinterpret_cast<std::uint8_t*>(text_) + size_, capacity_ - size_,
                           view.data, view.size);
  }
  std::size_t size() const noexcept { return size_; }

 private:
  char* const text_;
  const std::size_t capacity_;
  std::size_t size_ = 0;
};

bool Equals(BytesView view, const char* word) noexcept {
  return view.size == std::strlen(word) && std::memcmp(view.data, word, view.size) == 0;
}

long LongAttribute(const PythonApi& api, PythonObject* object, const char* name) noexcept {
  const PythonReference value(api, api.get_attribute(object, name));
  const long number = value ? api.to_long(value.get()) : 0;
  api.clear_error();
  return number;
}

std::uint32_t DefineCodeObject(const PythonApi& api, PythonObject* code) noexcept {
  const PythonReference file(api, api.get_attribute(code, "co_filename"));
  const PythonReference qualified(api, api.get_attribute(code, "co_qualname"));  // 3.11 and later
  const PythonReference plain(api, api.get_attribute(code, "co_name"));
  const PythonReference table(api, api.get_attribute(code, "co_linetable"));  // 3.10 and later
  // Not asked for where there is the other: reading it warns from 3.12 on.
  const PythonReference old_table(api, table ? nullptr : api.get_attribute(code, "co_lnotab"));
  const PythonReference file_bytes(api, Encode(api, file.get()));
  const PythonReference name_bytes(api, Encode(api, qualified ? qualified.get() : plain.get()));
  const BytesView file_view = View(api, file_bytes);
  const BytesView name_view = View(api, name_bytes);
  const BytesView table_view = View(api, table ? table : old_table);
  return DefineCode(file_view.data, file_view.size, name_view.data, name_view.size,
                    static_cast<std::uint32_t>(LongAttribute(api, code, "co_firstlineno")),
                    table_view.data, table_view.size);
}

struct FrameList {
  std::uint32_t count = 0;
  PythonObject* objects[kMaxFrames] = {};  // alive as long as the traceback is: to define each once
  std::uint32_t codes[kMaxFrames] = {};
  std::int32_t offsets[kMaxFrames] = {};
};

void AppendFrame(const PythonApi& api, PythonObject* entry, FrameList* list) noexcept {
  const PythonReference frame(api, api.get_attribute(entry, "tb_frame"));
  const PythonReference code(api, frame ? api.get_attribute(frame.get(), "f_code") : nullptr);
  if (!code || list->count == kMaxFrames) return;
  const std::uint32_t at = list->count;
  PythonObject** const seen = std::find(list->objects, list->objects + at, code.get());
  list->objects[at] = code.get();
  list->codes[at] = seen == list->objects + at ? DefineCodeObject(api, code.get())
                                               : list->codes[seen - list->objects];
  list->offsets[at] = static_cast<std::int32_t>(LongAttribute(api, entry, "tb_lasti"));
  ++list->count;
}

template <typename Visit>
void ForEachEntry(const PythonApi& api, PythonObject* traceback, Visit visit) noexcept {
  api.increment(traceback);
  for (PythonObject* at = traceback; at != nullptr;) {
    const PythonReference entry(api, at);
    if (at == api.none) return;
    visit(at);
    at = api.get_attribute(at, "tb_next");
  }
  api.clear_error();
}

std::uint32_t CountEntries(const PythonApi& api, PythonObject* traceback) noexcept {
  std::uint32_t entries = 0;
  ForEachEntry(api, traceback, [&](PythonObject*) noexcept { ++entries; });
  return entries;
}

}  // namespace

std::size_t DescribeException(const PythonApi& api, PythonObject* type, PythonObject* value,
                              bool with_text, char* text, std::size_t capacity) noexcept {
  const PythonReference module(api, api.get_attribute(type, "__module__"));
  const PythonReference name(api, api.get_attribute(type, "__qualname__"));
  const PythonReference module_bytes(api, Encode(api, module.get()));
  const PythonReference name_bytes(api, Encode(api, name.get()));
  Line line(text, capacity);
  const BytesView module_view = View(api, module_bytes);
  if (module_view.size != 0 && !Equals(module_view, "builtins") &&
      !Equals(module_view, "__main__")) {
    line.Append(module_view);
    line.Append({".", 1});
  }
  line.Append(View(api, name_bytes));
  if (!with_text || value == nullptr || value == api.none) return line.size();
  const PythonReference words(api, api.text_of(value));
  const PythonReference words_bytes(api, Encode(api, words.get()));
  const BytesView words_view = View(api, words_bytes);
  if (words_view.size != 0) {
    line.Append({": ", 2});
    line.Append(words_view);
  }
  return line.size();
}

std::uint32_t DefineTracebackStack(const PythonApi& api, PythonObject* traceback) noexcept {
  FrameList list;
  // A traceback is linked from the outermost frame inwards; the innermost ones are kept.
  std::uint32_t to_skip = CountEntries(api, traceback);
  const bool truncated = to_skip > kMaxFrames;
  to_skip -= std::min(to_skip, kMaxFrames);
  ForEachEntry(api, traceback, [&](PythonObject* entry) noexcept {
    if (to_skip > 0) {
      --to_skip;
    } else {
      AppendFrame(api, entry, &list);
    }
  });
  std::reverse(list.codes, list.codes + list.count);
  std::reverse(list.offsets, list.offsets + list.count);
  return list.count == 0 ? 0 : DefinePythonStack(list.codes, list.offsets, list.count, truncated);
}

bool IsRaisedIn(const PythonApi& api, PythonObject* traceback, std::uintptr_t code) noexcept {
  std::uintptr_t last = 0;
  ForEachEntry(api, traceback, [&](PythonObject* entry) noexcept {
    const PythonReference frame(api, api.get_attribute(entry, "tb_frame"));
    const PythonReference found(api, frame ? api.get_attribute(frame.get(), "f_code") : nullptr);
    last = reinterpret_cast<std::uintptr_t>(found.get());
  });
  return code != 0 && last == code;
}

}  // namespace rollcall::interpose

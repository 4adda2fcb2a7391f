#include "interpose/core/trace_folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <initializer_list>

#include "interpose/core/header_page.h"
#include "proto/fingerprint.h"

namespace rollcall::interpose {
namespace {

const char* Value(const char* name) noexcept {
  const char* const value = getenv(name);
  return value && *value ? value : nullptr;
}

// A file name may not lead elsewhere.
void CopyAsName(const char* from, char* to, std::size_t capacity) noexcept {
  std::size_t i = 0;
  for (; from[i] && i + 1 < capacity; ++i) {
    const auto byte = static_cast<unsigned char>(from[i]);
    to[i] = isalnum(byte) || byte == '-' || byte == '_' || (byte == '.' && i) ? from[i] : '_';
  }
  to[i] = 0;
}

// What the ranks of one job have in common.
void PutJobName(char* name, std::size_t capacity) noexcept {
  const char* job = Value("TORCHELASTIC_RUN_ID");
  // torchrun's default, which tells no two jobs apart.
  if (job && strcmp(job, "none") == 0) job = nullptr;
  if (!job) job = Value("SLURM_JOB_ID");
  if (job) {
    CopyAsName(job, name, capacity);
    return;
  }
  const char* const address = Value("MASTER_ADDR");
  const char* const port = Value("MASTER_PORT");
  if (!address || !port) {
    snprintf(name, capacity, "default");
    return;
  }
  std::uint64_t digest = RollcallFingerprintMix(0, 0);
  for (const char* text : {address, ":", port})
    for (; *text; ++text)
      digest = RollcallFingerprintMix(digest, static_cast<unsigned char>(*text));
  snprintf(name, capacity, "%016llx", static_cast<unsigned long long>(digest));
}

int MakeFolder(const char* path) noexcept {
  return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

int MakeFolderWithParents(char* path) noexcept {
  for (char* at = path + 1; *at; ++at) {
    if (*at != '/') continue;
    *at = 0;
    mkdir(path, 0700);  // what fails here fails below again
    *at = '/';
  }
  const int error = MakeFolder(path);
  struct stat info;
  if (error) return error;
  if (stat(path, &info) != 0) return errno;
  return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
}

// A folder in a place where others can write: no link, ours, and nobody else's to write.
int MakePrivateFolder(const char* path) noexcept {
  if (const int error = MakeFolder(path)) return error;
  struct stat info;
  if (lstat(path, &info) != 0) return errno;
  if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077)) return EPERM;
  return 0;
}

int MakeAbsolute(char* folder, std::size_t capacity) noexcept {
  if (folder[0] == '/') return 0;
  char relative[1024];
  if (strlen(folder) >= sizeof relative) return ENAMETOOLONG;
  strcpy(relative, folder);
  if (!getcwd(folder, capacity)) return errno;
  const std::size_t bytes = strlen(folder);
  const int added = snprintf(folder + bytes, capacity - bytes, "/%s", relative);
  return added > 0 && static_cast<std::size_t>(added) < capacity - bytes ? 0 : ENAMETOOLONG;
}

}  // namespace

int MakeTraceFolder(const char* setting, char* folder, std::size_t capacity) noexcept {
  if (setting) {
    if (strlen(setting) >= capacity) return ENAMETOOLONG;
    strcpy(folder, setting);
    const int error = MakeAbsolute(folder, capacity);
    return error ? error : MakeFolderWithParents(folder);
  }
  const char* const temporary = Value("TMPDIR");
  const int bytes = snprintf(folder, capacity, "%s/rollcall-%u", temporary ? temporary : "/tmp",
                             static_cast<unsigned>(geteuid()));
  if (bytes < 0 || static_cast<std::size_t>(bytes) + 80 > capacity) return ENAMETOOLONG;
  if (const int error = MakeAbsolute(folder, capacity)) return error;
  if (const int error = MakePrivateFolder(folder)) return error;
  char job[64];
  PutJobName(job, sizeof job);
  const std::size_t parent = strlen(folder);
  snprintf(folder + parent, capacity - parent, "/%s", job);
  return MakePrivateFolder(folder);
}

void PutTraceName(unsigned attempt, char* name, std::size_t capacity) noexcept {
  utsname node;
  if (uname(&node) != 0) strcpy(node.nodename, "unknown");
  char host[128];
  CopyAsName(node.nodename, host, sizeof host);
  char more[16] = "";
  if (attempt) snprintf(more, sizeof more, ".%u", attempt);
  snprintf(name, capacity, "%s.%d.%llu%s.rollcall", host, static_cast<int>(getpid()),
           static_cast<unsigned long long>(ProcessStartTicks()), more);
}

}  // namespace rollcall::interpose

#include "interpose/core/environment.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

#include "interpose/core/recorder.h"

namespace rollcall::interpose {
namespace {

constexpr const char* kNames[] = {"RANK",
                                  "LOCAL_RANK",
                                  "WORLD_SIZE",
                                  "LOCAL_WORLD_SIZE",
                                  "GROUP_RANK",
                                  "ROLE_RANK",
                                  "MASTER_ADDR",
                                  "MASTER_PORT",
                                  "TORCHELASTIC_RUN_ID",
                                  "TORCHELASTIC_RESTART_COUNT",
                                  "TORCHELASTIC_MAX_RESTARTS",
                                  "TORCH_DISTRIBUTED_DEBUG",
                                  "CUDA_VISIBLE_DEVICES",
                                  "CUDA_LAUNCH_BLOCKING",
                                  "OMPI_COMM_WORLD_RANK",
                                  "OMPI_COMM_WORLD_SIZE",
                                  "OMPI_COMM_WORLD_LOCAL_RANK",
                                  "PMI_RANK",
                                  "PMI_SIZE",
                                  "SLURM_PROCID",
                                  "SLURM_NTASKS",
                                  "SLURM_LOCALID",
                                  "SLURM_JOB_ID",
                                  "SLURM_NODEID"};
constexpr const char* kPrefixes[] = {"NCCL_", "GLOO_", "TORCH_NCCL_", "ROLLCALL_"};
constexpr const char* kSecrets[] = {"KEY", "TOKEN", "SECRET", "PASS", "PSK"};

void DefineLink(const char* name, const char* link) noexcept {
  char path[PATH_MAX];
  const ssize_t bytes = readlink(link, path, sizeof path - 1);
  if (bytes <= 0) return;
  path[bytes] = 0;
  DefineSetting(name, path);
}

// The first argument that is no option and is a file. Arguments behind it may hold secrets.
void DefineScript() noexcept {
  char arguments[16384];
  const int descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  const ssize_t bytes = read(descriptor, arguments, sizeof arguments - 1);
  close(descriptor);
  if (bytes <= 0) return;
  arguments[bytes] = 0;
  for (const char* at = arguments + strlen(arguments) + 1; at < arguments + bytes;
       at += strlen(at) + 1) {
    struct stat info;
    if (*at == '-' || *at == 0 || stat(at, &info) != 0 || !S_ISREG(info.st_mode)) continue;
    DefineSetting("script", at);
    return;
  }
}

}  // namespace

bool EnvironmentIsRecorded(const char* name) noexcept {
  for (const char* const secret : kSecrets)
    if (strstr(name, secret)) return false;
  for (const char* const listed : kNames)
    if (strcmp(name, listed) == 0) return true;
  for (const char* const prefix : kPrefixes)
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  return false;
}

void DefineEnvironment() noexcept {
  for (char** entry = environ; entry && *entry; ++entry) {
    const char* const equals = strchr(*entry, '=');
    char name[256];
    const std::size_t bytes = equals ? static_cast<std::size_t>(equals - *entry) : sizeof name;
    if (bytes >= sizeof name - 4) continue;
    snprintf(name, sizeof name, "env.%.*s", static_cast<int>(bytes), *entry);
    if (EnvironmentIsRecorded(name + 4)) DefineSetting(name, equals + 1);
  }
  DefineLink("executable", "/proc/self/exe");
  DefineLink("cwd", "/proc/self/cwd");
  DefineScript();
}

}  // namespace rollcall::interpose

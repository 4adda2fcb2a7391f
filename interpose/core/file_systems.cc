#include "interpose/core/file_systems.h"

#include <sys/statfs.h>

#include <cstdint>

namespace rollcall::interpose {
namespace {

// From linux/magic.h and the file systems' own sources. Network: pages go through a server and may
// fail at a store. Copy-on-write: space that fallocate reserved can be wanting at a store.
constexpr std::uint32_t kUnsafe[] = {
    0x6969,      // nfs
    0x65735546,  // fuse, also sshfs, gcsfuse, s3fs
    0x0bd00bd0,  // lustre
    0x47504653,  // gpfs
    0x19830326,  // beegfs
    0x00c36400,  // ceph
    0xff534d42,  // cifs
    0xfe534d42,  // smb2
    0x517b,      // smb
    0x01021997,  // 9p
    0x5346414f,  // afs
    0x564c,      // ncp
    0x73757245,  // coda
    0x9123683e,  // btrfs
    0xca451a4e,  // bcachefs
    0x2fc12fc1,  // zfs
    0xaad7aaea,  // panfs
    0x7461636f,  // ocfs2
    0x01161970,  // gfs2
    0x786f4256,  // vboxsf
    0xbacbacbc,  // vmware hgfs
};
constexpr std::uint32_t kTmpfs = 0x01021994;
constexpr std::uint32_t kRamfs = 0x858458f6;

}  // namespace

FileSystemTraits TraitsOfFolder(const char* folder) noexcept {
  struct statfs info;
  if (statfs(folder, &info) != 0) return {true, false};
  const auto type = static_cast<std::uint32_t>(info.f_type);
  FileSystemTraits traits = {true, type == kTmpfs || type == kRamfs};
  for (const std::uint32_t unsafe : kUnsafe)
    if (type == unsafe) traits.maps_safely = false;
  return traits;
}

}  // namespace rollcall::interpose

#!/usr/bin/env bash
# Runs the python3 of a root folder (tools/lib/roots.sh makes them): for versions of PyTorch that another Debian release has.
#
#   python_in_root.sh ROOT [ARGUMENT...]
#
# /tmp, /proc, /dev, and this repository with its build folders, are in it at the same paths. Needs root, or user namespaces. The mounts
# end with the process. What is preloaded is preloaded into Python, not into what starts it.
set -euo pipefail
root=$(realpath "$1")
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
shift
namespaces=(--mount --propagation private)
[ "$(id -u)" = 0 ] || namespaces+=(--map-root-user)
preload=${LD_PRELOAD-}
unset LD_PRELOAD
# shellcheck disable=SC2016  # for the inner shell
exec unshare "${namespaces[@]}" bash -c '
  set -euo pipefail
  root=$1 repository=$2 preload=$3
  shift 3
  for path in /proc /dev /tmp "$repository"; do
    mkdir -p "$root$path"
    mount --rbind "$path" "$root$path"
  done
  libraries=/usr/lib/$(uname -m)-linux-gnu
  # An unpacked root has no alternatives, so no libblas on the default path.
  exec chroot "$root" /usr/bin/env ${preload:+LD_PRELOAD="$preload"} HOME=/ LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    LD_LIBRARY_PATH="$libraries/blas:$libraries/lapack" python3 "$@"
' _ "$root" "$repository" "$preload" "$@"

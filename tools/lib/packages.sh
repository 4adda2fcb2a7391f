# Sourced by tools/demo and tools/test: installs Debian packages that are missing, and nothing else.

build_packages=(cmake ninja-build g++ pkg-config protobuf-compiler libprotobuf-dev libabsl-dev libboost-dev libprotozero-dev
  libcli11-dev libdw-dev)
test_packages=(catch2 libbenchmark-dev libgloo-dev python3 binutils)

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "need root to install packages: run as root, or install sudo"
  fi
}

# The lists are fetched at most once a run, and only when something is missing.
lists_are_fresh=
apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  if [ -z "$lists_are_fresh" ]; then
    quietly "$build_root/apt-update.log" as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
    lists_are_fresh=yes
  fi
  quietly "$build_root/apt-install.log" as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "$@"
}

# need PACKAGE...: afterwards they are installed.
need() {
  local package missing=()
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    fail "this is no Debian or Ubuntu; install the equivalents of these yourself and build with cmake: $*"
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} = 0 ]; then
    step "packages: all there"
    return
  fi
  step "packages: installing ${missing[*]}"
  apt_install "${missing[@]}"
}

# The mirror that this Debian is set up with; nothing where it cannot be told.
debian_mirror() { sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1; }

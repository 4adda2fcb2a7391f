# Sourced by tools/test --full: CPythons that this machine's release does not have, unpacked under build/interpreters/ and installed
# nowhere: nothing of them is run but the interpreters, by their own loader.

# suite:packages:interpreters
suite_interpreters=("trixie:python3.13:python3.13" "sid:python3.14,python3.14-dbg,python3.15:python3.14,python3.14d,python3.15")

# suite_apt SUITE COMMAND...: apt with lists and packages of that suite alone.
suite_apt() {
  local folder=$build_root/interpreters/$1 mirror
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || return 1
  mkdir -p "$folder"/{state/lists/partial,cache/archives/partial}
  : >"$folder/status"
  printf "$2 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s $1 main\n" "$mirror" \
    >"$folder/sources.list"
  # The mirror may be a frozen one, whose lists count as expired.
  set -- "$folder" "${@:3}"
  timeout 900 apt-get -q -o Dir::Etc::sourcelist="$1/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State="$1/state" \
    -o Dir::State::status="$1/status" -o Dir::Cache="$1/cache" -o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false "${@:2}"
}

unpack_suite() {
  local suite=$1 packages=$2 root=$build_root/interpreters/$1/root archive
  suite_apt "$suite" deb update && suite_apt "$suite" deb -y -d --no-install-recommends install ${packages//,/ } || return 1
  rm -rf "$root" && mkdir -p "$root" || return 1
  for archive in "$build_root/interpreters/$suite"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$root" --keep-directory-symlink || return 1
  done
}

# The only free-threaded one that Debian's packages lead to: its sources, built without the GIL.
build_free_threaded() {
  local folder=$build_root/interpreters/free-threaded
  suite_apt trixie deb-src update && mkdir -p "$folder/source" && cd "$folder" || return 1
  (cd "$folder" && suite_apt trixie deb-src --download-only source python3.13) || return 1
  tar -x -C "$folder/source" --strip-components=1 -f "$(find "$folder" -maxdepth 1 -name 'python3.13_*.orig.tar.*' ! -name '*.asc')" || return 1
  (cd "$folder/source" && ./configure -q --disable-gil --disable-test-modules --without-ensurepip --prefix="$folder/installed" CFLAGS=-O1 &&
    make -s -j"$(nproc)" && make -s install) || return 1
}

# Sets `interpreters`: paths of what could be had; says loudly what could not.
find_interpreters() {
  local entry suite packages names name root log folder=$build_root/interpreters
  interpreters=()
  mkdir -p "$folder"
  for entry in "${suite_interpreters[@]}"; do
    IFS=: read -r suite packages names <<<"$entry"
    root=$folder/$suite/root log=$folder/$suite.log
    if [ ! -e "$root/.complete" ]; then
      step "$suite: unpacking ${packages//,/ } into build/interpreters (a minute)"
      if ! unpack_suite "$suite" "$packages" >"$log" 2>&1; then
        step "SKIPPED: stacks of ${names//,/ }: the packages cannot be had; see $log"
        continue
      fi
      touch "$root/.complete"
    fi
    for name in ${names//,/ }; do
      printf '#!/bin/sh\nr=%s\nexec env PYTHONHOME="$r/usr" "$r"/usr/lib/*/ld-linux-*.so.? --argv0 "$0" --library-path "$(echo "$r"/usr/lib/*-linux-gnu):%s" "$r/usr/bin/%s" "$@"\n' \
        "$root" "$(echo /usr/lib/*-linux-gnu)" "$name" >"$folder/$name"
      chmod +x "$folder/$name"
      interpreters+=("$folder/$name")
    done
  done
  name=$folder/free-threaded/installed/bin/python3.13t
  if [ ! -x "$name" ]; then
    step "free-threaded: building CPython 3.13 from Debian's sources in build/interpreters (five minutes)"
    (build_free_threaded) >"$folder/free-threaded.log" 2>&1 || step "SKIPPED: stacks of a free-threaded CPython; see $folder/free-threaded.log"
  fi
  [ ! -x "$name" ] || interpreters+=("$name")
  step "interpreters: ${interpreters[*]-none}"
}

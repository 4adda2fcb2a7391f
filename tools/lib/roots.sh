# Sourced by tools/test --full: PyTorch of other Debian releases, each in a root folder under build/.

root_suites=(trixie sid)

# Sets `root_pythons`: a program that is the Python of the root, for each root that could be made; says loudly which could not.
make_torch_roots() {
  local suite root log python mirror
  root_pythons=()
  if [ "$(id -u)" != 0 ]; then
    step "SKIPPED: the tests on PyTorch of other Debian releases: making and entering a root folder needs root"
    return
  fi
  need mmdebstrap util-linux
  mirror=$(debian_mirror)
  for suite in "${root_suites[@]}"; do
    root=$build_root/roots/$suite log=$build_root/roots/$suite.log python=$build_root/roots/$suite.python
    mkdir -p "$build_root/roots"
    if [ ! -e "$root/.complete" ]; then
      step "$suite: unpacking python3-torch into build/roots/$suite (a minute or three, 1.3 GB)"
      rm -rf "$root"
      # The mirror may be a frozen one, whose lists count as expired.
      if ! mmdebstrap --variant=extract --include=python3-torch,python3-numpy,bash,coreutils \
        --aptopt='Acquire::Check-Valid-Until "false"' "$suite" "$root" ${mirror:+"$mirror"} >"$log" 2>&1; then
        step "SKIPPED: the tests on PyTorch of Debian $suite: its packages cannot be had; see $log"
        rm -rf "$root"
        continue
      fi
      touch "$root/.complete"
    fi
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$source_root/tests/e2e/python_in_root.sh" "$root" >"$python"
    chmod +x "$python"
    if ! "$python" -c 'import torch' 2>>"$log"; then
      step "SKIPPED: the tests on PyTorch of Debian $suite: it does not import there; see $log"
      continue
    fi
    step "$suite: torch $("$python" -c 'import sys, torch; print(torch.__version__, "on Python", sys.version.split()[0])' 2>/dev/null)"
    root_pythons+=("$python")
  done
}

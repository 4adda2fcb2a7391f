# Sourced by tools/test: PyTorch as its users have it, a wheel in a virtual environment under build/.

wheel_version=2.13.0

# Sets `wheel_python`, or leaves it empty and says so loudly when no package index is reachable.
make_wheel_venv() {
  local venv=$build_root/wheel-venv log=$build_root/wheel-venv.log wanted
  wheel_python=
  if [ ! -e "$venv/.complete" ]; then
    need python3-venv
    step "wheel: installing torch $wheel_version into build/wheel-venv (minutes the first time)"
    rm -rf "$venv"
    quietly "$log" /usr/bin/python3 -m venv "$venv"
    # numpy: object collectives need it. The CPU build where the index has it: a tenth of the size.
    for wanted in "torch==$wheel_version+cpu" "torch==$wheel_version"; do
      if timeout 1200 "$venv/bin/pip" install -q --retries 1 "$wanted" numpy >>"$log" 2>&1; then
        touch "$venv/.complete"
        break
      fi
    done
    if [ ! -e "$venv/.complete" ]; then
      step "SKIPPED: the tests on the wheel of torch $wheel_version: pip could not install it (no package index reachable?); see $log"
      return
    fi
  fi
  wheel_python=$venv/bin/python
  step "wheel: torch $("$wheel_python" -c 'import torch; print(torch.__version__)' 2>/dev/null) in $wheel_python"
}

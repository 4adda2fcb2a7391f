# Sourced by tools/demo and tools/test: a Python that has PyTorch with Gloo.

has_gloo() {
  "$1" -c 'import torch.distributed as d, sys; sys.exit(not (d.is_available() and d.is_gloo_available()))' 2>/dev/null ||
    "$1" -c 'import sys, torch.distributed as d; sys.exit(not (d.is_available() and hasattr(d, "ProcessGroupGloo")))' 2>/dev/null
}

# A look that does not import torch, which takes seconds.
has_torch() { "$1" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)' 2>/dev/null; }

# Sets `python`: PYTHON, an active virtual environment, python3 in PATH, the system's; else Debian's python3-torch is installed.
find_torch_python() {
  if [ -n "${PYTHON:-}" ]; then
    python=$(command -v "$PYTHON") || fail "PYTHON=$PYTHON is no program"
    has_torch "$python" || fail "PYTHON=$PYTHON has no torch module"
  elif [ -n "${VIRTUAL_ENV:-}" ] && has_torch "$VIRTUAL_ENV/bin/python"; then
    python=$VIRTUAL_ENV/bin/python
  elif command -v python3 >/dev/null && has_torch python3; then
    python=$(command -v python3)
  else
    [ -x /usr/bin/python3 ] && has_torch /usr/bin/python3 || need python3-torch
    python=/usr/bin/python3
  fi
  has_gloo "$python" || fail "the torch of $python does not import, or was built without Gloo: $("$python" -c 'import torch.distributed' 2>&1 | tail -n 1)"
  step "PyTorch $("$python" -c 'import torch; print(torch.__version__)' 2>/dev/null) in $python"
}

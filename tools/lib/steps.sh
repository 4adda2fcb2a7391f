# Sourced by tools/demo and tools/test: progress lines and errors.

# Everything slow says so before it starts.
step() { printf '== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# quietly LOG COMMAND...: output goes to LOG, whose end is shown when the command fails.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    fail "'$*' failed; its whole output: $log"
  fi
}

# Seconds since this shell started, for "part: N s" lines.
seconds_since() { echo $((SECONDS - $1)); }

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
    # The first error may stand far above the end: other compilations go on.
    grep -n -m 10 -E 'error:|Error|FAILED' "$log" >&2 || true
    tail -n 20 "$log" >&2
    fail "'$*' failed; its whole output: $log"
  fi
}

# minutes_since START: "2.5 min" since SECONDS was START.
minutes_since() {
  local tenths=$(((SECONDS - $1 + 3) / 6))
  printf '%d.%d min' $((tenths / 10)) $((tenths % 10))
}

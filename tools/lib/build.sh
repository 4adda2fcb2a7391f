# Sourced by tools/demo and tools/test: configures and builds a preset of CMakePresets.json under build/.

use_ccache() {
  if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
}

# build_preset PRESET "TARGET..." [CMAKE ARGUMENT...]
build_preset() {
  local preset=$1 started=$SECONDS targets
  read -ra targets <<<"$2"
  shift 2
  use_ccache
  step "$preset: configuring build/$preset"
  quietly "$build_root/$preset.configure.log" cmake --preset "$preset" -S "$source_root" "$@"
  grep -- '-- Rollcall: ' "$build_root/$preset.configure.log" || true
  step "$preset: building ${targets[*]} (minutes the first time)"
  quietly "$build_root/$preset.build.log" cmake --build "$build_root/$preset" --target "${targets[@]}"
  step "$preset: built in $(minutes_since "$started")"
}

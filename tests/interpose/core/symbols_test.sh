#!/bin/sh
# What librollcall.so needs of the process it is loaded into: libc and libgcc_s, nothing newer than glibc
# 2.34, nothing of libstdc++, and no code that runs at load.
# Usage: symbols_test.sh LIBRARY
set -eu
library=$1
failed=0
complain() {
  echo "$*" >&2
  failed=1
}

for needed in $(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
  case $needed in
    libc.so.6 | libgcc_s.so.1) ;;
    *) complain "needs $needed" ;;
  esac
done

for symbol in $(nm -D --undefined-only "$library" | awk '$1 == "U" { print $2 }'); do
  case $symbol in
    *@GCC_*) ;;
    # What glibc 2.38 and later bind strtol to: such a build serves its own system; a release is built on an older one.
    __isoc23_*@GLIBC_2.38) ;;
    *@GLIBC_*)
      newest=$(printf '%s\n' "${symbol#*@GLIBC_}" 2.34 | sort -V | tail -n 1)
      [ "$newest" = 2.34 ] || complain "$symbol is newer than glibc 2.34"
      ;;
    *) complain "$symbol is of no known library" ;;
  esac
done

# One pointer is the compiler's own frame_dummy.
size=$(readelf -d "$library" | sed -n 's/.*(INIT_ARRAYSZ) *\([0-9]*\).*/\1/p')
[ "${size:-0}" -le 8 ] || complain "$((size / 8 - 1)) static constructors"
[ "$failed" = 0 ] && echo "$library needs nothing that a guest may not need"
exit "$failed"

#!/usr/bin/env bash
# demo_test.sh SOURCE_ROOT ROLLCALL PYTHON FOLDER: the demonstration names rank 2, and the README shows that report. Exit status 77: PYTHON has no torch.
set -euo pipefail
root=$1 rollcall=$2 python=$3 folder=$4
. "$root/tools/lib/python.sh"
if ! has_torch "$python"; then
  echo "SKIPPED: $python has no torch"
  exit 77
fi
"$root/tools/demo.d/show" "$rollcall" "$python" "$folder"
first=$(head -n 1 "$folder/report.txt")
for readme in README.md README.zh-CN.md; do
  grep -qF -- "$first" "$root/$readme" || { echo "$readme does not show: $first" >&2; exit 1; }
done

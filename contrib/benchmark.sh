#!/usr/bin/env bash
# Builds and runs the benchmarks and prints the table of goals and measurements (doc/benchmarks.md
# explains it). Takes about a quarter of an hour; use a machine that has nothing else to do.
#
# Usage: contrib/benchmark.sh [--quick] [--output DIR] [--page FILE]
#        --quick        no case that takes longer than a minute
#        --output DIR   for benchmark.json and benchmark.md (default: output/benchmark)
#        --page FILE    also put the table into FILE, between its two marks
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
export KICKDRIFT_BUILD_DIR="${KICKDRIFT_BUILD_DIR:-$source_dir/build-benchmark}"

"$source_dir/contrib/setup.sh" libbenchmark-dev libboost-dev
generator=()
[[ -e "$KICKDRIFT_BUILD_DIR/CMakeCache.txt" ]] || generator=(-G Ninja)
cmake "${generator[@]}" -S "$source_dir" -B "$KICKDRIFT_BUILD_DIR" -DCMAKE_BUILD_TYPE=Release \
  -DKICKDRIFT_BENCHMARKS=ON >/dev/null
"$source_dir/contrib/build.sh" kickdrift
"$source_dir/contrib/build.sh" tests/benchmarks/all
exec python3 "$source_dir/contrib/benchmark.py" --build "$KICKDRIFT_BUILD_DIR" "$@"

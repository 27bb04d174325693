#!/usr/bin/env bash
# Builds and runs tests with the sanitizers of addresses and undefined behaviour, in the Debug flavour, in
# which deal.II checks its indices: the unit tests that know no meshes, and damaged input of all kinds.
#
# Usage: contrib/sanitize.sh
# Environment: KICKDRIFT_BUILD_DIR      another folder to build in than build-address/
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build_dir="${KICKDRIFT_BUILD_DIR:-$source_dir/build-address}"

"$source_dir/contrib/setup.sh"
# deal.II's libraries keep memory until the end of the program; sse2: the kernels with checks
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 KICKDRIFT_ISA=sse2

cmake -G Ninja -S "$source_dir" -B "$build_dir" -DCMAKE_BUILD_TYPE=Debug -DKICKDRIFT_SANITIZE=address \
  -DCMAKE_UNITY_BUILD=ON
cmake --build "$build_dir" --target core_unit_tests --target tests/fuzz/all
for folder in fuzz unit; do
  ctest --test-dir "$build_dir/tests/$folder" -LE slow -E '^(deal_ii|meshes|cases)_' -j2 \
    --output-on-failure --no-tests=error --timeout 1500
done

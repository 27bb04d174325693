#!/usr/bin/env bash
# Sets up, configures and builds KickDrift in the folder build/ of the source tree (Release).
#
# Usage: contrib/build.sh [target]      default: everything, tests included
# Environment: KICKDRIFT_BUILD_DIR      another folder to build in
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build_dir="${KICKDRIFT_BUILD_DIR:-$source_dir/build}"

"$source_dir/contrib/setup.sh"

generator=()
[[ -e "$build_dir/CMakeCache.txt" ]] || generator=(-G Ninja)
mkdir -p "$build_dir"
if ! cmake "${generator[@]}" -S "$source_dir" -B "$build_dir" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_UNITY_BUILD=ON \
  >"$build_dir/configure.log" 2>&1; then
  cat "$build_dir/configure.log" >&2
  exit 1
fi

# A file that includes much of deal.II takes more than one GB to compile.
jobs="$(nproc)"
memory="$(awk '/MemAvailable/ { print int($2 / 1.5e6) }' /proc/meminfo)"
[[ "$memory" -ge "$jobs" ]] || jobs="$((memory > 1 ? memory : 1))"

cmake --build "$build_dir" --target "${1:-all}" --parallel "$jobs"

#!/usr/bin/env bash
# Sets up, builds and runs the tests; with --all also those that take long (label slow).
#
# Usage: contrib/test.sh [--all] [options of ctest, e.g. -R contact]
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build_dir="${KICKDRIFT_BUILD_DIR:-$source_dir/build}"

selection=(-LE slow)
if [[ "${1:-}" == "--all" ]]; then
  selection=()
  shift
fi

"$source_dir/contrib/build.sh"
exec ctest --test-dir "$build_dir" -j2 --output-on-failure --no-tests=error "${selection[@]}" "$@"

#!/usr/bin/env bash
# Sets up, builds and runs the tests; with --quick those of a few minutes (label quick), with --all also
# those that take long (label slow).
#
# Usage: contrib/test.sh [--quick|--all] [options of ctest, e.g. -R contact]
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build_dir="${KICKDRIFT_BUILD_DIR:-$source_dir/build}"

selection=(-LE slow)
case "${1:-}" in
  --quick) selection=(-L quick) && shift ;;
  --all) selection=() && shift ;;
esac

"$source_dir/contrib/build.sh"
exec ctest --test-dir "$build_dir" -j2 --output-on-failure --no-tests=error "${selection[@]}" "$@"

#!/usr/bin/env bash
# Sets up, builds and runs the program, then plots the histories it wrote.
#
# Usage: contrib/run.sh [CASE.prm] [options of the program]
#        default: prm/two_elastic_bars.prm of the source tree
#        results go to output/NAME in the current folder unless --output says otherwise
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build_dir="${KICKDRIFT_BUILD_DIR:-$source_dir/build}"

[[ $# -gt 0 ]] || set -- "$source_dir/prm/two_elastic_bars.prm"

# The parameter file may be given first or after options, its results in --output DIR, --output=DIR.
output=""
name=""
previous=""
for argument in "$@"; do
  case "$previous $argument" in
    *" --output="*) output="${argument#--output=}" ;;
    "--output "*) output="$argument" ;;
    "--set "*) ;;
    *.prm) name="$(basename "$argument" .prm)" ;;
  esac
  previous="$argument"
done
if [[ -z "$output" && -n "$name" ]]; then
  output="output/$name"
  set -- "$@" --output "$output"
fi

"$source_dir/contrib/build.sh" kickdrift

start="$(mktemp)"
trap 'rm -f "$start"' EXIT
status=0
"$build_dir/kickdrift" "$@" || status=$?

# Plot what this run has written, also if it stopped early.
if [[ "$output/statistics.csv" -nt "$start" ]]; then
  # Debian's matplotlib belongs to Debian's Python, which need not be the first one in PATH.
  python=python3
  "$python" -c 'import matplotlib' 2>/dev/null || python=/usr/bin/python3
  if ! "$python" -c 'import matplotlib' 2>/dev/null; then
    echo "No plots: matplotlib is missing (Debian package python3-matplotlib)."
  elif "$python" "$source_dir/contrib/plot.py" "$output"; then
    echo "Results and plots are in $output"
  else
    echo "The results are in $output, but contrib/plot.py could not plot them." >&2
  fi
fi
exit "$status"

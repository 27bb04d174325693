#!/usr/bin/env bash
# Sets up, builds and runs the program, then plots the histories it wrote.
#
# Usage: contrib/run.sh [CASE.prm] [options of the program]
#        default: prm/two_elastic_bars.prm of the source tree
#        meshes that are missing are made from the geometry beside them, by Gmsh, which is installed
#        results go to output/NAME in the current folder unless --output says otherwise; to
#        output/NAME_2, output/NAME_3, ... if earlier runs are there, so that nothing is lost
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build_dir="${KICKDRIFT_BUILD_DIR:-$source_dir/build}"

[[ $# -gt 0 ]] || set -- "$source_dir/prm/two_elastic_bars.prm"

# The parameter file may be given first or after options, its results in --output DIR, --output=DIR.
output=""
name=""
case_file=""
keeps_folder=false # is an earlier run continued or replaced?
previous=""
for argument in "$@"; do
  case "$previous $argument" in
    *" --output="*) output="${argument#--output=}" ;;
    "--output "*) output="$argument" ;;
    "--set "*) ;;
    *" --resume" | *" --overwrite") keeps_folder=true ;;
    *.prm) case_file="$argument" name="$(basename "$argument" .prm)" ;;
  esac
  previous="$argument"
done
if [[ -z "$output" && -n "$name" ]]; then
  output="output/$name"
  number=1
  while ! $keeps_folder &&
    [[ -e "$output/statistics.csv" || -e "$output/parameters.prm" || -e "$output/comparison.json" ]]; do
    output="output/${name}_$((++number))"
  done
  set -- "$@" --output "$output"
fi

"$source_dir/contrib/build.sh" kickdrift

# Meshes that are too large to be kept are made from their geometry, where the case or an option names
# them: relative to the case, or to where the option is typed.
make_mesh() {
  [[ ! -e "$1.msh" && -e "$1.geo" ]] || return 0
  local dimension
  dimension="$(sed -n 's/^ *set Dimension *= *\([23]\).*/\1/p' "$case_file")"
  "$source_dir/contrib/setup.sh" gmsh
  gmsh "-${dimension:-3}" "$1.geo" -o "$1.msh" -v 2
}
if [[ -f "$case_file" ]]; then
  for argument in "$@"; do
    case "$argument" in
      Bodies/*/Mesh/File=*.msh) file="${argument#*=}" && make_mesh "${file%.msh}" ;;
    esac
  done
  sed -n 's/^ *set File *= *\(.*\)\.msh *$/\1/p' "$case_file" | while read -r mesh; do
    [[ "$mesh" == /* ]] || mesh="$(dirname "$case_file")/$mesh"
    make_mesh "$mesh" < /dev/null
  done
fi

start="$(mktemp)"
trap 'rm -f "$start"' EXIT
status=0
"$build_dir/kickdrift" "$@" || status=$?

# Plot what this run has written, also if it stopped early.
if [[ "$output/statistics.csv" -nt "$start" ]]; then
  if python3 "$source_dir/contrib/plot.py" "$output"; then
    echo "Results and plots are in $output"
  else
    echo "The results are in $output, but contrib/plot.py could not plot them." >&2
  fi
fi
exit "$status"

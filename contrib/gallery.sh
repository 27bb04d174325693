#!/usr/bin/env bash
# Runs cases and renders the start and the end of each into doc/images, for doc/gallery.md.
#
# Usage: contrib/gallery.sh [CASE ...]     default: all of them; names as in prm/, without .prm
# Needs Python's matplotlib. Takes about ten minutes, most of them for block_assembly.
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build_dir="${KICKDRIFT_BUILD_DIR:-$source_dir/build}"
work_dir="$(mktemp -d)"
trap 'rm -rf "$work_dir"' EXIT

[[ $# -gt 0 ]] || set -- sliding_block rolling_block inclined_block block_assembly hertz_sphere \
  newtons_cradle skew_supports five_cubes seventy_six_cubes

"$source_dir/contrib/build.sh" kickdrift

for name in "$@"; do
  # what to colour by, from where to look, what to set
  view=(--field velocity)
  settings=(--set "Output/VTU every=1")
  case "$name" in
    inclined_block) view+=(--elevation 90 --azimuth -90) ;;
    hertz_sphere) view+=(--elevation 5 --azimuth -70) settings+=(--set "Output/Save intervals=4") ;;
    newtons_cradle) view+=(--elevation 20 --azimuth -75) settings+=(--set "Output/Save intervals=10") ;;
    block_assembly) view+=(--elevation 25 --azimuth -120) settings+=(--set "Output/Save intervals=20") ;;
    five_cubes | seventy_six_cubes) view+=(--azimuth -70 --elevation 15) settings+=(--set "Output/Save intervals=4") ;;
    rolling_block | sliding_block) view+=(--azimuth -70 --elevation 15) ;;
  esac
  "$build_dir/kickdrift" "$source_dir/prm/$name.prm" --quiet --output "$work_dir/$name" "${settings[@]}"
  frames=("$work_dir/$name"/solution/solution_*.vtu)
  for moment in start end; do
    [[ "$moment" == start ]] && frame="${frames[0]}" || frame="${frames[-1]}"
    "$source_dir/contrib/render.py" "$frame" "${view[@]}" --size 6 4 --dpi 80 \
      --output "$source_dir/doc/images/${name}_$moment.png"
  done
done

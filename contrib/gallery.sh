#!/usr/bin/env bash
# Runs cases and renders the start and the end of each into doc/images, for doc/gallery.md; of those
# from practice also an animation.
#
# Usage: contrib/gallery.sh [CASE ...]     default: all of them; names as in prm/, without .prm
# Needs Python's matplotlib and Gmsh. Takes about a quarter of an hour.
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build_dir="${KICKDRIFT_BUILD_DIR:-$source_dir/build}"
work_dir="$(mktemp -d)"
trap 'rm -rf "$work_dir"' EXIT

[[ $# -gt 0 ]] || set -- sliding_block rolling_block inclined_block block_assembly hertz_sphere \
  newtons_cradle skew_supports five_cubes seventy_six_cubes drop_test ball_on_plate rubber_mount \
  rack_and_pinion rolled_plate tumbling_sphere spherical_shells sphere_and_plate crushed_sphere \
  compactor draping knot sphere_and_wedge taylor_bar torn_plate bent_strip perforated_plate discs_in_a_box tied_blocks \
  spherical_shells_impulses

"$source_dir/contrib/build.sh" kickdrift
if [[ " $* " == *" rack_and_pinion "* ]]; then
  "$source_dir/contrib/setup.sh" gmsh
  for part in pinion rack; do
    gmsh -2 "$source_dir/prm/$part.geo" -o "$source_dir/prm/$part.msh" -v 2
  done
fi

for name in "$@"; do
  # what to colour by, from where to look, what to set
  view=(--field velocity)
  settings=(--set "Output/VTU every=1")
  animation=()
  case "$name" in
    inclined_block) view+=(--elevation 90 --azimuth -90) ;;
    hertz_sphere) view+=(--elevation 5 --azimuth -70) settings+=(--set "Output/Save intervals=4") ;;
    newtons_cradle) view+=(--elevation 20 --azimuth -75) settings+=(--set "Output/Save intervals=10") ;;
    block_assembly) view+=(--elevation 25 --azimuth -120) settings+=(--set "Output/Save intervals=20") ;;
    five_cubes | seventy_six_cubes) view+=(--azimuth -70 --elevation 15) settings+=(--set "Output/Save intervals=4") ;;
    drop_test)
      view+=(--azimuth -60 --elevation 15 --limits 0 12000)
      settings+=(--set "Stepping/End time=1.8e-3" --set "Output/Save intervals=45") animation=(--rate 10) ;;
    ball_on_plate)
      view+=(--elevation 35 --edges 0.1 --limits 0 100 --window -172 172 -106 99)
      settings+=(--set "Output/VTU every=4") animation=(--rate 8) ;;
    rubber_mount)
      view+=(--field displacement_z --limits -8 2 --elevation 12 --azimuth -65 --edges 0.2
        --window -35 35 -6 80)
      settings+=(--set "Output/VTU every=8") animation=(--rate 8) ;;
    rack_and_pinion)
      view+=(--field von_mises --limits 0 25 --edges 0.05 --window -14 14 -26 -12)
      settings+=(--set "Output/VTU every=6") animation=(--rate 10) ;;
    taylor_bar) view+=(--field equivalent_plastic_strain --elevation 15 --azimuth -60) ;;
    torn_plate)
      view+=(--field equivalent_plastic_strain --edges 0.2) settings+=(--set "Stepping/End time=22" --set "Output/Save intervals=2") ;;
    bent_strip) view+=(--field equivalent_plastic_strain --edges 0.2 --window -52 52 -20 20) settings+=(--set "Output/Save intervals=2") ;;
    perforated_plate) view+=(--field equivalent_plastic_strain --elevation -25 --azimuth -60 --edges 0.2) settings+=(--set "Output/Save intervals=4") ;;
    discs_in_a_box) settings+=(--set "Constants=n = 10, a = 0.1, r = 0.02, V = 10, c = 500, g = 0, e = 1, T = 0.05") ;;
    rolled_plate) view+=(--field moment_xx --elevation 15) settings+=(--set "Stepping/End time=55") ;;
    tied_blocks) view+=(--elevation 25 --azimuth -65 --edges 0.2) settings+=(--set "Stepping/End time=1") ;;
    spherical_shells | spherical_shells_impulses)
      view+=(--azimuth -80 --elevation 15 --edges 0.2) settings+=(--set "Stepping/End time=0.011" --set "Output/Save intervals=11") ;;
    sphere_and_plate | crushed_sphere) view+=(--elevation 15 --edges 0.2) settings+=(--set "Output/Save intervals=20") ;;
    knot) view+=(--field von_mises --elevation 60 --edges 0.2) settings+=(--set "Output/VTU every=3") ;;
    sphere_and_wedge)
      view+=(--elevation 12 --azimuth -70 --edges 0.2) settings+=(--set "Stepping/End time=0.027" --set "Output/Save intervals=27") ;;
    compactor) view+=(--field von_mises --edges 0.2) ;;
    draping) view+=(--edges 0.2) ;;
    rolling_block | sliding_block) view+=(--azimuth -70 --elevation 15) ;;
  esac
  "$build_dir/kickdrift" "$source_dir/prm/$name.prm" --quiet --output "$work_dir/$name" "${settings[@]}"
  frames=("$work_dir/$name"/solution/solution_*.vtu)
  for moment in start end; do
    [[ "$moment" == start ]] && frame="${frames[0]}" || frame="${frames[-1]}"
    number="${frame##*/solution_}" # shells beside solids have a file of their own
    "$source_dir/contrib/render.py" "$work_dir/$name/solution/solution_${number:0:6}"*.vtu "${view[@]}" --size 6 4 --dpi 80 \
      --output "$source_dir/doc/images/${name}_$moment.png"
  done
  [[ ${#animation[@]} -eq 0 ]] ||
    "$source_dir/contrib/animate.py" "$work_dir/$name" "${view[@]}" --size 6 4 --dpi 80 "${animation[@]}" \
      --output "$source_dir/doc/images/$name.webp"
done

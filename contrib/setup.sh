#!/usr/bin/env bash
# Installs the Debian packages that KickDrift needs and that are missing; does nothing if none is.
#
# Usage: contrib/setup.sh [further Debian packages, e.g. clang-format]
set -euo pipefail

# make: for projects that use the library, and go by what the documentation says
required=(libdeal.ii-dev cmake g++ make ninja-build libgtest-dev nlohmann-json3-dev python3 "$@")
optional=(python3-matplotlib qemu-user) # plots, a test on old processors

say() { echo "setup: $*"; }

# missing PACKAGE...: those that are not completely installed, one per line
missing() {
  local package
  for package in "$@"; do
    [[ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" == "install ok installed" ]] ||
      echo "$package"
  done
}

as_root() {
  if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

log="$(mktemp)"
trap 'rm -f "$log"' EXIT

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" >>"$log" 2>&1 </dev/null
}

# install PACKAGE...: quietly, since an installation prints hundreds of lines
install() {
  apt_get install -y --no-install-recommends "$@"
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "this is not a Debian system; please see to it that these are installed: ${required[*]}" >&2
  exit 0
fi

# missing_optional: besides the optional ones mold, where it takes other linkers minutes to link a program
# with all that Debian's deal.II depends on, see contrib/cmake/linker.cmake
missing_optional() {
  local linker=() version
  version="$(dpkg-query -W -f='${Version}' libdeal.ii-dev 2>/dev/null || true)"
  ! dpkg --compare-versions "${version:-0}" ge 9.6 || linker=(mold)
  missing "${optional[@]}" "${linker[@]}"
}

mapfile -t needed < <(missing "${required[@]}")
mapfile -t wanted < <(missing_optional)
[[ $((${#needed[@]} + ${#wanted[@]})) -gt 0 ]] || exit 0

if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
  say "as root, please run: apt-get install ${needed[*]} ${wanted[*]}" >&2
  [[ ${#needed[@]} -eq 0 ]] || exit 1
  exit 0
fi

say "installing ${needed[*]} ${wanted[*]} (this can take some minutes) ..."
# A failed update need not matter (one of several sources may be out of reach); a failed install does.
apt_get update || true
if [[ ${#needed[@]} -gt 0 ]] && ! install "${needed[@]}"; then
  cat "$log" >&2
  say "could not install ${needed[*]}; the messages of apt-get are above" >&2
  exit 1
fi
mapfile -t wanted < <(missing_optional)
if [[ ${#wanted[@]} -gt 0 ]] && ! install "${wanted[@]}"; then
  say "could not install ${wanted[*]}; going on without" >&2
fi
say "done"

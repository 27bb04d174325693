#!/usr/bin/env bash
# Runs a command in the source tree on a bare Debian of its own, which is made by debootstrap when it is
# first asked for: shows what a fresh machine does with KickDrift.
#
# Usage: contrib/in_debian.sh SUITE COMMAND...    as root; SUITE: bookworm, trixie, sid, ...
#        e.g. contrib/in_debian.sh trixie contrib/test.sh -R contact
#        The files of the working tree (those that Git knows or does not ignore) are copied to
#        /kickdrift of that machine, where the command runs; what it has built there is kept, as are
#        installed packages. /proc, /dev and /sys are mounted as long as the command runs, and
#        processes that it leaves behind are ended. The exit status is that of the command; 125 if
#        there is no machine to run it on.
# Environment: KICKDRIFT_DEBIAN_DIR     folder of the machines, default ~/.cache/kickdrift/debian;
#                                       remove DIR/SUITE to have a fresh one
#              KICKDRIFT_DEBIAN_MIRROR  default http://deb.debian.org/debian
#              KICKDRIFT_DEBIAN_ARCH    another architecture than this machine's, e.g. arm64, in
#                                       DIR/SUITE-ARCH (needs qemu-user-static)
set -euo pipefail

{ # read as a whole, for commands take long and this file may change meanwhile

fail() {
  echo "in_debian: $*" >&2
  exit 125
}

[[ $# -ge 2 ]] || fail "usage: contrib/in_debian.sh SUITE COMMAND..."
suite="$1"
shift
[[ "$suite" =~ ^[a-z]+$ ]] || fail "'$suite' is not the name of a Debian suite, such as trixie"
[[ $EUID -eq 0 ]] || fail "debootstrap, chroot and mounts need root; please try with sudo"
for tool in debootstrap unshare chroot flock git tar; do
  command -v "$tool" >/dev/null || fail "please install $tool"
done
unshare --mount --pid --fork true 2>/dev/null ||
  fail "this machine does not allow mounts of one's own (a container without privileges?)"

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
git -C "$source_dir" rev-parse --is-inside-work-tree >/dev/null ||
  fail "$source_dir is not a working tree of Git, which says what files are to be copied"

folder="${KICKDRIFT_DEBIAN_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/kickdrift/debian}"
mirror="${KICKDRIFT_DEBIAN_MIRROR:-http://deb.debian.org/debian}"
machine="$folder/$suite${KICKDRIFT_DEBIAN_ARCH:+-$KICKDRIFT_DEBIAN_ARCH}"
mkdir -p "$folder" || fail "cannot make the folder $folder"

# One command at a time: they share the tree and what is built in it.
exec 9>"$machine.lock"
flock -n 9 || {
  echo "in_debian: waiting for another command in $machine ..." >&2
  flock 9
}

# Made under another name, so that an interrupted one is not taken for a machine.
if [[ ! -e "$machine" ]]; then
  echo "in_debian: making $machine (about a minute) ..." >&2
  rm -rf --one-file-system "$machine.part"
  unshare --mount debootstrap --variant=minbase ${KICKDRIFT_DEBIAN_ARCH:+--arch="$KICKDRIFT_DEBIAN_ARCH"} \
    "$suite" "$machine.part" "$mirror" >"$machine.log" 2>&1 9>&- || {
    tail -n 20 "$machine.log" >&2
    fail "debootstrap could not make it; all its messages are in $machine.log"
  }
  # Packages need not survive a power failure, nor be kept once they are installed.
  echo force-unsafe-io >"$machine.part/etc/dpkg/dpkg.cfg.d/unsafe-io"
  printf '%s\n' 'APT::Keep-Downloaded-Packages "false";' 'Acquire::Languages "none";' \
    >"$machine.part/etc/apt/apt.conf.d/small"
  mv "$machine.part" "$machine"
fi

# Files that differ get the time of now, so that they are built anew, also if what was built from an
# earlier version is younger than their own time; those that are gone are removed.
tree="$machine/kickdrift"
mkdir -p "$tree"
files="$(mktemp)" changed="$(mktemp)"
trap 'rm -f "$files" "$changed"' EXIT
cd "$source_dir"
git ls-files -z --cached --others --exclude-standard --deduplicate |
  while IFS= read -r -d '' file; do
    [[ ! -e "$file" && ! -L "$file" ]] || printf '%s\0' "$file"
  done | LC_ALL=C sort -z >"$files"
list="$machine/kickdrift.files"
[[ -e "$list" ]] || : >"$list"
(cd "$tree" && LC_ALL=C comm -z -23 "$list" "$files" | xargs -0 -r rm -f --)
# Meanwhile the list has all that may be there, in case this is interrupted.
LC_ALL=C sort -z -u "$list" "$files" >"$list.part"
mv "$list.part" "$list"
while IFS= read -r -d '' file; do
  [[ -f "$file" && ! -L "$file" ]] && cmp -s "$file" "$tree/$file" || printf '%s\0' "$file"
done <"$files" >"$changed"
tar --create --null --files-from="$changed" |
  tar --extract --touch --no-same-owner --directory "$tree" ||
  fail "cannot copy the files to $tree"
cp "$files" "$list.part"
mv "$list.part" "$list"

[[ ! -e /etc/resolv.conf ]] || cp -L --remove-destination /etc/resolv.conf "$machine/etc/resolv.conf"
# Mounts end with the namespace, all processes with the first of theirs.
status=0
env -u TMPDIR HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
  unshare --mount --pid --fork --kill-child bash -ec '
    machine="$1"
    shift
    mount -t proc proc "$machine/proc" || exit 125
    mount --rbind /dev "$machine/dev" || exit 125
    mount --rbind /sys "$machine/sys" || exit 125
    exec chroot "$machine" sh -c "cd /kickdrift && exec \"\$@\"" sh "$@"' \
  bash "$machine" "$@" 9>&- || status=$?
exit "$status"
}

#!/usr/bin/env bash
# Formats all C++ files with clang-format 14, the version of Debian 12 (others format differently).
#
# Usage: contrib/format.sh [--check]    --check changes nothing and fails if something would change
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang_format="$(command -v clang-format-14 || command -v clang-format || true)"
if [[ -z "$clang_format" ]]; then
  echo "format: clang-format is missing; contrib/setup.sh clang-format installs it" >&2
  exit 1
fi
if ! "$clang_format" --version | grep -q 'version 14\.'; then
  echo "format: $("$clang_format" --version) is not version 14" >&2
  exit 1
fi

mode=(-i)
case "${1:-}" in
  --check) mode=(--dry-run --Werror) ;;
  "") ;;
  *)
    echo "Usage: contrib/format.sh [--check]" >&2
    exit 2
    ;;
esac

folders=(include source tests)
[[ ! -d doc ]] || folders+=(doc)
find "${folders[@]}" \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 --no-run-if-empty "$clang_format" --style=file "${mode[@]}"

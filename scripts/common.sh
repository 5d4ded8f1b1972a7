# Shared by the scripts of this folder: where things are, and Debian packages that are missing.
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C.UTF-8  # decimal points, also in awk
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034  # used by the scripts that read this file
jobs=$(nproc)

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# packages_for GROUP...: names from packages.txt.
packages_for() {
  local family=
  installed libboost1.81-dev && family=1.81
  awk -v groups=" $* " -v family="$family" '
    /^#/ || NF < 2 || !index(groups, " " $2 " ") { next }
    family != "" && /^libboost-/ { sub(/-dev$/, family "-dev", $1) }
    { print $1 }' "$root/scripts/packages.txt"
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# need GROUP...: installs what is missing of these groups. Says nothing when all is there.
need() {
  local missing=() name as_root=(env DEBIAN_FRONTEND=noninteractive)
  if ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian system: install by hand what scripts/packages.txt names." >&2
    return
  fi
  for name in $(packages_for "$@"); do
    installed "$name" || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing, and neither root nor sudo is there to install them:
  apt-get install ${missing[*]}"
    as_root=(sudo "${as_root[@]}")
  fi
  echo "Installing ${missing[*]}"
  "${as_root[@]}" apt-get -qq update </dev/null || echo "apt-get update failed; trying with the lists that are there" >&2
  "${as_root[@]}" apt-get -qq -y --no-remove --no-install-recommends install "${missing[@]}" </dev/null >/dev/null ||
    die "apt-get install ${missing[*]} failed"
}

#!/bin/bash
# What a configuration makes of the variables of others; nothing is built. The environment is set by CMakeLists.txt
# beside this file.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "FAILED: $*"
  exit 1
}
configure() { # FOLDER ARGUMENT...: the messages are in FOLDER.log
  local folder=$scratch/$1
  shift
  "$CMAKE" -S "$CLC_SOURCE" -B "$folder" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    -DCLC_BUILD_TESTS=OFF "$@" >"$folder.log" 2>&1 || fail "$(cat "$folder.log")"
}
compiled() { # FOLDER FILE REGEX: is it, with these options?
  grep '"command"' "$scratch/$1/compile_commands.json" | grep -e "$2\"" | grep -q -e "$3"
}

# For a shared library of others, hardened or not.
configure shared -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCLC_HARDEN=ON -DCLC_MPI=OFF -DCLC_OTF2=OFF \
  -DCMAKE_INSTALL_LIBDIR=lib
for file in src/clock/filter.cpp src/formats/format.cpp; do
  compiled shared $file ' -fPIC ' || fail "$file without -fPIC"
  ! compiled shared $file '-fPIE' || fail "$file with -fPIE"
done
# What is left out is named, and has no page.
for line in 'Without MPI: clc-record and clc-filter-mpi ' 'Without libotf2: archives .* clc-filter-mpi '; do
  grep -q -e "-- $line" "$scratch/shared.log" || fail "no line: $line"
done
for page in clc-filter.1 clc-check.1 clc-trace.5; do
  grep -q "/man/$page\"" "$scratch/shared/cmake_install.cmake" || fail "$page is not installed"
done
for page in clc-filter-mpi.1 clc-record.1; do
  ! grep -q "/man/$page\"" "$scratch/shared/cmake_install.cmake" || fail "$page is installed without its program"
done
configure usual -DCLC_HARDEN=ON -DCMAKE_INSTALL_LIBDIR=lib
compiled usual src/clock/filter.cpp ' -fPIE ' || fail 'a hardened build without -fPIE'
if grep -q 'src/record/' "$scratch/usual/compile_commands.json"; then  # MPI is installed
  for file in src/record/writer.cpp src/record/measure.cpp; do
    compiled usual $file ' -fstack-protector-strong .*-D_FORTIFY_SOURCE=2 ' || fail "$file is not hardened"
  done
  ! compiled usual src/record/writer.cpp '-fPIE' || fail 'clc-record with -fPIE'
fi

# Folders that are named in full.
is() { # EXPECTED COMMAND...
  local expected=$1 found
  shift
  found=$("$@")
  [ "$found" = "$expected" ] || fail "$*: found $found, expected $expected"
}
path() { # FOLDER VARIABLE: what clc.pc says, as if it lay in /a/b/lib/pkgconfig
  local in=$scratch/$1/a/b/lib/pkgconfig
  mkdir -p "$in"
  cp "$scratch/$1/clc.pc" "$in"
  realpath -m "$(PKG_CONFIG_PATH=$in pkg-config --variable="$2" clc)" | sed "s:^$scratch/$1::"
}
zsh_path() { # FOLDER
  sed -n 's:^ *DESTINATION "\(.*zsh/\).*:\1:p' "$scratch/$1/cmake_install.cmake"
}
is /a/b/lib path usual libdir
is /a/b/include path usual includedir
# shellcheck disable=SC2016  # as it stands there
is '${CMAKE_INSTALL_PREFIX}/share/zsh/' zsh_path usual
configure shared -DCMAKE_INSTALL_PREFIX=/opt/clc -DCMAKE_INSTALL_INCLUDEDIR=/elsewhere/include \
  -DCMAKE_INSTALL_DATADIR=/elsewhere/share
is /a/b/lib path shared libdir
is /elsewhere/include path shared includedir
is /elsewhere/share/zsh/ zsh_path shared
configure shared -DCMAKE_INSTALL_LIBDIR=/elsewhere/lib -DCMAKE_INSTALL_INCLUDEDIR=include
is /elsewhere/lib path shared libdir
is /opt/clc/include path shared includedir

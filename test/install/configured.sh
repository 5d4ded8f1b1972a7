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
configure shared -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCLC_HARDEN=ON
for file in src/clock/filter.cpp src/formats/format.cpp; do
  compiled shared $file ' -fPIC ' || fail "$file without -fPIC"
  ! compiled shared $file '-fPIE' || fail "$file with -fPIE"
done
configure usual -DCLC_HARDEN=ON
compiled usual src/clock/filter.cpp ' -fPIE ' || fail 'a hardened build without -fPIE'
if grep -q 'src/record/' "$scratch/usual/compile_commands.json"; then  # MPI is installed
  for file in src/record/writer.cpp src/record/measure.cpp; do
    compiled usual $file ' -fstack-protector-strong .*-D_FORTIFY_SOURCE=2 ' || fail "$file is not hardened"
  done
  ! compiled usual src/record/writer.cpp '-fPIE' || fail 'clc-record with -fPIE'
fi

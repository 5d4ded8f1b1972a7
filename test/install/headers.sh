#!/bin/bash
# Every public header compiles alone, twice, and without private headers. The environment is set by CMakeLists.txt beside
# this file.
set -eu
cd "$CLC_SOURCE/include"
find clc -name '*.hpp' | {
  headers=0
  while read -r header; do
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
      $CXX -std=c++20 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ - || { echo "FAILED: $header does not compile alone"; exit 1; }
    headers=$((headers + 1))
  done
  echo "$headers headers compile alone"
  [ "$headers" -gt 10 ]
}

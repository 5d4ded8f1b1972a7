#!/bin/bash
# Installs into a folder and moves it, then uses it from outside: find_package, pkg-config, all headers,
# programs, manual pages. The environment is set by CMakeLists.txt beside this file.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/moved
fail() {
  echo "FAILED: $*"
  exit 1
}

"$CMAKE" --install "$CLC_BUILD" --prefix "$scratch/prefix" >"$scratch/log" || fail "$(cat "$scratch/log")"
mv "$scratch/prefix" "$prefix"

"$CMAKE" -S "$CLC_SOURCE/test/install/outside" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE=Debug >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
"$CMAKE" --build "$scratch/build" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
"$scratch/build/example" >"$scratch/example.out"
diff -u "$CLC_SOURCE/test/install/example.expected" "$scratch/example.out" || fail "the example's output"

export PATH=$prefix/bin:$PATH LC_ALL=C
clc-tracegen ring --seed 1 --events 2000 --no-min-delay -o "$scratch/ring.clct"
"$scratch/build/convert" "$scratch/ring.clct" "$scratch/ring.clcb.zst" >"$scratch/report"
grep -q '^Violations left in the output: 0$' "$scratch/report" || fail "$(cat "$scratch/report")"
clc-filter --no-provenance "$scratch/ring.clct" -F binary | cmp - <(zstd -dc "$scratch/ring.clcb.zst") ||
  fail "the library corrects otherwise than clc-filter"
clc-check "$scratch/ring.clcb.zst" >"$scratch/log" || fail "$(cat "$scratch/log")"

# A format of the outside project: through the filter, and back.
clc-tracegen ring --seed 1 --events 2000 --regions --no-min-delay | sed '/^%group/a-1000000000 0 E say "x", y' >"$scratch/calls.clct"
"$scratch/build/use_csv" "$scratch/calls.clct" "$scratch/calls.csv"
grep -q '^-1000000000,0,enter,"say ""x"", y",,,$' "$scratch/calls.csv" || fail "a quoted name in CSV"
"$scratch/build/use_csv" "$scratch/calls.csv" "$scratch/corrected.csv" correct
cmp -s "$scratch/calls.csv" "$scratch/corrected.csv" && fail "CSV was not corrected"
"$scratch/build/use_csv" "$scratch/corrected.csv" "$scratch/corrected.clct"
diff <(clc-filter "$scratch/calls.clct" | grep -v '^%') <(grep -v '^%' "$scratch/corrected.clct") ||
  fail "CSV is corrected otherwise than text"
clc-check "$scratch/corrected.clct" >"$scratch/log" || fail "$(cat "$scratch/log")"
sed '3s/,[0-9]*,/,x,/' "$scratch/calls.csv" >"$scratch/bad.csv"
"$scratch/build/use_csv" "$scratch/bad.csv" "$scratch/bad.clct" 2>"$scratch/log" && fail "damaged CSV was accepted"
grep -q 'bad.csv:3: found "x", expected a number$' "$scratch/log" || fail "$(cat "$scratch/log")"

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name clc.pc)")
# shellcheck disable=SC2046,SC2086  # words on purpose
$CXX -std=c++20 $CXXFLAGS "$CLC_SOURCE/test/install/outside/convert.cpp" $(pkg-config --cflags --libs clc) \
  -o "$scratch/by_pkg_config"
"$scratch/by_pkg_config" "$scratch/ring.clct" "$scratch/again.zst" >"$scratch/report"
cmp "$scratch/ring.clcb.zst" "$scratch/again.zst"

find "$prefix/include/clc" -name '*.hpp' -printf '#include <clc/%P>\n' >"$scratch/headers"
[ "$(wc -l <"$scratch/headers")" = "$(find "$CLC_SOURCE/include/clc" -name '*.hpp' | wc -l)" ] || fail "headers are missing"
$CXX -std=c++20 -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only -x c++ "$scratch/headers" || fail "the headers together"
for page in "$CLC_SOURCE"/man/*.[1-9]; do
  section=${page##*.}
  installed=$prefix/share/man/man$section/${page##*/}
  program=$prefix/bin/$(basename "$page" .1)
  if [ "$section" = 1 ] && [ ! -e "$program" ]; then
    [ ! -e "$installed" ] || fail "${page##*/} is installed without its program"
  else
    [ -e "$installed" ] || fail "${page##*/} is not installed"
  fi
done

#!/bin/bash
# README's example of the library is example.cpp, which is compiled and run: readme_example.sh README EXAMPLE
set -u
[ -e "$1" ] || { echo "$1 is missing"; exit 1; }
# The code block in C++ whose first line is that of the example.
awk -v first="$(head -n 1 "$2")" '
  /^ *```c(pp|\+\+)$/ { inside = 1; block = ""; next }
  /^ *```$/ { if (inside && index(block, first) == 1) { printf "%s", block; found = 1; exit } inside = 0; next }
  inside { block = block $0 "\n" }
  END { exit !found }' "$1" | diff -u "$2" - || {
  echo "the \`\`\`cpp block in $1 must be the text of $2"
  exit 1
}

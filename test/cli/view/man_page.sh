# The man page and the program tell the same.
page=$CLC_SOURCE/man/clc-view.1
clc-view --help | sed -n 's/^  -/-/p' | sed 's/  .*//' | grep -oE -- '(^| )--?[A-Za-z-]+' | tr -d ' ' | sed 's/^-*//' | sort -u >help
grep '^\.It Fl' "$page" | grep -oE 'Fl -?[A-Za-z-]+' | sed 's/Fl -*//' | sort -u >man
run 0 'diff help man'
run 0 'test $(wc -l <help) -gt 12'
clc-view --help | tr '\n' ' ' | grep -oE 'as SVG: [a-z, -]*' | sed 's/as SVG: *//; s/ or /, /' | tr ', ' '\n\n' | grep . | sort >figures
run 0 'while read -r name; do grep -qE "It Cm $name\$" "$page" || echo "$name"; done <figures; wc -l <figures'
out 8
if command -v mandoc >/dev/null; then
  run 0 'mandoc -Tlint -Wstyle "$page" 2>/dev/null | grep -v "referenced manual not found"; true'
  out ''
fi

# The man page and the program tell the same.
page=$CLC_SOURCE/man/clc-sync.1
clc-sync --help | sed -n 's/^  -/-/p' | sed 's/  .*//' | grep -oE -- '(^| )--?[A-Za-z-]+' | tr -d ' ' | sed 's/^-*//' | sort -u >help
grep '^\.It Fl' "$page" | grep -oE 'Fl -?[A-Za-z-]+' | sed 's/Fl -*//' | sort -u >man
run 0 'diff help man'
run 0 'test $(wc -l <help) -gt 8'
if command -v mandoc >/dev/null; then
  run 0 'mandoc -Tlint -Wstyle "$page" 2>/dev/null | grep -v "referenced manual not found"; true'
  out ''
fi

# The man page and the program tell the same: options, JSON keys, cases.
page=$CLC_SOURCE/man/clc-filter.1
clc-filter --help | sed -n 's/^  -/-/p' | sed 's/  .*//' | grep -oE -- '(^| )--?[A-Za-z-]+' | tr -d ' ' | sed 's/^-*//' | sort -u >help
grep '^\.It Fl' "$page" | grep -oE 'Fl -?[A-Za-z-]+' | sed 's/Fl -*//' | sort -u >man
run 0 'diff help man'
run 0 'test $(wc -l <help) -gt 30'

# Defaults in the help text stand in the man page, too.
run 0 'clc-filter --help | tr "\n" " " | tr -s " " | grep -oE "Default: [0-9.]+( us| s)?" | sed "s/Default: //; s/\.$//"'
while read -r default; do
  grep -qE "(is|else|by default) ${default//./\\.}( us| s)?[.:]" "$page" || fail "the man page lacks the default $default"
done <"$logs/out"

small_trace >in.clct
clc-filter -q -mmd 0.1 -mmd 0:1=0.2 --dry-run --report - --report-format json in.clct | grep -oE '"[A-Za-z0-9_.]+":' | tr -d '":' | sort -u >keys
run 0 'test $(wc -l <keys) -gt 80'
while read -r key; do
  grep -qE "(^|[ ])$key( |\$)" "$page" || grep -qE "Ql $key" "$page" || fail "the man page lacks the JSON key $key"
done <keys

if command -v mandoc >/dev/null; then
  run 0 'mandoc -Tlint -Wstyle "$page" 2>/dev/null | grep -v "referenced manual not found"; true'
  out ''
fi

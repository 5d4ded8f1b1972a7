# The man page and the program tell the same: options, JSON keys.
page=$CLC_SOURCE/man/clc-check.1
clc-check --help | sed -n 's/^  -/-/p' | sed 's/  .*//' | grep -oE -- '(^| )--?[A-Za-z-]+' | tr -d ' ' | sed 's/^-*//' | sort -u >help
grep '^\.It Fl' "$page" | grep -oE 'Fl -?[A-Za-z-]+' | sed 's/Fl -*//' | sort -u >man
run 0 'diff help man'
run 0 'test $(wc -l <help) -gt 12'

small_trace >in.clct
clc-filter -q -mmd 0.1 in.clct -o out.clct
{
  clc-check --report-format json in.clct
  clc-check -mmd 0.1 --report-format json in.clct out.clct --truth in.clct
  clc-check -mmd 5 --report-format json in.clct out.clct # broken laws have a first case
} | grep -oE '"[A-Za-z0-9_.]+":' | tr -d '":' | sed -E 's/_(ticks|us)$//' | sort -u >keys
run 0 'test $(wc -l <keys) -gt 70'
while read -r key; do
  grep -qE "^\.(It )?(Po )?Cm (.* )?${key//./\\.}( |\$)" "$page" || fail "the man page lacks the JSON key $key"
done <keys

if command -v mandoc >/dev/null; then
  run 0 'mandoc -Tlint -Wstyle "$page" 2>/dev/null | grep -v "referenced manual not found"; true'
  out ''
fi

# The man page and the program tell the same: options, JSON keys, cases.
page=$CLC_SOURCE/man/clc-filter.1
like_its_page clc-filter

small_trace >in.clct
clc-filter -q -mmd 0.1 -mmd 0:1=0.2 --dry-run --report - --report-format json in.clct | grep -oE '"[A-Za-z0-9_.]+":' | tr -d '":' | sort -u >keys
run 0 'test $(wc -l <keys) -gt 80'
while read -r key; do
  grep -qE "(^|[ ])$key( |\$)" "$page" || grep -qE "Ql $key" "$page" || fail "the man page lacks the JSON key $key"
done <keys

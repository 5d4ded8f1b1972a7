# The man page and the program tell the same: options, JSON keys.
page=$CLC_SOURCE/man/clc-check.1
like_its_page clc-check

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

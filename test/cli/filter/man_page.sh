# The man page and the program tell the same: options, JSON keys, cases.
page=$CLC_SOURCE/man/clc-filter.1
like_its_page clc-filter

small_trace >in.clct
clc-filter -q -mmd 0.1 -mmd 0:1=0.2 --dry-run --report - --report-format json in.clct | grep -oE '"[A-Za-z0-9_.]+":' | tr -d '":' | sort -u >keys
run 0 'test $(wc -l <keys) -gt 80'
while read -r key; do
  grep -qE "(^|[ ])$key( |\$)" "$page" || grep -qE "Ql $key" "$page" || fail "the man page lacks the JSON key $key"
done <keys
# --strict fails on all cases that the page does not mark.
run 0 'python3 - "$CLC_SOURCE/include/clc/analysis.hpp" "$page" <<"PY"
import re, sys
cases, page = (open(name).read() for name in sys.argv[1:])
severities = re.findall(r"Severity::(\w+),\s*\"(\w+)\"", cases)
section = page[page.index(".Sh DIAGNOSTICS"):page.index(".Sh LIMITS")]
described = re.findall(r"^\.It Cm (\w+)( No \*)?$", section, re.M)
print([("unresolved" if not star else "remark", name) for name, star in described] == severities, len(severities) > 20)
PY'
out 'True True'

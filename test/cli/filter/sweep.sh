# A table of what the correction does with a range of minimum delays.
run 0 'clc-tracegen halo --seed 4 -n 9 --events 3000 --drift 30 -o in.clct && clc-filter --sweep-mmd 0.1:10 in.clct >table'
run 0 'tail -n +3 table | grep -c "good\|doubtful\|bad"'
out 9
run 0 'tail -n +3 table | awk "{ print \$1 }" | head -9 | tr "\n" " "'
out '0.1 0.1778 0.3162 0.5623 1 1.778 3.162 5.623 10 '
# Each line is that of a run by itself.
for mmd in 0.1 1 10; do
  clc-filter -q -mmd $mmd --dry-run --report - --report-format json in.clct >report
  run 0 "awk '\$1 == $mmd { print \$2, \$4 }' table"
  out "$(awk '/"violated"/ && n < 2 { gsub(",", ""); sum += $2; n++ } END { printf "%d", sum }' report) $(
    awk '/"contradicted"/ { gsub(",", ""); n = $2 } END { print n }' report)"
  run 0 "awk '\$1 == $mmd { print \$7 }' table"
  out "$(awk '/"changed_percent"/ { gsub(",", ""); printf "%.3g", $2 }' report)"
done
# Head, line, advice.
run 0 'clc-filter -q --sweep-mmd 2:2 <in.clct | wc -l'
out 4
# clc-check leaves it to clc-filter: the one beside it, or that of PATH.
run 0 'clc-check --sweep-mmd 0.1:10 in.clct | cmp - table'
run 2 'clc-check --sweep-mmd 10:1 in.clct'
err_has "clc-filter: --sweep-mmd: expected FROM below TO, found '10:1'"
mkdir alone && cp "$(command -v clc-check)" alone/
run 0 'alone/clc-check --sweep-mmd 0.1:10 in.clct | cmp - table'
run 1 'PATH=/nowhere alone/clc-check --sweep-mmd 0.1:10 in.clct'
err 'clc-check: --sweep-mmd: cannot run clc-filter, which makes the corrections: No such file or directory'
rm -r alone
no_more_files in.clct table report

# Where records are missing, as --match whole; also from a pipe.
run 0 'clc-tracegen halo -n 6 --seed 3 --events 6000 --lose-sends 5 -o lossy && clc-filter --sweep-mmd 1:2 lossy >table; tail -n +3 table | grep -c good'
out 2
run 0 'clc-filter --sweep-mmd 1:2 <lossy | cmp - table; rm lossy table'

! can_estimate || run 0 'clc-filter --sweep-mmd 1:2 --look-ahead 0.1 in.clct >table; clc-filter --sweep-mmd 1:2 --look-ahead 0.1 --match resync in.clct | cmp - table; rm table'

run 2 'clc-filter --sweep-mmd 10:1 in.clct'
err_has "--sweep-mmd: expected FROM below TO, found '10:1'"
run 2 'clc-filter --sweep-mmd 0:1 in.clct'
err_has '--sweep-mmd: expected more than 0 microseconds'
run 2 'clc-filter --sweep-mmd 1 in.clct'
err_has "--sweep-mmd: expected FROM:TO, found '1'"
for other in --backwards --no-correction --online '-mmd auto' -v '-o out' '--report-format json'; do
  run 2 "clc-filter --sweep-mmd 1:2 $other in.clct"
  err_has 'makes no sense with --sweep-mmd'
done
run 1 'head -c 2000 in.clct | sed "\$s/.*/nonsense/" | clc-filter --sweep-mmd 1:2'
err_has 'expected'
# A value replaces both delays of the trace, as -mmd does.
run 0 'sed "s/^%min-delay .*/& node=700/; s/^%process [0-4] .*/& node=n1/" in.clct >nodes.clct; clc-filter --sweep-mmd 4:40 nodes.clct >table'
run 0 'grep "^ *40 " table | awk "{ print \$2 }"'
out "$(clc-filter -q -mmd 40 --dry-run --report - --report-format json nodes.clct | awk '/"violated"/ && n < 2 { gsub(",", ""); sum += $2; n++ } END { printf "%d", sum }')"

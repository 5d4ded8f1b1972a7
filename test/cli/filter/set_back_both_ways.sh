# Clocks that are set back, with all that reads a trace in another way: from its end, both ways, in part, in several
# files, mapped, ahead, or while it grows.
clc-tracegen halo -n 4 --seed 3 --events 40000 --steps 100:300 --set-back --start 1000000000 -o run.clct
run 0 'grep -v ^% run.clct | awk "\$1 < last[\$2] { ++n } { last[\$2] = \$1 } END { print (n > 5) }"'
out 1
# The order of records with equal times in different processes does not matter.
records() { grep -v ^% "$@" | sort; }
correct() { clc-filter -q -mmd 0.5 --no-provenance "$@"; }
laws() {
  out_has 'law 1 clock condition: ok (20,000 edges)'
  out_has 'law 3 order and distinctness in each process: ok'
  out_has 'records identical apart from time: ok'
  out_has 'corrected trace sorted by time: ok'
}
run 0 'correct run.clct -o forth.clct'

# Backwards: as the trace that is negated and reversed by hand. It is longer than what is read at once.
mirror() { tac "$1" | grep -v ^% | awk '{ $1 = -1 - $1; if ($3 == "S") $3 = "R"; else if ($3 == "R") $3 = "S"; print }'; }
run 0 'correct --backwards run.clct -o back.clct'
run 0 '{ grep ^% run.clct; mirror run.clct; } >mirror.clct; correct --sort-window 1e6 mirror.clct -o mirrored.clct; mirror mirrored.clct | sort | cmp - <(records back.clct)'
run 0 'clc-check -mmd 0.5 --direction backwards run.clct back.clct'
laws
out_has 'law 2 nothing after its recorded time: ok'
# Steps are reported as they were recorded.
steps() { grep -A 30 '"steps_back"' "$1" | grep -E 'before_ticks|after_ticks' | sort; }
run 0 'correct --dry-run --report-format json --report forth.json run.clct; correct --backwards --dry-run --report-format json --report back.json run.clct; diff <(grep clock_set_back forth.json) <(grep clock_set_back back.json); steps forth.json >forth; steps back.json | cmp - forth; test "$(wc -l <forth)" -gt 5'

# Both ways: the mean of each record.
run 0 'correct --combine mean run.clct -o mean.clct; clc-check -mmd 0.5 --direction both run.clct mean.clct'
laws
run 0 'for f in forth back mean; do grep -v ^% $f.clct | sort -s -n -k2,2 | cut -d" " -f1 >$f; done
  paste forth back mean | awk "{ m = (\$1 + \$2) / 2; if (\$3 != int(m)) print }" | head -3'
out ''

# A window goes by the largest time of each clock so far, and by itself it is a trace in order.
cat >small.clct <<'END'
%clc-trace 1
%resolution 1000000
%process 0 a
%process 1 b
%group 0 0 1
100 0 I start
1000 0 I late
900 0 S 1 0 1 8
995 0 S 1 0 2 8
1002 1 R 0 0 1 8
1003 0 S 1 0 3 8
1000 0 I behind
1005 1 R 0 0 2 8
1006 1 R 0 0 3 8
2000 1 I last
END
run 0 'clc-filter small.clct --from 0.000902 --to 0.001 --no-correction --no-provenance | grep -v ^%'
out '1002 1 R 0 0 1 8
1003 0 S 1 0 3 8
1000 0 I behind
1005 1 R 0 0 2 8
1006 1 R 0 0 3 8'
run 0 'clc-filter -q small.clct --from 0.000902 --to 0.001 -mmd 5 --no-amortization --no-provenance | grep -v ^%'
out '1002 1 R 0 0 1 8
1003 0 S 1 0 3 8
1004 0 I behind
1005 1 R 0 0 2 8
1008 1 R 0 0 3 8'
run 0 'clc-filter -q --no-correction --no-provenance --from 0.01 --to 0.05 run.clct -o part.clct; clc-check part.clct --report-format json | grep -E "\"(sorted|clocks_set_back)\""'
out_has '"sorted": true'
for option in '' --backwards '--combine mean'; do
  run 0 "clc-filter -q -mmd 0.5 --strict $option --from 0.01 --to 0.05 run.clct -o corrected.clct; grep -v ^% corrected.clct | cut -d' ' -f2- | sort | cmp - <(grep -v ^% part.clct | cut -d' ' -f2- | sort)"
done

# Several inputs.
run 0 'mkdir parts; for p in 0 1 2 3; do { grep ^% run.clct; grep "^[0-9]* $p " run.clct; } >parts/$p.clct; done; correct parts -o merged.clct; records merged.clct | cmp - <(records forth.clct)'
run 0 'correct --backwards parts -o merged.clct; records merged.clct | cmp - <(records back.clct)'

# Mapped clocks: the same as mapped by hand, and the judge agrees.
run 0 'printf "%%offset %s\n" "1 0 12345" "3 0 -70000" >offsets; awk "/^[0-9]/ { \$1 += \$2 == 1 ? 12345 : \$2 == 3 ? -70000 : 0 } { print }" run.clct >by_hand.clct; for options in "" --backwards; do correct --offsets offsets $options run.clct -o mapped.clct; correct --sort-window 100 $options by_hand.clct | records | cmp - <(records mapped.clct); done'
run 0 'clc-filter -q -mmd 0.5 --offsets offsets run.clct -o mapped.clct; clc-check -mmd 0.5 run.clct mapped.clct'
laws
out_has 'law 2 nothing before its mapped time: ok'
# Times that fall together in the map stay in the order of the clock.
printf '%%clc-trace 1\n%%process 0 a\n10000 0 I x\n9999 0 I y\n9999 0 I z\n10001 0 I u\n' >close.clct
printf '%%offset 0 0 0\n%%offset 0 100000 -90000\n' >steep
run 0 'clc-filter -q --offsets steep close.clct -o close_out.clct; clc-check close.clct close_out.clct'
out_has 'law 3 order and distinctness in each process: ok'

# While it grows.
run 0 'correct --online run.clct | cmp - forth.clct'

needs_estimates
run 0 'clc-filter -q -mmd 0.5 --estimate run.clct -o mapped.clct; clc-check -mmd 0.5 run.clct mapped.clct'
laws
# A step back beyond the part of the map that is kept is refused, what is before it is corrected.
run 0 'clc-filter -q -mmd 0.5 --look-ahead 0.05 run.clct -o ahead.clct; clc-check -mmd 0.5 run.clct ahead.clct'
laws
out_has 'law 2 nothing before its mapped time: ok'
run 0 'clc-filter -q -mmd 0.5 --look-ahead 0.05 --online --match resync run.clct | cmp - ahead.clct'
run 0 'awk "/^[0-9]/ && \$2 == 2 && ++n == 9000 { back = 100000000 } /^[0-9]/ && \$2 == 2 { \$1 -= back } { print }" run.clct | clc-filter --sort-window 100000 --no-correction --no-provenance -o far.clct; clc-filter -q far.clct -o /dev/null'
run 1 'clc-filter -q -mmd 0.5 --look-ahead 0.05 far.clct -o ahead.clct'
err 'clc-filter: far.clct:*: found time * of a clock that was set back by more than the map is kept, expected smaller steps; use --estimate without --look-ahead'

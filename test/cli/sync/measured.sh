# Measured offsets: %sync and %offset lines of a trace.
clc-tracegen halo -n 8 --seed 5 --offset 5000 --drift 20 --events 20000 --duration 5 --bursts 20 --truth truth -o run
run 0 'grep -c ^%sync run; grep -c ^%sync truth'
out '280
280'
# True times tell the error of a sample: half the difference of its delays.
run 0 'grep ^%sync truth | awk "{ there = \$5 - \$4; back = \$7 - \$6; if (\$6 - \$5 != 1000 || there < 5000 || back < 5000) print }"'
out ''
# The program is the same, whether its clocks are measured or not.
clc-tracegen halo -n 8 --seed 5 --offset 5000 --drift 20 --events 20000 --duration 5 -o without
run 0 'grep -v ^% run | cmp - <(grep -v ^% without)'

run 0 'clc-sync --method measured run'
out_has '--method measured'
out_has 'ok; reference'
clc-sync --method measured run >offsets
run 0 'grep ^% offsets | cut -d" " -f 2 | uniq -c | tr -s " " | tr "\n" ";"'
out ' 2 0; 2 1; 2 2; 2 3; 2 4; 2 5; 2 6; 2 7;'
# The reference is the common time, exactly; of others the error is the bound by a root of 3.
run 0 'grep "^%offset 0 " offsets | cut -d" " -f 4-'
out '0 0
0 0'
run 0 'awk "/^# *[1-7] / { error[\$2] = \$7 } /^%offset [1-7]/ { if (\$5 > largest[\$2]) largest[\$2] = \$5 } END { for (p in error) if (largest[p] < 1000 * error[p] - 1 || largest[p] > 1000 * error[p] + 1) print p }" offsets'
out ''
# Half of the shortest of 20 round trips is off by at most half of what it is longer than two minimum delays.
run 0 'grep "^# *[1-7] " offsets | awk "{ if (\$7 <= 0 || \$7 > 1) print }"'
out ''
run 0 'clc-filter --estimate=measured --no-provenance run | cmp - <(clc-filter --offsets offsets --no-provenance run)'
run 0 'clc-filter --estimate=measured --no-provenance <run | cmp - <(clc-filter --offsets offsets --no-provenance run)'
run 0 'clc-filter --estimate=measured run -o corrected && clc-check run corrected --truth truth'
out_has 'Verdict: good'
delay() { clc-check run "$1" --truth truth | awk '/message delays, us, after/ { print $6 }'; }
clc-filter run -o alone
run 0 'echo "$(delay corrected) $(delay alone)" | awk "{ print (\$1 < \$2 / 5) }"'
out 1
run 0 'clc-filter --estimate=measured --dry-run --report - --report-format json run | python3 -c "
import json, sys
clocks = json.load(sys.stdin)[\"estimated_clocks\"]
print(clocks[0][\"note\"], all(0 < clock[\"bound_us\"] < 1 for clock in clocks[1:]))
"'
out 'ok; reference True'
# Binary traces carry the lines, too. A conversion is no correction.
clc-filter --no-correction -F binary run -o run.clcb
run 0 'clc-sync --method measured run.clcb | grep ^% | cmp - <(grep ^% offsets)'
# So do OTF2 archives, which have no notes between events: also those after the program, and on to other formats.
if clc-filter --version | grep -q libotf2; then
  clc-filter --no-correction -F otf2 run -o archive
  run 0 'clc-sync --method measured archive | grep ^% | cmp - <(grep ^% offsets)'
  run 0 'clc-filter --no-correction -F text archive | grep ^%sync | cmp - <(grep ^%sync run)'
  clc-filter --no-correction -F otf2 archive -o again
  run 0 'clc-sync --method measured again | grep ^% | cmp - <(grep ^% offsets)'
  run 0 'clc-filter --no-correction -F paje run | clc-filter -q --no-correction -F otf2 -o from-paje; clc-filter --no-correction -F paje from-paje | grep -c "^# %sync"'
  out 280
  run 1 'clc-filter -F otf2 run -o done && clc-sync --method measured done'
  err_has 'was corrected by clc-filter, its %sync lines are those of the recorded times'
  (cat without; grep ^%offset offsets) >given
  run 0 'clc-filter --no-correction -F otf2 given -o map && clc-sync --method measured map | grep ^%offset | cmp - <(grep ^%offset offsets)'
fi
# In Paje they are comments.
clc-filter --no-correction -F paje run -o run.paje
run 0 'grep -c "^# %sync" run.paje'
out 280
# The common time may begin elsewhere: all offsets differ by the same.
run 0 'paste <(grep "^%offset [1-7]" offsets) <(clc-sync --method measured run.paje | grep "^%offset [1-7]") | awk "{ print \$1 == \$6 && \$2 == \$7 && \$3 == \$8, \$9 - \$4 }" | sort -u | awk "{ lines++; same = \$1 } END { print lines, same }"'
out '1 1'
# Other rules take more samples, so their bounds are wider.
bound() { clc-sync --method measured --burst "$1" run | awk '/^# *[1-7] / { sum += $7 } END { print sum }'; }
run 0 'echo "$(bound shortest) $(bound near) $(bound mean)" | awk "{ print (\$1 < \$2 && \$2 < \$3) }"'
out 1
# A map that stands in the trace is applied.
run 0 '(cat without; grep ^%offset offsets) | clc-filter --estimate=measured --no-provenance | grep -v ^% | cmp - <(clc-filter --offsets offsets --no-provenance without | grep -v ^%)'
# Additional fields mean nothing.
run 0 'sed -E "s/^%(sync|offset) .*/& more fields/" run | clc-sync --method measured | grep ^% | cmp - <(grep ^% offsets)'
run 0 '(cat without; grep ^%offset offsets | sed "s/$/ more/") | clc-sync --method measured | grep ^%offset | cmp - <(grep ^%offset offsets)'
run 0 '(cat without; grep ^%offset offsets | cut -d" " -f 1-4 | sed "s/$/ more/") | clc-sync --method measured | awk "/^%offset/ && NF != 4" | wc -l'
out 0
# Measured at one time only, clocks have no rates.
run 0 'sed "/^[^%]/q" run >half; grep -v ^% run | tail -n +2 >>half; clc-sync --method measured half'
err 'clc-sync: warning: round trips were measured at one time only, so rates are not known (processes 1, 2, 3, 4, 5, 6 and 7); the map is less certain at other times; use method smooth, or measure also after the program'
out_has 'measured once'
# What is refused.
run 1 'clc-filter --estimate=measured corrected'
err 'clc-filter: corrected: was corrected by clc-filter, its %sync lines are those of the recorded times; use the recorded trace'
run 1 'clc-sync --method measured without'
err 'clc-sync: without: --method measured has no solution: the trace has no usable measured offsets, lines %sync or %offset; use method smooth'
last=$(($(wc -l <without) + 1))
for line in '%sync 1 0 1 2 3' '%sync 1 0 1 2 3 4x' '%sync 1 0 1 2 3 x'; do
  run 1 "(cat without; echo '$line') | clc-sync --method measured"
  err "clc-sync: standard input:$last: found '$line', expected %sync PROCESS REFERENCE T1 T2 T3 T4; correct or remove the line"
done
run 1 '(cat without; echo "%sync 99 0 1 2 3 4") | clc-sync --method measured'
err "clc-sync: standard input:$last: found process 99 in '%sync 99 0 1 2 3 4', expected a process of the trace; correct or remove the line"
for line in '%offset 1 0' '%offset 1 5 2,5'; do
  run 1 "(cat without; echo '$line') | clc-sync --method measured"
  err "clc-sync: standard input:$last: found '$line', expected %offset PROCESS TIME OFFSET \[ERROR]; correct or remove the line"
done
# The line is known in the head of the trace, too, and wherever records are sorted, read by threads or merged.
{ grep ^% without; echo; echo '%sync 9 0 1 2 3 4'; grep -v ^% without; } >head.clct
place=$(($(grep -c ^% without) + 2))
bad="$place: found process 9 in '%sync 9 0 1 2 3 4', expected a process of the trace; correct or remove the line"
run 1 'clc-sync head.clct'
err "clc-sync: head.clct:$bad"
run 1 'zstd -qc head.clct | clc-filter --estimate --threads 3'
err "clc-filter: standard input:$bad"
run 1 'clc-filter --estimate --sort-window 10 head.clct'
err "clc-filter: head.clct:$bad"
mkdir set
{ sed '/^%clc-trace/q' without; grep -m1 ^%resolution without; echo '%process 77 p'; echo '5 77 I x'; } >set/a.clct
cp head.clct set/b.clct
run 1 'clc-sync set'
err "clc-sync: set/b.clct:$bad"
rm -r set
# In Paje lines are counted, too; other formats have none.
run 1 "(cat run.paje; echo '# %sync 1 0 x') | clc-sync"
err "clc-sync: standard input:$(($(wc -l <run.paje) + 1)): found '%sync 1 0 x', expected *"
run 1 'clc-filter -q --no-correction -F binary head.clct | clc-sync'
err "clc-sync: standard input: found process 9 in '%sync 9 0 1 2 3 4', expected a process of the trace; *"
# Of two different offsets at the same time none is better; the same one may stand twice.
run 1 '(cat without; printf "%%offset 1 5 2\n%%offset 1 6 2\n%%offset 1 5 2.5\n") | clc-sync --method measured'
err "clc-sync: standard input:$((last + 2)): found another offset of process 1 at time 5 than in standard input:$last, expected one for each time; remove one of the lines"
run 0 '(cat without; printf "%%offset 1 5 2\n%%offset 1 5 2.0 7\n") | clc-sync --method measured | grep -c "^%offset 1"'
out 1
# Round trips that end before they began are left out, with a warning.
run 0 '(cat run; echo "%sync 1 0 500 1000 1100 400") | clc-sync --method measured | grep ^% | cmp - <(grep ^% offsets)'
err "clc-sync: warning: standard input:$(($(wc -l <run) + 1)): found '%sync 1 0 500 1000 1100 400', expected T1 <= T4, T2 <= T3 and T3 - T2 <= T4 - T1; this round trip is left out"
run 0 '(cat run; printf "%%sync 1 0 500 1000 %s\n" "1100 400" "900 600" "1200 600") | clc-filter --estimate -o some.clct'
err "clc-filter: warning: standard input:*: found '%sync 1 0 500 1000 1100 400', *; this round trip and 2 others like it are left out"
run 0 '(cat run; echo "%sync 1 0 500 1000 1100 400") | clc-sync -q -o some'
run 1 '(cat without; echo "%sync 1 0 500 1000 1100 400") | clc-sync -q --method measured'
err 'clc-sync: standard input: --method measured has no solution: the trace has no usable measured offsets, *'
run 2 'clc-sync --burst best run'
err_has '--burst'
# Where a clock would begin before the first time, all are raised by a constant, also the reference.
{ printf '%%clc-trace 1\n%%process 0\n%%process 1\n%%sync 1 0 2000 5010 5020 2030\n'; echo '2000 0 I x'; echo '4000 1 I x'; } >early
run 0 'clc-sync --method measured early | grep "^%\|raised"'
out '# all clocks are raised by 1000 ticks, references too, because one would begin before the first recorded time
%offset 0 2015 1000 0
%offset 1 5015 -2000 5.774'
err 'clc-sync: warning: round trips were measured at one time only, *'
# Offsets that make a good trace worse.
two() {
  printf '%%clc-trace 1\n%%min-delay 5000\n%%process 0\n%%process 1\n%%group 0 0 1\n'
  awk 'BEGIN { for (i = 0; i < 2000; ++i) { t = 1000000 + i * 10000000; printf "%.0f 0 S 1 0 7 8\n%.0f 1 R 0 0 7 8\n%.0f 1 S 0 0 7 8\n%.0f 0 R 1 0 7 8\n", t, t + 6000, t + 20000, t + 26000 } }'
}
two >good
printf '%%offset 0 1000000 0 0\n%%offset 1 1000000 0 300\n%%offset 1 10000000000 1000000 300\n%%offset 1 19991026000 0 300\n' >outlier
run 0 'clc-sync --method measured --offsets outlier good | grep "^# messages"'
out_has ' % of the binding edges are mapped below the minimum delay, by up to 99'
err 'clc-sync: warning: messages contradict the measured offsets: *'
# Different offsets of a clock, by lines of two of its processes, or of the trace and of a file. The same one is fine.
sed 's/^%process 1$/&\n%process 2 clock=1/' good >shared
printf '%%offset 0 0 0 0\n%%offset 1 1000000 0 300\n%%offset 2 1000000 5 300\n' >different
run 1 'clc-sync --offsets different shared'
err 'clc-sync: different: found another offset of process 2 at time 1000000 than of process 1, which has the same clock, expected one for each time of a clock; remove one of the lines'
run 1 '(cat shared; head -n 2 different) | clc-filter --estimate --offsets <(tail -n 1 different | sed "s/ 2 / 1 /")'
err_has ': found another offset of process 1 at time 1000000 than in the trace, expected one for each time; remove one of the lines'
run 0 '(cat shared; head -n 2 different; echo "%offset 2 1000000 0 300"; echo "%offset 2 2000000 0 300") | clc-sync | grep "^# binding"'
out_has '; 3 measured offsets'
# An archive by --write-offsets has the recorded times, beside clock offsets that map them.
if clc-filter --version | grep -q OTF2; then
  run 0 'clc-filter --no-correction -F otf2 run -o archive && clc-filter --estimate=measured --write-offsets archive -o written'
  run 1 'clc-sync --method measured written'
  err 'clc-sync: written: its clock offsets, by clc-filter --write-offsets, map the times, its %sync lines are those of the recorded times; use --ignore-clock-offsets'
  run 0 'clc-sync --method measured --ignore-clock-offsets written | grep ^% | cmp - <(clc-sync --method measured archive | grep ^%)'
  run 0 'clc-sync --ignore-clock-offsets written | grep -c "; 280 measured round trips"'
  out 1
  run 0 'clc-filter --no-correction -F text written -o mapped'
  run 1 'clc-sync --method measured mapped'
  err '*clc-filter --write-offsets, map the times, its %sync lines are those of the recorded times; use the recorded trace'
  run 0 'clc-filter --no-correction --ignore-clock-offsets -F text written | clc-sync --method measured | grep ^% | cmp - <(clc-sync --method measured archive | grep ^%)'
  run 0 'clc-filter --estimate=measured archive -o corrected.otf2'
  run 1 'clc-sync --method measured --ignore-clock-offsets corrected.otf2'
  err_has ': was corrected by clc-filter, its %sync lines'
fi

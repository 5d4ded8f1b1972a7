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
# What is refused.
run 1 'clc-filter --estimate=measured corrected'
err 'clc-filter: corrected: was corrected by clc-filter, its %sync lines are those of the recorded times; use the recorded trace'
run 1 'clc-sync --method measured without'
err 'clc-sync: without: --method measured has no solution: the trace has no measured offsets, lines %sync or %offset; use method smooth'
for line in '%sync 1 0 1 2 3' '%sync 1 0 1 2 3 4x' '%sync 1 0 1 2 3 x'; do
  run 1 "(cat without; echo '$line') | clc-sync --method measured"
  err "clc-sync: standard input: expected %sync PROCESS REFERENCE T1 T2 T3 T4, found '$line'"
done
run 1 '(cat without; echo "%sync 99 0 1 2 3 4") | clc-sync --method measured'
err 'clc-sync: standard input: %sync line of process 99, which is not defined'
run 1 '(cat without; echo "%offset 1 0") | clc-sync --method measured'
err "clc-sync: standard input: %offset line:1: expected %offset PROCESS TIME OFFSET \[ERROR], found '%offset 1 0'"
run 2 'clc-sync --burst best run'
err_has '--burst'

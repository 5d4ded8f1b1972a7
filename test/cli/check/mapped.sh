# Clocks that were mapped before the correction: the laws hold relative to mapped times, and the map is found.
needs_estimates
run 0 'clc-tracegen halo -n 8 --events 8000 --duration 60 --offset 5000 --drift 20 --seed 1 --truth truth -o run.clct'

# The corrected trace says how its clocks were mapped, in each format that keeps provenance.
for format in text binary; do
  run 0 "clc-filter --estimate -mmd 1 run.clct -F $format -o mapped"
  run 0 'clc-check run.clct mapped --truth truth'
  out_has 'Clocks were mapped before the correction: the laws hold relative to mapped times'
  out_has 'Verdict: good'
  out_has 'law 2 nothing before its mapped time: ok (8,000 events)'
  out_has 'messages, mapped'
  run 0 'clc-check --report-format json run.clct mapped | grep "mapped"'
  out_has '  "mapped": true,'
done
if clc-filter --version | grep -q libotf2; then
  run 0 'clc-filter --estimate -mmd 1 run.clct -F otf2 -o mapped.d && clc-check run.clct mapped.d/traces.otf2'
  out_has 'law 2 nothing before its mapped time: ok (8,000 events)'
  run 0 'clc-filter --no-correction mapped.d -F text | clc-filter --no-correction -o again && clc-check run.clct again'
  out_has 'law 2 nothing before its mapped time: ok (8,000 events)'
fi

# The map in a file is the same map, to the tick.
run 0 'clc-sync -mmd 1 run.clct >offsets && clc-filter --no-provenance --offsets offsets -mmd 1 run.clct -o by_file'
run 0 'clc-filter --no-provenance --estimate -mmd 1 run.clct | cmp - by_file'
run 0 'clc-check -mmd 1 --offsets offsets run.clct by_file'
out_has 'law 2 nothing before its mapped time: ok (8,000 events)'
run 1 'clc-check -mmd 1 run.clct by_file'
out_has 'law 2 nothing before its recorded time: BROKEN'

# What breaks a law is found relative to mapped times, too: an event that is a tick earlier, one of a second correction.
run 0 "sed '0,/^\\([0-9]*\\)1 3 /s//\\10 3 /' by_file >early"
run 1 'clc-check -mmd 1 --offsets offsets run.clct early'
out_has 'law 2 nothing before its mapped time: BROKEN (1 of 8,000 events)'
out_has ', mapped to '
# A correction of a mapped trace: its map belongs to the step before.
run 0 'clc-filter -mmd 6 mapped -o twice && clc-check mapped twice'
out_has 'law 2 nothing before its recorded time: ok (8,000 events)'

# Coarse clocks: a tick as recorded is allowed for, although mapped times are no multiples of it.
run 0 'clc-tracegen master-worker -n 6 --seed 1 --events 20000 --duration 2 --jitter 0.2 --tick 3 -o coarse.clct; clc-filter --estimate coarse.clct -o mapped; clc-check coarse.clct mapped | grep ^Verdict'
out 'Verdict: good'

run 2 'clc-check --offsets offsets run.clct'
err 'clc-check: --offsets needs a corrected trace in addition to the recorded one*'
run 1 'clc-check --offsets none run.clct by_file'
err 'clc-check: none: cannot be opened: No such file or directory; check the name'

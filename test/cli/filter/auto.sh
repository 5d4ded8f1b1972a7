# --auto: clocks estimated, minimum delay and clock difference chosen from them.
if ! can_estimate; then
  small_trace >run.clct
  run 2 'clc-filter --auto run.clct'
  err_has 'without Eigen'
  skip 'built without Eigen'
fi

# What is chosen is printed, noted, and can be pasted; with a minimum delay of the trace's own that one is used.
run 0 'clc-tracegen halo -n 8 --events 20000 --duration 20 --offset 5000 --drift 20 --seed 1 --truth truth -o full.clct'
run 0 'grep -v "^%min-delay" full.clct >run.clct'
run 0 'clc-filter --auto run.clct -o corrected'
err_has 'clc-filter: chosen: -mmd '
[[ $(cat "$logs/err") =~ ^clc-filter:\ chosen:\ -mmd\ ([0-9.]+)\ -cldiff\ ([0-9.]+)$ ]] || fail "printed: $(cat "$logs/err")"
mmd=${BASH_REMATCH[1]} cldiff=${BASH_REMATCH[2]}
# Nine tenths of the smallest delay, which is 5 us: an estimate of clocks is not exact, so it may be a little off.
run 0 "awk 'BEGIN { exit !($mmd > 3.5 && $mmd < 5) }'"
run 0 "clc-filter --estimate -mmd $mmd -cldiff $cldiff --no-provenance run.clct | cmp - <(clc-filter -q --auto --no-provenance run.clct)"
run 0 'head -n 2 corrected'
out_has " -mmd $mmd "
out_has " -cldiff $cldiff "
out_has ' --estimate=smooth'
run 0 'clc-check run.clct corrected'
out_has 'Verdict: good'
run 0 'clc-filter --auto full.clct -o /dev/null'
err 'clc-filter: chosen: -mmd 5 -cldiff 10'
run 0 'clc-filter -q --auto run.clct -o /dev/null'

# Each alone; the last option wins.
run 0 'clc-filter -mmd auto run.clct -o corrected'
err "clc-filter: chosen: -mmd $mmd"
run 0 'clc-check run.clct corrected'
out_has 'law 2 nothing before its recorded time: ok'
run 0 'clc-filter --auto -mmd 2 run.clct -o /dev/null'
err 'clc-filter: chosen: -cldiff 10'
run 0 'clc-filter -mmd 2 --auto --estimate=off run.clct -o /dev/null'
err_has "clc-filter: chosen: -mmd $mmd -cldiff"
# Without a map clocks are as far apart as they were recorded.
run 0 "awk 'BEGIN { exit !($(sed -n 's/.*-cldiff //p' "$logs/err") > 1000) }'"

# Processes of one node have a minimum delay of their own.
run 0 "sed 's/^\(%process [0-3] .*\)/\1 node=a/; s/^\(%process [4-7] .*\)/\1 node=b/' run.clct >nodes.clct"
run 0 'clc-filter --auto nodes.clct -o /dev/null'
err_has ' -mmd node='

# A trace whose clocks are right stays as it is, bit for bit.
run 0 'clc-tracegen halo -n 8 --seed 5 --offset 0 --drift 0 --events 4000 -o full.clct && grep -v "^%min-delay" full.clct >right.clct'
run 0 'clc-filter -q --auto --no-provenance right.clct | cmp - right.clct'
# Also a short one whose processes share nodes, where little is known of the network.
for scenario in 'halo -n 9 --events 200 --jitter 200' 'random -n 6 --events 400 --jitter 20'; do
  for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    run 0 "clc-tracegen $scenario --offset 0 --drift 0 --nodes 2 --node-delay 5 --no-min-delay --seed $seed -o right.clct"
    run 0 'clc-filter -q --auto --no-provenance right.clct | cmp - right.clct'
  done
done

# The recorded ring on one computer, whose clocks begin at zeros of their own.
ring=$CLC_SOURCE/data/eztrace-ring.clct.zst
run 0 "clc-filter -q --auto $ring -o ring --report report && clc-check --report-format json $ring ring >judged"
run 0 "sed -n 's/^ *\([0-9]*\) jumps.*/\1/p' report | awk '{ exit !(\$1 <= 50) }'"

run 2 'clc-filter --auto --online run.clct'
err_has 'which --online cannot'
run 2 'clc-filter --auto --no-correction run.clct'
err_has 'makes no sense with --no-correction'
# A delay of some pairs or of nodes leaves the others to be chosen, in any order.
clc-filter --auto run.clct -o /dev/null 2>chosen
for given in '--auto -mmd 0:1=5' '-mmd 0:1=5 --auto' '--auto -mmd node=5' '-mmd 0:1=5 -mmd auto -cldiff auto --estimate'; do
  run 0 "clc-filter $given run.clct -o /dev/null"
  err_has "chosen: -mmd $mmd "
done

# The verdict on runs with right and wrong parameters: no right run is bad, no wrong run is good.
#   right    not bad          good   nothing is printed
#   wrong    not good         bad    --strict fails with status 3
rows=0
row() {  # EXPECTED NAME COMMAND...: a run of the filter, by the verdict of its report
  local expected=$1 name=$2
  shift 2
  rows=$((rows + 1))
  rm -f report
  clc-filter --dry-run "$@" --report report --report-format json 2>err
  local verdict reasons
  verdict=$(sed -n 's/^  "verdict": "\(.*\)",$/\1/p' report)
  reasons=$(sed -n 's/^      "key": "\(.*\)",$/\1/p' report | tr '\n' ' ')
  [ -z "${CLC_VERBOSE:-}" ] || printf '%-9s %-9s %-45s %s\n' "$expected" "$verdict" "$name" "$reasons" >&2
  case $expected/$verdict in
    good/good | right/good | right/doubtful | wrong/doubtful | wrong/bad | bad/bad) ;;
    *) fail "$name: the verdict is $verdict ($reasons), expected $expected" ;;
  esac
  [ "$(grep -c 'verdict' err)" = "$(wc -w <<<"$reasons")" ] || fail "$name: not a line for each reason: $(cat err)"
  [ "$verdict" != bad ] || { clc-filter -q --strict --dry-run "$@" 2>/dev/null; [ $? = 3 ]; } || fail "$name: --strict"
}
make() { clc-tracegen "$@" --no-provenance -o trace || fail "clc-tracegen $*"; }

for scenario in halo ring pairs master-worker random collectives finite-elements; do
  make "$scenario" -n 8 --events 8000 --offset 200 --seed 1
  row good "$scenario" trace
  row good "$scenario, -mmd 1" -mmd 1 trace
  row bad "$scenario, -mmd in nanoseconds" -mmd 5000 trace
  row bad "$scenario, -mmd 100000" -mmd 100000 trace
done
make halo -n 8 --events 8000 --offset 200 --seed 1
row wrong 'halo, twice the delay' -mmd 10 trace
row bad 'halo, four times the delay' -mmd 20 trace
row wrong 'halo, -cldiff 0' -cldiff 0 trace
row wrong 'halo, -maxerr 100' -maxerr 100 trace
row right 'halo, -cldiff 1e9' -cldiff 1e9 trace
row right 'halo, -maxerr 1e-6' -maxerr 1e-6 trace
row bad 'halo, --wait-limit 1e-5' --wait-limit 1e-5 trace
sed 's/%resolution 1000000000/%resolution 1000000000000/; /%min-delay/d' trace >fine
row bad 'halo, nanoseconds read as picoseconds' -mmd 5 fine
sed 's/%resolution 1000000000/%resolution 1000000/; /%min-delay/d' trace >coarse
row wrong 'halo, nanoseconds read as microseconds' -mmd 5 coarse
make halo -n 8 --events 8000 --offset 60000000 --seed 1
row bad 'halo, clocks a minute apart' trace
# First records are missing, and sends that came later were matched in their place: no longer wait would mend that.
make halo -n 9 --events 6000 --duration 3 --offset 2000 --record-late 3:0.5 --seed 4
row bad 'halo, first records missing, live' --online --wait-limit 0.5 trace
grep -q 'matched in their place; correct the complete trace with --match whole' err || fail "no remedy: $(cat err)"
grep -q 'wait-limit' err && fail "a longer wait: $(cat err)"
# Waits for sends that never came, given up for memory, do no harm.
make halo -n 8 --events 60000 --rate 50000 --end-early 3:0.02 --seed 1
row right 'halo, a process ends early, little memory' --match fifo --max-memory 1M trace
make halo -n 8 --events 8000 --duration 100 --offset 200 --wander 0.3 --seed 1
row good 'halo, wander' trace
row bad 'halo, wander, -mmd in nanoseconds' -mmd 5000 trace
make halo -n 8 --events 8000 --duration 100 --offset 200 --ntp 16:500 --seed 1
row right 'halo, NTP' trace
row bad 'halo, NTP, -mmd in nanoseconds' -mmd 5000 trace
# Most round trips take milliseconds of computation; a few prove that eight times the right delay is wrong.
make halo -n 16 --rate 2000 --duration 10 --offset 500 --no-min-delay --seed 1
row good 'halo, few round trips' -mmd 5 trace
row wrong 'halo, few round trips, -mmd 40' -mmd 40 trace
grep -q 'round trips take less than half of it' err || fail "not told: $(cat err)"
make ring -n 8 --events 8000 --duration 100 --offset 200 --ntp 16:500 --seed 1
row right 'ring, NTP' trace
row bad 'ring, NTP, -mmd in nanoseconds' -mmd 5000 trace
# A clock at the wrong rate, and one that stops for half of the run: their differences are no reason to change intervals.
make halo -n 4 --duration 10 --rate 2000 --offset 200 --seed 1
awk '/^[0-9]/ && $2 == 3 { $1 = sprintf("%.0f", $1 / 1.1) } { print }' trace | clc-filter -q --no-correction --sort-window 1000000 >rate
row wrong 'halo, a clock 10 % slow' rate
run 0 'clc-filter -q -o corrected rate; clc-check rate corrected'
out_has 'and whether clocks were set or run at different rates'
awk '/^[0-9]/ && $2 == 3 { $1 = sprintf("%.0f", $1 < 5e9 ? $1 : $1 < 7.5e9 ? 5e9 : $1 - 2.5e9) } { print }' trace |
  clc-filter -q --no-correction --sort-window 3000000 >stops
row wrong 'halo, a clock that stops' stops
# The trace grows at the beginning if the clock runs backwards.
make coarse-clock --events 20000 --seed 3
row bad 'coarse clocks' trace
if grep -q 'use -cldiff' err; then fail 'what the correction has moved is taken for a difference of the clocks'; fi
row bad 'coarse clocks, backwards' --backwards trace
row bad 'coarse clocks, both ways' --combine mean trace
run 0 'clc-filter -q --backwards -o corrected trace; clc-check trace corrected'
out_has '  bad: the trace became '
make halo -n 8 --events 8000 --offset 200 --steps 5:500 --seed 1
row right 'halo, clocks that step' trace
row bad 'halo, clocks that step, -mmd in nanoseconds' -mmd 5000 trace
make halo -n 8 --events 8000 --offset 20 --resync 0.01:30 --seed 1
row right 'halo, clocks set every 10 ms' trace
make halo -n 8 --events 8000 --offset 20 --tick 1 --seed 1
row good 'halo, clocks of 1 us' trace
row bad 'halo, clocks of 1 us, -mmd in nanoseconds' -mmd 5000 trace
# Clocks so coarse that many messages begin and end within a tick need the bound of regulator D that the line names.
make collectives -n 8 --events 8000 --offset 200 --tick 100 --seed 1
row bad 'collectives, clocks of 100 us' trace
run 0 'clc-filter --dry-run trace'
err_has 'clocks tick only every 100 us, a message may take 5 us; use --gamma-min 0'
row right 'collectives, clocks of 100 us, --gamma-min 0' --gamma-min 0 trace
make halo -n 8 --events 8000 --offset 200 --tick 100 --seed 1
run 0 'clc-filter --dry-run --gamma-min 0 trace'
err_has 'a message may take 5 us; do not rely on intervals shorter than a tick'
row right 'halo, clocks of 100 us, --gamma-min 0' --gamma-min 0 trace
row right 'halo, clocks of 100 us, -mmd 0.001' --gamma-min 0 -mmd 0.001 trace
if grep -q 'less than a thousandth' err; then fail 'a small delay is blamed, although the clocks are too coarse to tell'; fi
# Slewed clocks differ by a whole trip between two messages that are a thousand times as far apart.
make pairs -n 2 --events 3000 --rate 1000 --ntp 0.1:500 --seed 3
row good 'pairs, clocks slewed by 500 ppm' trace
clc-filter -q --dry-run --report text trace
if grep -q ADVICE text; then fail "advice for slewed clocks: $(grep ADVICE text)"; fi
# Maps: at rates of no clock, with the wrong sign, of coarse clocks.
if can_estimate; then
  make halo -n 9 --events 5000 --rate 500000 --delay 300 --resync 0.01:100 --seed 14
  row wrong 'halo, clocks that are set, estimated' --estimate trace
  if grep 'was mapped at a rate of' err; then fail 'all clocks are slowed down'; fi
  make halo -n 9 --events 5000 --rate 500000 --drift 6000 --seed 14
  row wrong 'halo, estimated rates of 0.6 %' --estimate trace
  grep -q 'was mapped at a rate of' err || fail "the rate is not told: $(cat err)"
  make halo -n 8 --events 20000 --rate 20000 --offset 2000 --drift 20 --bursts 10 --seed 3
  clc-sync --method measured trace -o offsets
  awk '/^%offset/ { if ($4 ~ /^-/) sub(/^-/, "", $4); else $4 = "-" $4 } { print }' offsets >turned
  row good 'halo, measured offsets' --offsets offsets trace
  row wrong 'halo, measured offsets with the wrong sign' --offsets turned trace
  grep -q 'contradict the trace' err || fail "wrong offsets are not told: $(cat err)"
  # Of one process, of no use, and where nothing but collective operations tells.
  awk '/^%offset/ { $4 /= 1000 } { print }' offsets >small
  row wrong 'halo, measured offsets in a wrong unit' --offsets small trace
  for offset in 0 2000; do
    make halo -n 16 --events 8000 --offset $offset --bursts 4 --seed 7
    clc-sync -q --method measured trace -o offsets
    awk '/^%offset/ { if ($2 == 3) $4 += 1.5e6 } { print }' offsets >one
    row good "halo, clocks within $offset us, measured offsets" --offsets offsets trace
    row wrong "halo, clocks within $offset us, wrong offsets of one process" --offsets one trace
    grep -q 'messages of process 3 are received up to\|summed over pairs' err || fail "the process is not told: $(cat err)"
  done
  make collectives -n 8 --events 8000 --offset 2000 --seed 7
  clc-sync trace -o offsets
  awk '/^%offset/ { if ($4 ~ /^-/) sub(/^-/, "", $4); else $4 = "-" $4 } { print }' offsets >turned
  for options in '' '--backwards' '--estimate=measured'; do
    row good "collectives, offsets, $options" --offsets offsets $options trace
    row wrong "collectives, offsets with the wrong sign, $options" --offsets turned $options trace
    grep -q 'summed over processes, collective operations end' err || fail "wrong offsets are not told: $(cat err)"
  done
  # Wrong at some time only: one outlier, and the line through two offsets 1 ms apart, in a trace without an error.
  {
    printf '%%clc-trace 1\n%%min-delay 5000\n%%process 0\n%%process 1\n%%group 0 0 1\n'
    awk 'BEGIN { for (i = 0; i < 2000; ++i) { t = 1000000 + i * 10000000; printf "%.0f 0 S 1 0 7 8\n%.0f 1 R 0 0 7 8\n%.0f 1 S 0 0 7 8\n%.0f 0 R 1 0 7 8\n", t, t + 6000, t + 20000, t + 26000 } }'
  } >trace
  printf '%%offset 0 1000000 0 0\n%%offset 1 1000000 0 300\n%%offset 1 10000000000 1000000 300\n%%offset 1 19991026000 0 300\n' >outlier
  printf '%%offset 0 1000000 0 0\n%%offset 1 1000000 0 300\n%%offset 1 2000000 -700 300\n' >steep
  printf '%%offset 0 1000000 0 0\n%%offset 1 1000000 0 300\n%%offset 1 10000000000 4000 300\n%%offset 1 19991026000 0 300\n' >near
  for options in '' '--estimate=measured' '--backwards' '--combine mean' '--from 9 --to 11'; do
    row wrong "one wrong offset, $options" --offsets outlier $options trace
    grep -q 'messages are received 99[0-9.]* us before they are sent, against 0 us in recorded times' err || fail "the outlier is not told: $(cat err)"
    row good "good offsets, $options" --offsets near $options trace
  done
  row wrong 'offsets at two moments' --offsets steep trace
  row wrong 'offsets at two moments, in two passes' --estimate=measured --offsets steep trace
  # Without messages, collective operations tell.
  { head -n 5 trace; awk 'BEGIN { for (i = 0; i < 2000; ++i) { t = 1000000 + i * 10000000; printf "%.0f 0 B\n%.0f 1 B\n%.0f 0 X barrier 0 - 0 0\n%.0f 1 X barrier 0 - 0 0\n", t, t, t + 6000, t + 6000 } }'; } >barriers
  row good 'barriers' barriers
  row wrong 'barriers, one wrong offset' --estimate=measured --offsets outlier barriers
  # Offsets that are no better than messages, of clocks that drift apart.
  for seed in 1 2 3 4 5 6; do
    make halo -n 2 --events 20000 --duration 5 --drift 100 --bursts 5 --seed $seed
    clc-sync -q --method measured trace -o offsets
    row good "halo, measured offsets, seed $seed" --offsets offsets trace
    awk -v seed=$seed -v CONVFMT=%.13g -v OFMT=%.13g 'BEGIN { srand(seed) } /^%offset 1/ { $4 += 30000 * (rand() - rand()) } { print }' offsets >noisy
    row good "halo, measured offsets that are wrong by 30 us, seed $seed" --offsets noisy trace
  done
  make ring -n 8 --rate 1000 --events 4000 --drift 50 --tick 20 --seed 2
  row good 'ring, clocks of 20 us, estimated' --estimate trace
  row good 'ring, clocks of 20 us, estimated, backwards' --estimate --backwards trace
  grep -q '"granularity_us": 20,' report || fail "not the granularity of the recorded times"
fi
# Records that are known to be missing shift those behind them, first in, first out.
make pairs -n 4 --events 2000 --rate 20000 --offset 20 --lose-receives 5 --seed 941
row wrong 'pairs, lost receives, --match fifo' --match fifo trace
row good 'pairs, lost receives' trace
make pairs -n 4 --events 2000 --rate 20000 --offset 20 --end-early 3:0.95 --seed 941
row good 'pairs, a process ends early, --match fifo' --match fifo trace
# Those that are missing at its begin, too: what is left over at the end is not as far from it as clocks seem to differ.
for scenario in halo ring pairs finite-elements; do
  make "$scenario" -n 8 --events 10000 --offset 200 --record-late 2:0.05 --seed 2
  row wrong "$scenario, a process recorded late, --match fifo" --match fifo trace
  grep -q 'records of .* are missing, and the messages after them are matched off by one' err || fail "not told: $(cat err)"
  make "$scenario" -n 8 --events 10000 --offset 200 --end-early 2:0.5 --seed 2
  row right "$scenario, a process ends early, --match fifo" --match fifo trace
done
# What lengths, distances and wrong matches make too large is not blamed on the minimum delay.
make halo -n 4 --events 4000 --rate 20000 --size 64K --seed 5
row bad 'halo, 64 KiB at 10 MB/s' --bandwidth 10 trace
if grep -v -- '--bandwidth' err | grep -q .; then fail "the bandwidth is not blamed: $(cat err)"; fi
make halo -n 4 --events 1000 --rate 20000 --offset 0 --seed 33
row bad 'halo, events 100 us apart' --delta 100 trace
if grep -v -- '--delta' err | grep -q .; then fail "the distance is not blamed: $(cat err)"; fi
make finite-elements -n 9 --events 8000 --rate 1000 --offset 20 --lose-sends 0.1 --lose-burst 50 --seed 925
row wrong 'finite-elements, bursts of sends lost' trace
if grep -q -e 'use -cldiff' -e 'use a larger -mmd' err; then fail "advice by messages that are matched wrongly"; fi
grep -q 'messages may be matched wrongly' err || fail "wrong matches are not told: $(cat err)"
make scenario2 --events 2000 --seed 1
row right 'scenario2' trace
row good 'scenario2, -cldiff 10000' -cldiff 10000 trace
row wrong 'scenario2, -mmd in nanoseconds' -mmd 5000 trace
make halo -n 4 --events 5000 --offset 3000 --seed 3
row bad 'halo, the delay of a pair too large' -mmd 0:1=30000 trace
run 0 'clc-filter --dry-run -mmd 0:1=30000 trace'
err_has 'verdict bad: a minimum message delay is too large: '
make halo -n 16 --events 8000 --end-early 3:0.5 --seed 1
row right 'halo, a process ends early' trace

ring=$CLC_SOURCE/data/eztrace-ring.clct.zst
row good 'EZTrace ring' -mmd 0.5 -cldiff 50000 "$ring"
row wrong 'EZTrace ring, default -mmd and -cldiff' "$ring"
row wrong 'EZTrace ring, ten times the delay' -mmd 5 -cldiff 50000 "$ring"
row bad 'EZTrace ring, -mmd in nanoseconds' -mmd 500 -cldiff 50000 "$ring"

# Records that look like messages but are none, and a trace of one process.
printf '%s\n' '%clc-trace 1' '%process 0 a' '%process 1 b' '%group 0 0 1' '1000 0 SEND 1 0 0 8' '2000 1 RECV 0 0 0 8' \
  '3000 1 I other' '3000 1 RECV 0 0 0 8' >words
run 0 'clc-filter --no-provenance --strict words | cmp - words'
err 'clc-filter: warning: verdict doubtful: no messages or collective operations between 2 processes were found, so nothing can be corrected or checked; the trace has records of other kinds: "SEND" (1) "RECV" (2); see clc-trace(5), or OTF2 ARCHIVES in clc-filter(1), for the kinds that count'
run 0 'clc-filter -q words >/dev/null'
run 0 'clc-filter -q --dry-run --report - words'
out_has 'Verdict: doubtful'
run 0 'long_trace 10 | clc-filter >/dev/null'
# Collective operations alone show how far clocks are apart, to the filter and to the judge.
make collectives -n 8 --events 3000 --offset 200 --seed 1
run 0 'clc-filter trace -o corrected && clc-check trace corrected'
out_has 'Verdict: good'
# A delay that is far too small, to the judge also of the recorded trace.
make halo -n 8 --events 3000 --offset 200 --seed 1
run 1 'clc-check -mmd 0.001 trace'
out_has 'is less than 1/800 of half the fastest round trip'
run 0 'clc-filter -q -mmd 0.001 trace -o corrected && clc-check -mmd 0.001 trace corrected'
out_has 'is less than 1/800 of half the fastest round trip'
# Clocks count, not processes: threads of one process need no messages.
printf '%s\n' '%clc-trace 1' '%process 0 a' '%process 1 b clock=0' '%process 2 c' '1000 0 I' '2000 1 I' >threads
run 0 'clc-filter threads >/dev/null && clc-check threads'
out_has 'Verdict: good'
echo '3000 2 I' >>threads
run 0 'clc-filter threads >/dev/null'
err 'clc-filter: warning: verdict doubtful: no messages or collective operations between 2 clocks were found*'
run 0 'clc-check threads'
out_has '  doubtful: no messages or collective operations between 2 clocks were found'
run 0 'clc-filter -q threads -o moved && clc-check threads moved'
out_has '  doubtful: no messages or collective operations between 2 clocks were found'
run 0 'clc-filter --clock-of location threads >/dev/null'
err 'clc-filter: warning: verdict doubtful: no messages or collective operations between 3 processes were found*'

# Advice does no harm: a trace without violations has none with the minimum delay that is advised for it.
for scenario in halo pairs master-worker random ring; do
  make "$scenario" -n 8 --events 8000 --offset 100 --seed 2
  clc-filter -q -mmd 5 trace -o corrected
  advice=$(clc-filter -q -mmd 0.1 --dry-run --report - trace | sed -n -E 's/^(ADVICE.*|.*could be larger:) -mmd ([0-9.]+).*/\2/p')
  run 0 "clc-check -mmd $advice corrected >/dev/null"
  run 0 "awk 'BEGIN { exit !($advice <= 5 && $advice >= 3.5) }'"
done

# Groups that do not exchange messages [R 4.4.4]: proof that clocks run ahead comes late.
run 0 'clc-tracegen pairs -n 32 --rate 32 --duration 1800 --seed 3 --offset 100 --temperature 40:60 --drift 0 -o in'
run 0 'clc-filter in -o out'
err_has 'verdict doubtful: all processes of a group that messages connect have moved by at least 27.83 ms'
run 0 'clc-check in out | grep -c "all processes of a group that messages connect have moved by at least 27.83 ms"'
out 1
row good 'groups, values of the thesis' in --regulators-as thesis
row good 'groups, clocks estimated first' in --estimate
run 0 'clc-tracegen pairs -n 2 --rate 32 --duration 1800 --seed 3 --offset 100 --temperature 40:60 --drift 0 -o in'
row good 'a pair' in
# The first jump is a hundred times -cldiff, so it is a hundred times as steep as -maxerr.
run 0 '{ printf "%%clc-trace 1\n%%resolution 1000000\n%%process 0 a\n%%process 1 b\n%%group 0 0 1\n"; seq 0 10000 1000000 | sed "s/$/ 1 I/"; printf "1000001 1 R 0 0 0 8\n1100000 0 S 1 0 0 8\n"; } >in'
run 0 'clc-filter in -q -mmd 1 --dry-run --report - 2>/dev/null | grep -oE "theorem 17 allows [0-9.]* %"'
out 'theorem 17 allows 50.024 %'

traces=${CLC_DATA:-$CLC_SOURCE/../shared/data}
if [ -f "$traces/cloverleaf-drift.clct.zst" ]; then
  row good 'CloverLeaf' -mmd 1 "$traces/cloverleaf-drift.clct.zst"
  row bad 'CloverLeaf, -mmd in nanoseconds' -mmd 1000 "$traces/cloverleaf-drift.clct.zst"
  row bad 'CloverLeaf, -mmd 100000' -mmd 100000 "$traces/cloverleaf-drift.clct.zst"
  row wrong 'CloverLeaf, -maxerr 50' -maxerr 50 "$traces/cloverleaf-drift.clct.zst"
  row wrong 'CloverLeaf, -cldiff 0' -cldiff 0 "$traces/cloverleaf-drift.clct.zst"
  row bad 'CloverLeaf, --wait-limit 1e-6' --wait-limit 1e-6 "$traces/cloverleaf-drift.clct.zst"
  row good 'stencil' -mmd 1 "$traces/stencil4d-32.clct.zst"
  row wrong 'stencil, -mmd 80.8' -mmd 80.8 "$traces/stencil4d-32.clct.zst"
  row bad 'stencil, -mmd in nanoseconds' -mmd 1000 "$traces/stencil4d-32.clct.zst"
  xzcat "$traces/smpi-ring4.paje.xz" >smpi
  row good 'SimGrid ring' smpi
  row bad 'SimGrid ring, -mmd in nanoseconds' -mmd 1000 smpi
fi
[ "$rows" -ge 20 ] || fail "$rows runs only"
[ -f "$traces/cloverleaf-drift.clct.zst" ] || skip "the rows of real traces: there are none in $traces"

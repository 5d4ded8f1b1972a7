# Mapping clocks before the correction: --offsets, --estimate.
if ! can_estimate; then
  small_trace >run.clct
  run 2 'clc-filter --estimate run.clct'
  err_has 'without Eigen'
  skip 'built without Eigen'
fi
clc-tracegen halo -n 8 --seed 5 --offset 5000 --drift 20 --events 20000 --truth true.clct -o run.clct
clc-sync run.clct >offsets
run 0 'clc-filter --offsets offsets --no-provenance run.clct -o by-map.clct'
run 0 'clc-filter --estimate --no-provenance run.clct -o estimated.clct'
# What clc-sync prints is the same map.
run 0 'cmp by-map.clct estimated.clct'
# The clock condition holds, and delays are a tenth as wrong as those of the clock alone.
run 0 'clc-check estimated.clct | grep "^Clock condition"'
out_has 'Clock condition: holds'
delay() { clc-check run.clct "$1" --truth true.clct | awk '/message delays, us, after/ { print $6 }'; }
clc-filter run.clct -o alone.clct
run 0 'echo "$(delay estimated.clct) $(delay alone.clct)" | awk "{ print (\$1 < \$2 / 10) }"'
out 1
# With any number of threads, in any format, and without the trace's order of records within the spread.
run 0 'clc-filter --threads 3 --estimate --no-provenance run.clct | cmp - estimated.clct'
run 0 'clc-filter --no-correction --no-provenance -F binary run.clct -o run.clcb; clc-filter --estimate -F text --no-provenance run.clcb | cmp - estimated.clct'
# The recorded times are those that were read.
run 0 'clc-filter --estimate --keep-original --no-provenance run.clct | grep -v ^% | sed "s/.*@=//" | sort -n | cmp - <(grep -v ^% run.clct | cut -d" " -f1 | sort -n)'
# It stands in the provenance and in the report.
run 0 'clc-filter --estimate=line run.clct --dry-run --report - | head -n 2'
out_has '--estimate=line'
out_has 'Clocks estimated first: binding edges below the minimum delay: recorded'
run 0 'clc-filter --estimate=line run.clct | grep ^%provenance'
out_has ' --estimate=line'
run 0 'clc-filter --offsets offsets run.clct | grep ^%provenance'
out_has ' --offsets offsets'
# The figures of each clock are those of clc-sync.
run 0 'clc-filter --estimate --dry-run --report - --report-format json run.clct | python3 -c "
import json, sys
for clock in json.load(sys.stdin)[\"estimated_clocks\"]:
    print(clock[\"number\"], *(\"%.3f\" % clock[key] for key in (\"first_us\", \"last_us\", \"error_us\", \"bound_us\")), clock[\"note\"])
"'
out "$(clc-sync run.clct | sed -n 's/^# *\([0-9][^;]*.*\)/\1/p' | awk '{ note = $9; for (i = 10; i <= NF; i++) note = note " " $i; print $1, $2, $3, $6, $7, note }')"
# The processes of one clock have one map: what process 100 records together with process 0 stays together.
awk '/^[0-9]/ && !done { print "%process 100 thread clock=0"; done = 1 } { print } /^[0-9]+ 0 / { print $1, 100, "I" }' run.clct >threads.clct
run 0 'clc-filter --estimate --keep-original --no-provenance threads.clct -o together.clct'
run 0 'sed -nE "s/^([0-9]+) (0|100) .*@=([0-9]+).*/\2 \3 \1/p" together.clct | sort -u >times; grep -c ^100 times'
[ "$(cat "$logs/out")" -gt 1000 ] || fail 'no records of the thread'
run 0 'diff <(sed -n "s/^0 //p" times) <(sed -n "s/^100 //p" times)'
# With a bandwidth, 100 us for the length of each message to a higher rank move no clock; without it they do.
awk '/^[0-9]/ && $3 == "S" && $2 < $4 { $1 -= 100000; $7 = 100000 } { print }' run.clct >unsorted
(grep ^% unsorted; grep -v ^% unsorted | sort -sn -k1,1) >long.clct
apart() { awk '$1 == "%offset" { print $2, $4 }' "$1" >map; awk '$1 == "%offset" { print $2, $4 }' offsets | paste -d ' ' - map | awk '{ by = $2 - $4; if (by < 0) by = -by; if (by > most) most = by } END { print (most < 5000), (most > 20000) }'; }
run 0 'clc-sync --method line run.clct >offsets; clc-sync --method line --bandwidth 1000 long.clct >with; clc-sync --method line long.clct >without; apart with; apart without'
out $'1 0\n0 1'
run 0 'clc-filter --estimate=line --bandwidth 1000 --no-provenance long.clct | cmp - <(clc-filter --offsets with --bandwidth 1000 --no-provenance long.clct)'
# The delay of a node, of its pairs or of a communicator: none of them contradicts the estimate.
clc-tracegen halo --seed 25 -n 4 --events 6000 --rate 6000 --nodes 2 --delay 40 --node-delay 3 --offset 3000 --no-min-delay -o nodes.clct
run 0 'clc-filter --estimate -mmd 40 -mmd node=3 --no-provenance nodes.clct -o by-node; clc-filter --estimate -mmd 40 -mmd 0:1=3 -mmd 1:0=3 -mmd 2:3=3 -mmd 3:2=3 --no-provenance nodes.clct | cmp - by-node'
sed 's/^%group.*/& min-delay=3000/' nodes.clct >group.clct
run 0 "clc-filter --estimate -mmd 40 group.clct --dry-run --report - | sed -n 's/; \(mapped.*\)/\1/p' | grep -c 'mapped 0[. ]'"
# The name of a file stays one word of the provenance.
run 0 $'cp offsets \'my\nmap -mmd 50\'; clc-filter --offsets \'my\nmap -mmd 50\' run.clct | clc-check run.clct - | grep -c "law 1.*ok"'
out 1
run 0 $'cp run.clct \'a\nb\'; clc-sync \'a\nb\' | clc-filter --offsets /dev/stdin run.clct --no-provenance | cmp - by-map.clct'
# Published methods, as clc-sync.
for method in duda jezequel hofmann hofmann-hilgers variable; do
  run 0 "clc-filter --estimate=$method --no-provenance run.clct | cmp - <(clc-filter --offsets <(clc-sync --method $method run.clct) --no-provenance run.clct)"
done
run 0 'clc-filter --estimate=duda run.clct | grep ^%provenance'
out_has ' --estimate=duda'
# A trace whose clocks are right stays as it is.
clc-tracegen halo -n 8 --seed 5 --offset 0 --drift 0 --events 4000 -o right.clct
run 0 'clc-filter --estimate --no-provenance right.clct | cmp - right.clct'
# Clocks that are set: around a step a map is wrong, so it must be better by far. It is named, and so is each clock.
for seed in 1 2 3; do
  clc-tracegen random -n 6 --offset 3000 --steps 2:300 --events 20000 --rate 2000 --seed $seed -o set.clct
  run 0 'clc-filter --estimate --no-provenance set.clct | cmp - <(clc-filter --no-provenance set.clct)'
  err 'clc-filter: warning: *process * at about *; nothing is mapped'
done
run 0 'clc-filter -q --estimate --dry-run --report - set.clct'
out_has '; the clock of process 1 was set at about tick '
clc-tracegen random -n 6 --offset 1000000 --steps 2:300 --events 20000 --rate 2000 --seed 1 -o set.clct
run 0 'clc-filter --estimate set.clct | grep -c "^%provenance offset" >lines'
err 'clc-filter: warning: clocks were set: that of process * at about *; the map is wrong around each step, and less certain after it'
[ "$(cat lines)" -gt 0 ] || fail 'a map that is better by far is not applied'
# A minimum delay that is too large makes messages contradict each other: an estimate that is not used for that is told.
clc-tracegen halo --seed 7 -n 8 --events 4000 --duration 4 --delay 1000 --jitter 20 -o slow.clct
run 0 'clc-filter --estimate -mmd 1100 --no-provenance slow.clct | cmp - <(clc-filter -q -mmd 1100 --no-provenance slow.clct)'
err 'clc-filter: warning: verdict doubtful: messages contradict each other: clocks were set, or -mmd is too large; recorded times are at least as good: nothing is mapped'
run 0 'clc-filter --estimate slow.clct | grep -c "^%provenance offset" >lines'
clc-tracegen halo --seed 7 -n 8 --events 4000 --duration 4 --size 1M --bandwidth 1000 -o slow.clct
run 0 'clc-filter --estimate --bandwidth 900 slow.clct -o none.clct; rm slow.clct none.clct'
err_has 'verdict doubtful: messages contradict each other: clocks were set, -mmd is too large, or --bandwidth is too small; recorded times are at least as good: nothing is mapped'
# No map, no change: --estimate=off and a file without lines.
run 0 'clc-filter --estimate --estimate=off --no-provenance run.clct | cmp - <(clc-filter --no-provenance run.clct)'
run 0 'clc-filter --offsets /dev/null --no-provenance run.clct | cmp - <(clc-filter --no-provenance run.clct)'
err 'clc-filter: warning: /dev/null: has no %offset line; no clock is mapped'
# A process moved by hand.
run 0 'printf "%%offset 0 0 1000000\n" >moved; clc-filter --offsets moved --no-provenance --keep-original right.clct | grep -v ^% | awk "\$2 == 0 { sub(/.*@=/, \"@ &\"); split(\$0, p, \"@=\"); if (\$1 < p[2] + 1000000) print }" | wc -l'
out 0
err "clc-filter: warning: verdict doubtful: the offsets by which the clocks were mapped contradict the trace: *"
# Archives.
if clc-filter --version | grep -q OTF2; then
  run 0 'clc-tracegen halo -n 8 --seed 5 --offset 5000 --start 1000000000 --events 20000 -F otf2 -o archive'
  run 0 'clc-filter --estimate archive -o corrected && clc-check corrected | grep "^Clock condition"'
  out_has 'Clock condition: holds'
fi
# What can be read once only is kept in a temporary file that nobody sees, compressed or not.
mkdir temporary
export TMPDIR=$PWD/temporary
run 0 'cat run.clct | clc-filter --estimate --no-provenance | cmp - estimated.clct'
run 0 'clc-filter --estimate --no-provenance <run.clct | cmp - estimated.clct'
run 0 'zstd -qc run.clct | clc-filter --estimate --no-provenance | zstd -dc | cmp - estimated.clct'
run 0 'clc-filter --estimate --no-provenance <(cat run.clcb) -F text | cmp - estimated.clct'
run 0 'ls temporary | wc -l'
out 0
run 1 '{ head -100 run.clct; echo nonsense; } | clc-filter --estimate -o none'
err_has 'clc-filter: standard input:101: '
run 1 'clc-filter --estimate missing.clct'
err_has 'clc-filter: missing.clct: cannot be opened'
run 1 'TMPDIR=/nowhere clc-filter --estimate <run.clct'
err 'clc-filter: temporary file: cannot be created: No such file or directory; make room, or name another folder in TMPDIR'
unset TMPDIR
# What is refused.
run 2 'clc-filter --estimate=best run.clct'
err_has '--estimate'
run 2 'clc-filter --estimate=duda --offsets offsets run.clct'
err 'clc-filter: --offsets makes no sense with --estimate=duda, which uses messages only*'
run 2 'grep ^% offsets | cut -d" " -f 1-4 >without; clc-filter --estimate --offsets without run.clct'
err 'clc-filter: --offsets without: no line has an error, by which --estimate=smooth weighs it; expected %offset PROCESS TIME OFFSET ERROR*'
run 2 'clc-filter --no-correction --estimate run.clct'
err_has 'makes no sense'
run 1 'clc-filter --offsets missing run.clct'
err 'clc-filter: missing: cannot be opened: No such file or directory; check the name'
# A bad line is bad input, whatever program reads it.
printf '%%offset 0 5 2\n%%offset 1 5 2,5\n' >bad
for program in clc-filter clc-check clc-sync; do
  run 1 "$program --offsets bad right.clct $([ $program = clc-check ] && echo right.clct)"
  err "$program: bad:2: found '%offset 1 5 2,5', expected %offset PROCESS TIME OFFSET \[ERROR]; correct or remove the line"
done
run 1 'echo nonsense >bad; clc-filter --offsets bad run.clct'
err_has "bad:1: found 'nonsense', expected %offset PROCESS TIME OFFSET"
# Additional fields mean nothing, as in a trace.
run 0 'sed "/^%/s/$/ more 1/" offsets >more; clc-filter --offsets more --no-provenance run.clct | cmp - <(clc-filter --offsets offsets --no-provenance run.clct)'
run 1 'printf "%%offset 0 100 5\n%%offset 1 100 5\n%%offset 0 100 5.0 2\n%%offset 0 100 7\n" >bad; clc-filter --offsets bad right.clct'
err_has 'bad:4: found another offset of process 0 at time 100 than in line 1, expected one for each time; remove one of the lines'
run 0 'printf "%%offset 99 0 1000000\n" >moved; clc-filter --offsets moved right.clct -o moved.clct'
err 'clc-filter: warning: moved: 1 process is not in the trace; check whether the file belongs to this trace'
# Records that are lost: the map is that of the intact trace, to a microsecond, and each lost send is named.
clc-tracegen halo -n 8 --seed 1 --offset 200 --events 10000 -o intact.clct
awk '/^%/ || $3 != "S" || ++sends % 250 != 0' intact.clct >lost.clct
first_offsets='/^%offset/ && !known[$2]++ { print $2, $4 }'
clc-sync intact.clct | awk "$first_offsets" >intact.map
clc-sync lost.clct | awk "$first_offsets" >lost.map
run 0 'paste intact.map lost.map | awk "{ d = \$2 - \$4; if (\$1 != \$3 || d > 1000 || d < -1000) print; ++n } END { print n }"'
out 8
run 0 'clc-filter --auto -q --dry-run --report - --report-format json lost.clct | python3 -c "
import json, sys
print(sum(loss[\"missing\"] == \"send\" for loss in json.load(sys.stdin)[\"losses\"]))
"'
out $(($(grep -c ' S ' intact.clct) - $(grep -c ' S ' lost.clct)))

# The same estimate where the correction looks for lost records while it reads.
for program in ring master-worker; do
  run 0 "clc-tracegen $program -n 8 --events 20000 --rate 5000 --offset 2000 --lose-receives 0.02 --lose-sends 0.02 --seed 2 -o lost.clct"
  for match in whole resync; do
    clc-filter -q --estimate --match $match lost.clct | grep '^%provenance offset' >$match.map
  done
  run 0 'cmp whole.map resync.map && grep -c . resync.map | grep -qv "^0$"'
done
run 0 'clc-filter -q --estimate --match resync --max-memory 1MiB lost.clct | grep -c "^%provenance clc-filter .* --match resync"'
out 1

# A process that starts late could also be one whose clock is 100 ms ahead: the delays are those of the right clocks, to 5
# us, whether or not the search for lost records finds that.
delay_error() {  # TRACE [LIMIT]
  clc-check -q "$1" out --truth true | awk -v limit="${2:-5}" '/message delays, us, after/ { print ($(NF - 2) < limit ? "small" : $(NF - 2)) }'
}
for seed in 1 2 3 4; do
  run 0 "clc-tracegen finite-elements -n 9 --events 20000 --seed $seed --record-late 3:0.5 -o late.clct --truth true"
  run 0 'clc-filter -q --estimate late.clct -o out && delay_error late.clct'
  out small
  run 0 'clc-filter -q --backwards --estimate late.clct | grep -c "^%provenance clc-filter .* --match whole"'
  out 1
  run 0 "clc-sync -q late.clct | awk '/^%offset/ && (\$4 > 5e6 || \$4 < -5e6)'"
  out ''
done

# A process that ends early.
for seed in 1 2 3 6; do
  run 0 "clc-tracegen finite-elements -n 9 --events 20000 --seed $seed --end-early 3:0.5 -o ended.clct --truth true"
  run 0 'clc-filter -q --estimate ended.clct -o out && delay_error ended.clct'
  out small
done
# Where it is not known how many messages a process missed, the search may shift those of some channels by one, which
# contradicts the estimate.
for seed in 30 33; do
  run 0 "clc-tracegen finite-elements -n 8 --events 20000 --seed $seed --end-early 1:0.98 -o ended.clct --truth true"
  run 0 'clc-filter -q --estimate ended.clct -o out && delay_error ended.clct; grep -c "^%provenance clc-filter .* --match fifo" out'
  out 'small
1'
done
# A process that ends early, by about as much as clocks differ.
for seed in 4 11; do
  run 0 "clc-tracegen halo -n 16 --events 2560 --rate 128000 --offset 2000 --end-early 3:0.9 --seed $seed -o ended.clct --truth true"
  run 0 'clc-filter -q --estimate ended.clct -o out && delay_error ended.clct'
  out small
done
# Messages go round, but none goes back: a ring binds clocks from both sides.
run 0 "clc-tracegen ring -n 16 --offset 10 --events 5000 --seed 2 -o ring.clct"
run 0 'clc-filter -q --estimate ring.clct -o out && grep -q "^%provenance offset" out'
rm ring.clct
# Clocks that need no map with what the search finds need none: first in, first out they are wrong by 4 to 10 ms.
for seed in 3 4 7; do
  run 0 "clc-tracegen finite-elements -n 9 --rate 1000 --duration 10 --lose-receives 0.5 --offset 300 --drift 20 --seed $seed -o lossy.clct --truth true"
  run 0 'clc-filter -q --estimate lossy.clct -o out && delay_error lossy.clct 400'
  out small
done
# ... and where records are lost, what it finds is used.
run 0 'clc-tracegen finite-elements -n 9 --events 20000 --seed 2 --lose-receives 2 -o lossy.clct --truth true'
run 0 'clc-filter -q --estimate lossy.clct -o out && delay_error lossy.clct; grep -c "^%provenance clc-filter .* --match whole" out'
out 'small
1'

# Messages are rare, so that the fastest round trip is computation; that the minimum delay is right shows in the map.
run 0 'clc-tracegen halo -n 8 --events 1000 --duration 600 --offset 1000 --drift 50 --seed 1 -o rare.clct'
run 0 'clc-filter --estimate --dry-run --report rare.txt rare.clct && grep "^Verdict" rare.txt'
out 'Verdict: good'

# Coarse clocks fit most observations exactly; the others must not decide alone where clocks are.
for coarse in '21561 --events 30000 --drift 50 --set-back' '31 --events 10000'; do
  run 0 "clc-tracegen coarse-clock --lose-burst 20 --seed $coarse -o coarse.clct"
  run 0 'clc-filter -q --auto coarse.clct | grep -v "^%" | wc -l | grep -x "$(grep -vc "^%" coarse.clct)"'
  run 0 'clc-sync -q coarse.clct | awk "/^%offset/ && (\$4 > 1e9 || \$4 < -1e9)"'
  out ''
done

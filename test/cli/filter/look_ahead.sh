# Clocks estimated in one pass: --look-ahead.
if ! can_estimate; then
  small_trace >run.clct
  run 2 'clc-filter --look-ahead 1 run.clct'
  err_has 'without Eigen'
  skip 'built without Eigen'
fi
clc-tracegen halo -n 4 --seed 5 --offset 5000 --drift 20 --wander 0.1 --events 12000 --duration 6 --truth true.clct -o run.clct
run 0 'clc-filter --look-ahead 1 run.clct -o ahead.clct --report report.json --report-format json'
# The laws hold relative to the map, which clc-check finds between the records.
run 0 'clc-check run.clct ahead.clct --truth true.clct'
out_has 'relative to mapped times'
out_has 'law 1 clock condition: ok'
out_has 'law 2 nothing before its mapped time: ok'
out_has 'law 3 order and distinctness in each process: ok'
# Ahead by 8 windows as two passes choose them, delays are at most three times as wrong as with two passes. They are a
# tenth as wrong as those of the clock alone.
windows=$(clc-sync run.clct | awk '/ edges, / { print $(NF - 1) }')
run 0 "clc-filter --look-ahead $(awk "BEGIN { print 8 * 6 / $windows }") run.clct -o eight.clct"
delay() { clc-check run.clct "$1" --truth true.clct | awk '/message delays, us, after/ { print $6 }'; }
clc-filter --estimate run.clct -o two.clct
clc-filter run.clct -o alone.clct
run 0 'echo "$(delay eight.clct) $(delay two.clct) $(delay alone.clct) $(delay ahead.clct)" | awk "{ print (\$1 < 3 * \$2), (\$1 < \$3 / 10), (\$4 < \$3 / 10) }"'
out '1 1 1'
# A process that joins late is mapped by what is known of it then, and moves no other: delays are half as wrong as those
# of the clock alone, at least.
for made in '3:0.5 --seed 3' '3:0.5 --seed 4' '0:0.3 --seed 4'; do
  clc-tracegen random -n 6 --offset 100 --events 40000 --rate 10000 --start-late $made --truth true.late -o late.clct
  run 0 'clc-filter --look-ahead 0.5 late.clct -o late.ahead; clc-filter late.clct -o late.alone'
  run 0 'for file in late.ahead late.alone; do clc-check late.clct $file --truth true.late; done | awk "/message delays, us, after/ { print \$6 }" | xargs | awk "{ print (2 * \$1 < \$2) }"'
  out 1
  rm late.*
done
# Windows without messages tell nothing: nothing is mapped, and a look-ahead is named that is long enough.
clc-tracegen halo -n 8 --offset 3000 --temperature 20:10 --rate 1000 --events 15000 --seed 1 -o sparse.clct
for ahead in 0.1 0.2; do
  run 0 "clc-filter --look-ahead $ahead --no-provenance sparse.clct -o sparse.ahead; clc-filter --no-provenance sparse.clct | cmp - sparse.ahead"
  err "clc-filter: warning: verdict doubtful: windows of *5 ms, an eighth of the look-ahead, hold 0.* messages from one process to another, so nothing is mapped; use --look-ahead 3 or more"
done
run 0 'clc-filter --look-ahead 3 --dry-run sparse.clct'
# All the more where no window holds any: then messages are longer than what is kept. A clock that keeps its times needs
# one point to say so, not one for each window.
for ahead in 1e-9 1e-8 1e-7; do
  run 0 "clc-filter --look-ahead $ahead run.clct -o useless.clct"
  err 'clc-filter: warning: verdict doubtful: windows of *e-* ms, an eighth of the look-ahead, hold no messages from one process to another, so nothing is mapped; use a far longer --look-ahead'
  run 0 'grep -c "^%provenance offset@" useless.clct; grep "^%provenance offset@" useless.clct | cut -d" " -f5 | uniq'
  out '4
0'
done
# A trace that has no messages between clocks needs none.
run 0 'grep -v " [SRBX] " run.clct | clc-filter --look-ahead 1e-7 --dry-run'
# The map stands ahead of the records that it applies to, with options and figures.
run 0 'sed -n "/^%provenance clc-filter/p" ahead.clct'
out_has ' --estimate=smooth --look-ahead 1'
run 0 'awk "/^%provenance offset@1/ { after += seen } /^[0-9]/ { seen = 1 } END { print (after > 0) }" ahead.clct'
out 1
run 0 'python3 -c "
import json
report = json.load(open(\"report.json\"))
print(report[\"alignment\"].split(\",\")[0], len(report[\"estimated_clocks\"]), report[\"estimated_clocks\"][0][\"note\"])"'
out 'with a look-ahead of 1 s 4 with look-ahead'
# The same from a pipe in pieces, with any number of threads, in any format, and online.
run 0 'while IFS= read -r -N 50000 part || [ -n "$part" ]; do printf %s "$part"; done <run.clct | clc-filter --look-ahead 1 | cmp - ahead.clct'
run 0 'clc-filter --online --match resync --look-ahead 1 <run.clct | cmp - ahead.clct'
run 0 'clc-filter --threads 3 --look-ahead 1 run.clct | cmp - ahead.clct'
run 0 'clc-filter --no-correction --no-provenance -F binary run.clct | clc-filter --look-ahead 1 -F text - | cmp - ahead.clct'
# A second correction has a map of its own.
run 0 'clc-filter --look-ahead 1 ahead.clct -o twice.clct && clc-check ahead.clct twice.clct'
out_has 'law 2 nothing before its mapped time: ok'
run 0 'grep -c "^%provenance offset@2" twice.clct | awk "{ print (\$1 > 0) }"'
out 1
# In a folder, each file has the points of its processes, those of an earlier correction, too.
mkdir parts
awk -v folder=parts -f "$CLC_SOURCE/test/cli/filter/split.awk" run.clct
run 0 'clc-filter --look-ahead 1 parts -o out/ && clc-check parts out'
out_has 'law 2 nothing before its mapped time: ok'
points() { grep -h "^%provenance offset@$1 " "${@:2}" | sort; }
run 0 'clc-filter --look-ahead 1 parts -o one.clct; points 1 out/* | cmp - <(points 1 one.clct); for p in 0 1 2 3; do points 1 out/*$p.clct | cut -d" " -f3 | sort -u; done | xargs'
out '0 1 2 3'
run 0 'clc-filter --look-ahead 1 out -o again/ && clc-check out again'
out_has 'law 2 nothing before its mapped time: ok'
run 0 'points 1 again/* | cmp - <(points 1 out/*); clc-filter --look-ahead 1 out -o twice.clct; points 2 again/* | cmp - <(points 2 twice.clct)'
run 0 'clc-filter --no-correction again -o copied/ && clc-check -q out copied && points "[12]" again/* | cmp - <(points "[12]" copied/*)'
if clc-filter --version | grep -q OTF2; then
  run 0 'clc-filter --no-correction run.clct -F otf2 -o archive && clc-filter --look-ahead 1 archive -o corrected && clc-check archive corrected'
  out_has 'law 2 nothing before its mapped time: ok'
  run 0 'clc-filter --look-ahead 1 run.clct -F otf2 -o made && clc-check run.clct made'
  out_has 'law 2 nothing before its mapped time: ok'
fi
# Damage: what is readable before it is corrected.
run 1 '{ head -3000 run.clct; echo nonsense; } | clc-filter --look-ahead 1 -o part.clct'
err_has 'standard input:3001: '
run 0 'grep -vc ^% part.clct'
out "$(head -3000 run.clct | grep -vc ^%)"
# Bounded memory.
for limit in 1M:512 2M:512 4M:1024; do
  run 1 "clc-tracegen halo -n 4 --seed 5 --events 60000 | clc-filter --look-ahead 1000 --max-memory ${limit%:*} -o none"
  err_has "the records of the look-ahead take more than ${limit#*:} KiB, their share of --max-memory; use a shorter --look-ahead"
done
# Records that were not read are not called lost.
run 1 'clc-tracegen halo -n 64 --events 20000 --offset 3000 --seed 3 -F binary | clc-filter --max-memory 1M --look-ahead 5 -o none'
err_has ' sends were never received in the part that was read'
err_has ' receives were released without their send in the part that was read'
# Usage.
run 2 'clc-filter --look-ahead 0 run.clct'
err_has 'more than 0 seconds'
run 2 'clc-filter --look-ahead 1 --estimate=duda run.clct'
err_has '--look-ahead: expected --estimate=smooth or line with it, found duda'
run 2 'clc-filter --look-ahead 1 --estimate=off run.clct'
err_has '--look-ahead: expected --estimate=smooth or line with it, found off'
run 0 'clc-filter --look-ahead 1 --estimate=off --estimate run.clct | cmp - ahead.clct'
run 2 'clc-filter --look-ahead 1 --auto run.clct'
err_has '-mmd auto reads the trace twice, which --look-ahead does not; give -mmd US'
run 2 'clc-filter --look-ahead 1 --offsets map run.clct'
err_has '--look-ahead makes no sense with --offsets'
run 2 'clc-filter --online --estimate run.clct'
err_has 'add --look-ahead S'

# ---- a process that was recorded late is mapped as a clock that is ahead: messages agree with that, but what is left over
#      tells
for scenario in finite-elements ring; do
  run 0 "clc-tracegen $scenario -n 8 --events 20000 --offset 200 --record-late 2:0.2 --seed 1 -o late"
  run 0 'clc-filter --look-ahead 0.05 late -o late.out'
  err_has 'records are missing, and the look-ahead may have matched the messages after them off by one'
  run 0 "clc-tracegen $scenario -n 8 --events 20000 --offset 200 --end-early 2:0.5 --seed 1 -o early"
  run 0 'clc-filter -q --look-ahead 0.05 early -o early.out --report - | grep "^Verdict: good"'
done

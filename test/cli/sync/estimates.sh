# What is written: a report in comments and the map.
clc-tracegen halo -n 4 --seed 3 --offset 5000 --events 4000 --no-provenance -o run.clct
run 0 'clc-sync --method line run.clct | sed "s/clc-sync [0-9.]* /clc-sync /"'
out_like line.txt
# Files, pipes and all formats give the same map.
run 0 'clc-sync run.clct -o map && cat map'
cp map first
run 0 'clc-sync <run.clct | grep -v "^# [^p]" | diff - <(grep -v "^# [^p]" first)'
run 0 'clc-filter --no-correction -F binary -z run.clct -o run.clcb.zst'
run 0 'clc-sync run.clcb.zst | grep ^% | diff - <(grep ^% first)'
# Two points for each straight clock, in the order of the processes, of which each is known.
run 0 'clc-sync --method line run.clct | grep ^% | cut -d" " -f 2 | uniq -c | tr -s " " | tr "\n" ";"'
out ' 2 0; 2 1; 2 2; 2 3;'
# Clocks that are right are left alone.
clc-tracegen halo -n 4 --seed 3 --offset 0 --drift 0 --events 4000 -o right.clct
run 0 'clc-sync right.clct | grep -c ^%; clc-sync right.clct'
out_has '# no message contradicts the recorded times; offsets of up to '
out_has ' us, as estimated, are not applied: nothing is mapped'
# Nothing to estimate, and one of each.
run 0 'printf "%%clc-trace 1\n%%resolution 1000000000\n%%process 0\n0 0 I\n" | clc-sync'
out_has ': 1 process, 0 edges, '
out_has '# nothing to estimate: nothing is mapped'
run 0 'printf "%%clc-trace 1\n%%resolution 1000000000\n%%process 0\n%%process 1\n%%group 0 0 1\n0 0 S 1 0 1 8\n9000 1 R 0 0 1 8\n" | clc-sync'
out_has ': 2 processes, 1 edge, '
# Processes that no message connects.
clc-tracegen pairs -n 4 --seed 3 --events 4000 -o pairs.clct
run 0 'clc-sync pairs.clct'
out_has '2 groups without messages between them'
out_has 'ok; group 2'
# A clock with the wrong date changes nothing but its date, also for groups that it has no messages with.
clc-tracegen pairs -n 4 --seed 3 --events 20000 --duration 20 --drift 20 --start epoch --truth dates.true -o dates.right
figures() { clc-sync -q "$1" | awk '$1 == "#" && $2 ~ /^[0-3]$/ { print $2, $5, $7, $8 }'; }
delays() {
  clc-filter -q --estimate --wait-limit 1e12 "$1" -o dates.mapped
  clc-check --truth dates.true "$1" dates.mapped --wait-limit 1e12 | awk '/delays, us, after/ { print $6 }'
}
figures dates.right >dates.figures
right=$(delays dates.right)
for seconds in 3600 86400 31536000; do
  python3 -c '
import sys
head, records = [], []
for line in open("dates.right"):
    if line[0] == "%":
        head.append(line)
        continue
    time, process, rest = line.split(None, 2)
    records.append((int(time) + int(sys.argv[1]) * 10**9 * (process == "1"), process, rest))
records.sort(key=lambda record: record[0])
open("dates.wrong", "w").writelines(head + ["%d %s %s" % record for record in records])' $seconds
  # The rates to 0.01 ppm; errors and bounds to a tenth, or a nanosecond.
  figures dates.wrong >dates.wrong.figures
  run 0 'paste -d" " dates.figures dates.wrong.figures | awk "function far(a, b, by) { return a - b > by || b - a > by } far(\$2, \$6, 0.01) || far(\$3, \$7, 0.1 * \$3 + 0.001) || far(\$4, \$8, 0.1 * \$4 + 0.001)"'
  out ''
  run 0 "awk 'BEGIN { print ($(delays dates.wrong) < 1.1 * $right + 0.001) }'"
  out 1
done
rm dates.*
# Where a clock was set, neither errors nor bounds are known; too early, nothing is.
clc-tracegen pairs -n 2 --steps 2:200 --offset 3000 --events 8000 --seed 5 --no-provenance -o set.clct
run 0 'clc-sync -q set.clct | sed -n "s/^# *[01] .* \(- *- *[0-9]* [a-z]\)/\1/p" | tr -s " "'
out '- - 1 set at about tick 33291396; reference
- - 1 ok; others were set'
clc-tracegen halo -n 8 --steps 2:200 --offset 3000 --events 8000 --seed 6 -o set.clct
run 0 'clc-sync -q set.clct | grep -c "too few messages before a step$"'
out 8
rm set.clct
# No messages at all.
run 0 'grep -v -E " [0-9]+ [RBX]" run.clct | clc-sync'
out_has 'no messages'
# Published methods; with a given number of intervals, each clock has a point at each border.
for method in duda jezequel hofmann hofmann-hilgers; do
  run 0 "clc-sync --method $method run.clct | tee map | grep ^% | cut -d' ' -f 2 | uniq -c | tr -s ' ' | tr '\n' ';'"
  out ' 2 0; 2 1; 2 2; 2 3;'
  # Two clocks of this trace are milliseconds apart, and so are their estimates, to a few microseconds.
  run 0 "paste -d' ' <(grep ^% map) <(clc-sync --method line run.clct | grep ^%) | awk 'NR == 1 { zero = \$4 - \$8 } { d = \$4 - \$8 - zero; if (d > 3000 || d < -3000) print }'"
  out ''
done
# ... and at its first and last record, which may be beside the first and last border.
run 0 'clc-sync --method variable --intervals 4 run.clct | grep ^% | cut -d" " -f 2 | uniq -c | awk "\$1 >= 5 && \$1 <= 7" | wc -l'
out 4
run 0 'clc-sync --method hofmann-hilgers --intervals 4 run.clct'
out_has '--method hofmann-hilgers'
out_has 'divided into 4 intervals'
# A trace that lacks records: the map that clc-filter --estimate applies.
for made in '2 --seed 390 --delay 0.5 --lose-sends 0.5' '4 --seed 5 --offset 5000 --end-early 1:0.5'; do
  run 0 "clc-tracegen finite-elements -n $made --events 3000 -o lost.clct"
  run 0 'diff <(clc-sync lost.clct | sed -n "s/^%\(offset .*\) [^ ]*$/\1/p") <(clc-filter -q --estimate lost.clct | sed -n "s/^%provenance \(offset \)/\1/p")'
done
# A message or two in each direction tell of the program: the clocks are better as they are.
for seed in 1 2 3; do
  run 0 "clc-tracegen halo -n 8 --events 60 --duration 1 --offset 20 --drift 20 --seed $seed -o few.clct"
  run 0 'clc-sync few.clct | grep -v ^%offset'
  out_has '# recorded times are at least as good: nothing is mapped'
done
rm few.clct
# No clock runs like that: nothing is mapped.
awk 'BEGIN { print "%clc-trace 1\n%min-delay 5000\n%process 0\n%process 1\n%group 0 0 1"
  for (i = 1; i <= 400; ++i) {
    s = i * 1000000000 + i * 31337 % 7919
    printf "%.0f 1 R 0 0 0 8\n%.0f 0 S 1 0 0 8\n", (s + 5000 + i * 7919 % 1000) * 0.9, s
  } }' >unsorted
in_order() { grep ^% unsorted && grep -v ^% unsorted | sort -s -n -k 1,1; }
in_order >fast.clct
run 0 'clc-sync fast.clct | grep -v "^#  "'
out_has '# the clock of process 0 would be mapped at a rate of '
out_has ' us; no clock runs like that: nothing is mapped'
run 0 'clc-filter --estimate --no-provenance fast.clct | cmp - <(clc-filter -q --no-provenance fast.clct)'
err_has 'clc-filter: warning: verdict doubtful: the clock of process 0 would be mapped at a rate of '
# A pipeline whose receivers come late and send nothing back: few messages tell little of its clocks, and errors say so.
late_pipeline() {
  awk -v state="$1" 'function random() { state = state * 16807 % 2147483647; return state / 2147483647 }
    BEGIN {
      print "%clc-trace 1\n%min-delay 5000"
      for (p = 0; p < 6; ++p) { print "%process " p; offset[p] = random() * 2e4; rate[p] = random() * 2e-5 }
      print "%group 0 0 1 2 3 4 5"
      for (burst = 0; burst < 5; ++burst) {
        for (p = 0; p < 6; ++p) now[p] = burst * 5e9 + random() * 2e5
        for (i = 0; i < 3; ++i)
          for (p = 0; p < 5; ++p) {
            s = now[p]; t = s + 5000 + random() * 4000; if (t < now[p + 1]) t = now[p + 1]
            printf "%.0f %d S %d 0 0 8\n", s + offset[p] + rate[p] * s, p, p + 1
            printf "%.0f %d R %d 0 0 8\n", t + offset[p + 1] + rate[p + 1] * t, p + 1, p
            now[p] = s + 100; now[p + 1] = t + 100
          }
      } }' >unsorted
  in_order
}
for seed in 4711 815 1234; do
  late_pipeline $seed >late.clct
  run 0 "clc-sync late.clct | awk '/^#  / && \$7 > 0 && \$7 < 40' | wc -l"
  out 0
done
rm fast.clct late.clct unsorted
# Errors are stated as large as they are, of few messages, too.
for seed in 1 2 3 4 5 6 7 8; do
  clc-tracegen halo -n 64 --events 1280 --seed $seed --offset 1000 -o few.clct --truth few.true
  clc-sync -q few.clct -o few.offsets 2>/dev/null || fail 'no estimate of few messages'
  clc-filter -q --offsets few.offsets few.clct -o few.corrected
  clc-check --match fifo few.clct few.corrected --truth few.true 2>/dev/null | awk '/offsets, us, after/ { print "off", $(NF-2) }'
  awk '$1 == "%offset" && !($2 in seen) { seen[$2] = 1; print "stated", $5 / 1000 }' few.offsets
done | awk '{ sum[$1] += $2 * $2; count[$1] += 1 }
  END { print sqrt(sum["off"] / count["off"]), sqrt(sum["stated"] / count["stated"]) }' >figures
read -r off stated <figures
awk -v off="$off" -v stated="$stated" 'BEGIN { exit !(off > 0 && stated > off / 2 && stated < 2 * off) }' ||
  fail "clocks are off by $off us, stated is $stated"
# Times of one operation agree around all loops, whatever its members wait for.
clc-tracegen halo -n 6 --events 60 --seed 1 --offset 1000 --jitter 50 --allreduce 1 | grep -e ^% -e ' [BX]\b' >one.clct
run 0 "clc-sync -q one.clct | awk '\$1 == \"%offset\" && \$5 < 1000' | wc -l"
out 0
rm few.* figures one.clct
rm map lost.clct && cp first map
no_more_files run.clct map first run.clcb.zst right.clct pairs.clct

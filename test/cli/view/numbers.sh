# Every figure has its numbers beside it, and they are those of the trace.
numbers() { python3 "$CLC_SOURCE/test/cli/view/numbers.py" "$1"; }
clc-filter -q -mmd 0.5 -cldiff 50000 --keep-original --report r.json --report-format json "$CLC_SOURCE/data/eztrace-ring.clct.zst" -o ring.clct
run 0 'clc-view --report r.json ring.clct -o ring.html; numbers ring.html'
# 12,000 messages, four connections with 3,000 each, 78,756 intervals.
out_has 'messages, recorded 12000; messages, corrected 12000'
out_has 'delays: 4 rows; messages 12000'
out_has 'rates: 4 rows; messages 12000'
out_has 'clocks: 4 rows; messages 12000; backward 5996'
out_has 'intervals Changes: '
out_has 'intervals 78756'
out_has 'corrections: 4 rows'
out_has 'gamma: '
out_has 'without a table:'
run 0 'numbers ring.html | tail -n 1'
out 'without a table:'
# Bounds, means and shares as the figures say them.
run 0 'sed "s/\xc2\xa0/ /g" ring.html | grep "^<tr><th scope"'
out_has '<td>3,000</td><td>41 ms</td><td>2.89 µs</td>'
out_has '<td>at least 40.9 ms</td><td>at least −500 ns</td>'
# More connections than rows, more processes than lines.
run 0 'clc-tracegen halo -n 200 --regions --events 40000 --seed 1 | clc-filter -q -mmd 5 --keep-original | clc-view -o many.html; numbers many.html | grep -v -e gamma'
out_has 'delays: 64 rows'
out_has 'corrections: 8 rows'
out_has 'clocks: 64 rows'
out_has 'timeline: 4 rows'
run 0 'grep -c "64 of [0-9,]* pairs, those with the most" many.html'
out 3
# A map of the clocks: process 1 is 2 us ahead, 1 us more after 10 ms, and as far as that after 20 ms.
cat >map <<'END'
%offset 0 0 0
%offset 1 2000 -2000
%offset 1 10003000 -3000
%offset 1 20003000 -3000
END
small_trace >in.clct
run 0 'clc-filter -q --offsets map in.clct -o mapped.clct; clc-view mapped.clct -o mapped.html; numbers mapped.html | grep offsets'
out "offsets: 2 rows; "
run 0 'sed "s/\xc2\xa0/ /g" mapped.html | grep -A3 "deviation from a line" | grep "<th scope=.row"'
out_has '<td>3</td><td>2 µs</td><td>3 µs</td><td>50 ppm</td><td>500 ns</td>'
# A mean delay of zero is the smallest of those that go forwards, and has no rate.
cat >zero.clct <<'END'
%clc-trace 1
%resolution 1000000
%process 0 a
%process 1 b
%group 0 0 1
10 0 S 1 0 0 8
10 1 R 0 0 0 8
20 0 S 1 0 0 8
18 1 R 0 0 0 8
30 0 S 1 0 0 8
32 1 R 0 0 0 8
50 1 S 0 0 0 8
60 0 R 1 0 0 8
END
cells() { clc-view -q --svg "$1" zero.clct | sed 's/\xc2\xa0/ /g' | grep -o '<rect class="[a-z0-9]*"[^>]*><title>[^<]*' | sed 's/ x=.*<title>/ /'; }
run 0 'cells delays'
out '<rect class="m0" a → b: 0, 3 messages, 1 received before sent, smallest delay −2 µs
<rect class="m2" b → a: 10 µs, 1 messages, 0 received before sent, smallest delay 10 µs'
run 0 'cells rates'
out '<rect class="m4" a → b: no rate: the mean delay is zero, 3 messages, 1 received before sent, smallest delay −2 µs
<rect class="m2" b → a: 800 kB/s, 1 messages, 0 received before sent, smallest delay 10 µs'
run 0 'clc-view -q --svg delays zero.clct | sed "s/\xc2\xa0/ /g" | grep -o ">[^<>]*<" | tr -d "\n"'
out_has '>0<>10 µs<'
run 1 'clc-view -q --svg delays zero.clct | grep "below zero"'
# One side, no regions.
small_trace | sed '/ [ELBX] /d; / [BX]$/d' >plain.clct
run 0 'clc-view plain.clct -o plain.html; numbers plain.html | grep -v "^intervals\|^clocks"'
out 'delay-histogram: 2 rows; messages 2
delays: 2 rows; messages 2
rates: 2 rows; messages 2
without a table: timeline'
# A message between processes on one clock is in no figure of delays.
printf '%s\n' '%clc-trace 1' '%resolution 1000000' '%process 0 a' '%process 1 b node=n clock=0' '%process 2 c' \
  '%group 0 0 1 2' '0 0 S 1 0 0 8' '3 1 R 0 0 0 8' '10 0 S 2 0 0 8' '30 2 R 0 0 0 8' >shared.clct
run 0 'clc-view shared.clct -o shared.html; numbers shared.html | grep histogram'
out 'delay-histogram: 1 rows; messages 1'
# What changed is never rounded away.
awk 'BEGIN {
  print "%clc-trace 1\n%resolution 1000000\n%process 0\n%process 1\n%group 0 0 1"
  for (t = 0; t < 600000; t += 200) print t " 0 S 1 0 0 8\n" t + 50 " 1 R 0 0 0 8"
  print t " 0 S 1 0 0 8\n" t " 1 R 0 0 0 8"
}' >nearly.clct
run 0 'clc-filter -q -mmd 1 --no-amortization nearly.clct -o after.clct; clc-view --before nearly.clct after.clct -o nearly.html
  grep -o "unchanged to the tick</dt><dd>[^<]*" nearly.html'
out 'unchanged to the tick</dt><dd>all but 1'

# How bad is a trace: the report, and the exit status for a minimum message delay.
small_trace >in.clct
run 1 'clc-check -mmd 0.1 in.clct'
out_like trace.txt
run 1 'clc-check -mmd 0.1 --report-format json in.clct | grep -v program_version; exit ${PIPESTATUS[0]}'
out_like trace.json
run 1 'cat in.clct | clc-check -mmd 0.1 - | sed 1d; exit ${PIPESTATUS[1]}'
out_has 'VIOLATED (2 of 4 edges)'

cat >good.clct <<'END'
%clc-trace 1
%resolution 1000000000
%process 0 a
%process 7 b node=n1
%process 8 c node=n1
%group 4 0 7 8
5000 0 S 7 4 1 64
6000 7 R 0 4 1 64
7000 7 S 8 4 1 64
8000 8 R 7 4 1 64
END
run 0 'clc-check good.clct'
out_has 'Clock condition: holds (2 edges)'
out_has 'Not matched: nothing'

# The judgement depends on the minimum message delay, and on whose it is.
run 0 'clc-check -mmd 1 good.clct'
run 1 'clc-check -mmd 1.001 good.clct'
run 1 'clc-check --mmd=2 good.clct'
run 1 'clc-check -mmd 2 -mmd 0:7=1 good.clct'
run 0 'clc-check -mmd 2 -mmd 0:7=1 -mmd node=1 good.clct'
run 0 'clc-check -mmd 7:0=5 good.clct'
run 1 'clc-check -mmd 0:7=1.5 good.clct'
run 1 'clc-check -mmd node=2 good.clct'
out_has 'VIOLATED (1 of 2 edges)'
run 1 'clc-check --bandwidth 64 good.clct'
run 0 'clc-check --bandwidth 65 -mmd 0 good.clct'
run 1 'sed "2a %min-delay 1001" good.clct | clc-check -'
run 0 'sed "2a %min-delay 10" good.clct | clc-check -'
run 1 'sed "2a %min-delay 10" good.clct | clc-check -mmd 1.1 -'

# Clock differences are listed by their size, whichever of the clocks is ahead.
cat >apart.clct <<'END'
%clc-trace 1
%process 0
%process 1
%process 2
%group 0 0 1 2
100000 0 S 1 0 1 8
101000 0 S 2 0 1 8
300000 1 R 0 0 1 8
310000 1 S 0 0 2 8
311000 0 R 1 0 2 8
400000 2 S 0 0 3 8
401000 2 R 0 0 1 8
1200000 0 R 2 0 3 8
END
run 0 'clc-check apart.clct'
out_has '  0, 2                 300                 800                 550                 -250
  0, 1                 200                   1               100.5                 99.5'
# What is not matched is counted.
(
  sed 6q good.clct
  printf '1 0 S 7 4 1 8\n2 0 S 7 4 2 8\n3 8 R 0 4 1 8\n4 0 B\n5 0 X barrier 4 - 0 0\n6 7 B\n7 8 X barrier 4 - 0 0\n'
) >left.clct
run 0 'clc-check left.clct'
out_like left.txt

# Where nothing is counted there is no figure.
run 0 'head -n 6 good.clct >none.clct; clc-check none.clct'
out_like none_trace.txt
run 0 'clc-check --report-format json none.clct | grep -v program_version'
out_like none_trace.json

# 16 pairs are listed, or all.
(
  echo '%clc-trace 1'
  for p in $(seq 0 20); do echo "%process $p"; done
  echo '%group 0 0'
  for p in $(seq 1 20); do echo "$p 0 S $p 0 0 0"; done
  for p in $(seq 1 20); do echo "${p}000 $p R 0 0 0 0"; done
) >pairs.clct
run 1 'clc-check pairs.clct'
out_has '(16 of 20, all with --all-pairs)'
run 0 'clc-check pairs.clct | grep -c "0 -> "'
out 16
run 0 'clc-check --all-pairs pairs.clct | grep -c "0 -> "'
out 20
no_more_files apart.clct in.clct good.clct left.clct none.clct pairs.clct

# A corrected trace is judged by the minimum delay that is noted in it; the verdict has its reasons.
run 0 'clc-tracegen halo -n 4 --events 4000 --offset 200 --seed 1 -o halo'
run 0 'clc-filter -q -mmd 100 halo -o wrong; clc-check wrong'
out_has 'Minimum message delay: 100 us (100000 ticks)'
run 0 'clc-check halo wrong'
out_has 'Minimum message delay: 100 us (100000 ticks)'
out_has 'Verdict: bad'
out_has '  bad: the minimum message delay of 100 us is too large: '
run 0 'clc-check --report-format json halo wrong'
out_has '"key": "min_delay_too_large"'
run 0 'clc-check -mmd 5 wrong'
out_has 'Minimum message delay: 5 us (5000 ticks)'
run 0 'clc-filter halo -o right; clc-check halo right'
out_has 'Verdict: good'
run 1 'clc-check halo'
out_has '  bad: '
run 0 'clc-filter -q -mmd 100 halo --report report --report-format json -o wrong; clc-view --report report --text wrong'
out_has 'bad: the minimum message delay of 100 us is too large'

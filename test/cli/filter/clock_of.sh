# What has a clock of its own: a process, a location, a node.
cat >trace <<'END'
%clc-trace 1
%process 0 a node=n0
%process 1 b node=n0
%process 2 c node=n1
%process 3 d
%process 4 e node=n1 clock=2
%group 0 0 1 2 3
50000 1 R 0 0 1 8
100000 0 S 1 0 1 8
190000 2 R 0 0 2 8
190100 4 I work
200000 0 S 2 0 2 8
290000 0 R 2 0 3 8
290500 1 I work
300000 2 S 0 0 3 8
400000 3 S 1 0 4 8
450000 1 R 3 0 4 8
500000 0 B
500000 1 B
500000 2 B
500000 3 B
510000 0 X barrier 0 - 0 0
510000 1 X barrier 0 - 0 0
510000 2 X barrier 0 - 0 0
510000 3 X barrier 0 - 0 0
END
times() { grep -v '^%' | sort -s -n -k2,2 | awk '{ print $2 ":" $1 }' | paste -sd' ' -; }
plain='-mmd 1 --regulators A --no-amortization --no-provenance'

# On a node, the message from 0 to 1 is no edge, nor are two pairs of the barrier. The work of 1 moves with what 0 receives.
run 1 'clc-check -mmd 1 --clock-of node trace'
out_has 'Clock condition: VIOLATED (2 of 13 edges)'
out_has 'messages between processes on one clock (ignored)                                            1'
out_has 'of these end before they begin (if its cores are not synchronised, use --clock-of location)  1'
run 0 "clc-filter $plain --clock-of node trace --report report | times"
out '0:100000 0:200000 0:311997 0:521993 0:531993 1:50000 1:312497 1:471994 1:521993 1:531993 2:201000 2:310997 2:510993 2:522993 3:400000 3:500000 3:522993 4:201099'
err_has '1 message or ordered pair of a collective operation on one clock ends before it begins'
# It may be the match that is wrong.
run 0 "grep -v '^200000 0 S' trace >lossy; clc-filter $plain --clock-of node lossy >/dev/null"
err_has 'ends before it begins; after a missing record within a clock, later messages are matched wrongly; if processes or threads that share a clock are not synchronised, give each its own with --clock-of'
# Nothing was searched for anywhere.
run 0 "clc-filter $plain --clock-of node --match fifo lossy >/dev/null"
err_has 'ends before it begins; after a missing record, later messages are matched wrongly: use --match whole; if processes or threads that share a clock are not synchronised, give each its own with --clock-of'
run 0 "clc-filter $plain --clock-of node --online <lossy >/dev/null"
err_has 'ends before it begins; after a missing record, later messages are matched wrongly: use --match resync; if processes or threads that share a clock'
# Between clocks, too.
cat >circle <<'END'
%clc-trace 1
%process 0 a
%process 1 b
%group 0 0 1
10000 1 R 0 0 0 8
20000 1 S 0 0 0 8
30000 0 R 1 0 0 8
40000 0 S 1 0 0 8
50000 1 R 0 0 0 8
END
run 0 'clc-filter --match fifo circle >/dev/null'
err_has 'to break a circular wait (are records missing?); after a missing record, later messages are matched wrongly: use --match whole
'
run 0 'clc-filter --match whole circle >/dev/null'
err 'clc-filter: warning: 1 receive was released without its send'
run 0 'grep -e "messages  " -e "ordered pairs violated" report'
out '  messages     2 of 3 violated (66.7 %), 2 received before sent
  collectives  0 of 10 ordered pairs violated (0.0 %), 0 received before sent'
run 0 "clc-filter -q -mmd 1 --clock-of node trace -o corrected && clc-check -mmd 1 --clock-of node trace corrected"
out_has 'law 1 clock condition: ok (13 edges)'
out_has 'law 3 order and distinctness in each process: ok'
# The recorded clocks are the default, with the trace and without it.
run 0 "clc-check -mmd 1 trace corrected"
out_has 'law 1 clock condition: ok (13 edges)'
run 1 "clc-check -mmd 1 --clock-of process trace corrected"
out_has 'law 1 clock condition: BROKEN'
run 0 'clc-check corrected; clc-check --match fifo <corrected - | tail -n +2 | cmp - <(clc-check --match fifo corrected | tail -n +2)'
out_has 'Clock condition: holds (13 edges)'
run 1 'clc-check --clock-of process corrected'
out_has ' of 16 edges)'
# A process without node, and one that reads the clock of another, are as by default.
run 1 'clc-check -mmd 1 trace'
out_has 'Clock condition: VIOLATED (3 of 16 edges)'
run 0 "clc-filter $plain trace | times"
out '0:100000 0:200000 0:311997 0:521993 0:551991 1:101000 1:341495 1:500992 1:550991 1:560990 2:201000 2:310997 2:510993 2:551991 3:400000 3:500000 3:551991 4:201099'
# By location, that one is left to itself.
run 1 'clc-check -mmd 1 --clock-of location trace'
out_has 'Clock condition: VIOLATED (3 of 16 edges)'
run 0 "clc-filter $plain --clock-of location trace | times"
out '0:100000 0:200000 0:311997 0:521993 0:551991 1:101000 1:341495 1:500992 1:550991 1:560990 2:201000 2:310997 2:510993 2:551991 3:400000 3:500000 3:551991 4:190100'

clc-filter --version | grep -q libotf2 || exit 0
# A location group with several MPI ranks is no process: each rank has its clock, and the accelerator that of the first.
run 0 'clc-test-otf2-archive ranks ranks'
run 0 'clc-filter --no-correction --no-provenance -F text ranks | grep "^%process"'
out '%process 0 thread node=n0
%process 1 thread node=n0
%process 2 thread node=n0
%process 3 thread node=n0
%process 4 thread node=n0 clock=0'
run 1 'clc-check -mmd 1 ranks'
out_has 'Clock condition: VIOLATED (2 of 3 edges)'
run 0 "clc-filter $plain -F text ranks | times"
out '0:100000 0:301000 1:101000 2:200000 3:205000 3:300000 4:301499 4:301999'
run 0 "clc-filter $plain --clock-of location -F text ranks | times"
out '0:100000 0:301000 1:101000 2:200000 3:205000 3:300000 4:301499 4:301999'
run 0 'clc-filter -q -mmd 1 ranks -o ranks.out && clc-check -mmd 1 ranks ranks.out'
out_has 'law 1 clock condition: ok (3 edges)'
# All of the node, and nothing is left to correct.
run 0 'clc-filter --no-correction --no-provenance --clock-of node -F text ranks | grep -c "clock=0"'
out 4
run 0 'clc-filter --clock-of node -mmd 1 --no-provenance ranks -o same && diff -r -x traces.otf2 ranks same'
err_has '2 messages and ordered pairs of collective operations on one clock end before they begin'
run 0 'clc-check --clock-of node -mmd 1 ranks'
out_has 'Clock condition: holds (0 edges)'
out_has 'messages between processes on one clock (ignored)                                            3'

# Traces that are not sorted, damaged, or not there.
small_trace >in.clct
run 1 'sed "s/^9500 /8999 /" in.clct | clc-check -mmd 0 -'
out_has 'Sorted by time: NO, 1 records; first process 1 at 8999 after 9000 '
run 1 '(sed 8q in.clct; echo "900 0 L main") >unsorted.clct; clc-check unsorted.clct'
out_has 'Sorted by time: NO, 1 records; first process 0 at 900 after 1000 (unsorted.clct:9)'
out_has 'Clock condition: holds (0 edges)'

# A damaged trace is judged up to the damage.
run 1 '(cat in.clct; echo "9900 0 S nobody 4 1 64") >damaged.clct; clc-check damaged.clct'
err_has 'damaged.clct:20'
out_has '13 events'
out_has 'Damaged: figures are for what could be read'
run 1 'clc-check --report-format json damaged.clct'
err_has 'damaged.clct:20'
out_has '"complete": false'
run 1 'clc-check in.clct damaged.clct'
err_has 'damaged.clct:20'
out_has 'law 2 nothing before its recorded time: not judged to the end, ok so far (13 events)'

# What was moved for the sake of records that were not read breaks no law.
run 0 'clc-filter -q -mmd 0.1 --no-provenance in.clct -o corrected.clct; head -n 8 in.clct >a; echo garbage >>a
  grep -v " 0 S" corrected.clct | head -n 8 >b; echo garbage >>b'
run 1 'clc-check -mmd 0.1 a b'
err_has 'a:9: found "garbage" as time'
out_has 'Correction: 1 events moved'
out_has 'law 4 unchanged where nothing is violated: not judged, the traces were not read to their ends'
rm -f a b corrected.clct

run 1 'clc-check nothing.clct'
err 'clc-check: nothing.clct: *'
run 1 'clc-check in.clct nothing.clct'
err 'clc-check: nothing.clct: *'
run 1 'echo hello | clc-check -'
err 'clc-check: *'
run 1 'clc-check in.clct >/dev/full'
err 'clc-check: *'

# Traces that are not sorted, damaged, or not there.
small_trace >in.clct
run 1 'sed "s/^9500 /8999 /" in.clct | clc-check -mmd 0 -'
out_has 'Sorted by time: NO, 1 record; first process 1 rank1 at 8999 (7.999e-06 s) after 9000 '
run 1 '(sed 7q in.clct; echo "900 1 E main") >unsorted.clct; clc-check unsorted.clct'
out_has 'unsorted.clct: 2 events of 2 processes in 1e-07 s, '
out_has 'Sorted by time: NO, 1 record; first process 1 rank1 at 900 (-1e-07 s) after 1000 (unsorted.clct:8)'
out_has 'Clock condition: holds (0 edges)'

# A damaged trace is judged up to the damage.
run 1 '(cat in.clct; echo "9900 0 S nobody 4 1 64") >damaged.clct; clc-check damaged.clct'
err_has 'damaged.clct:20'
out_has '13 events'
out_has 'Damaged: figures cover only the readable part'
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
out_has 'Correction: 1 event moved'
out_has 'law 4 unchanged where nothing is violated: not judged, the traces were not read to their ends'
rm -f a b corrected.clct

# What was odd in a trace is said, and changes no judgement.
odd='odd.clct:19: the last line has no newline and may be truncated; it was read anyway'
run 1 'head -c -1 in.clct >odd.clct; clc-check odd.clct'
err "clc-check: warning: $odd"
out_has 'VIOLATED (2 of 4 edges)'
run 0 'clc-filter -q -mmd 1 in.clct | head -c -1 >odd.clct; clc-check odd.clct'
err_has 'clc-check: warning: odd.clct:'
run 0 'clc-check -q odd.clct'
run 0 'clc-check --quiet --report-format json odd.clct'
run 0 'clc-check odd.clct odd.clct --truth odd.clct >/dev/null 2>says; grep -c "^clc-check: warning: odd.clct:" says'
out 3
run 0 'clc-check -q odd.clct odd.clct --truth odd.clct'
run 1 'clc-check -q nothing.clct'
err 'clc-check: nothing.clct: *'
rm -f odd.clct says

run 1 'clc-check nothing.clct'
err 'clc-check: nothing.clct: *'
run 1 'clc-check in.clct nothing.clct'
err 'clc-check: nothing.clct: *'
run 1 'echo hello | clc-check -'
err 'clc-check: *'
# What is no trace is not kept first.
run 1 'timeout 20 clc-check /dev/zero'
err 'clc-check: /dev/zero: found * at the start, expected a trace *'
run 1 'yes | timeout 20 clc-view - -o page.html'
err 'clc-view: standard input: found * at the start, expected a trace *'
run 1 'clc-check in.clct >/dev/full'
err 'clc-check: standard output: cannot be written: No space left on device'
# A pipe that nobody reads any more.
run 141 'mkfifo pipe; exec 4<>pipe 5>pipe 4>&-; rm pipe; clc-check in.clct >&5'
# Of several traces one is damaged: the correction ends there, and is judged up to there; with --keep-going to the ends of
# the others.
mkdir parts
events_of() { grep -c '^[0-9]' "$1" | sed 's/\(.\)\(...\)$/\1,\2/'; }
clc-tracegen halo -n 4 --seed 5 --events 4000 | awk -v folder=parts -f "$CLC_SOURCE/test/cli/filter/split.awk"
head -600 parts/rank2.clct >damaged
echo 'garbage here' >>damaged
mv damaged parts/rank2.clct
for option in '' --keep-going; do
  run 1 "clc-filter -q $option parts -o ends.clct"
  err_has 'rank2.clct:601: '
  run 1 "clc-check -q parts ends.clct"
  err_has 'rank2.clct:601: '
  out_has 'records identical apart from time: not judged to the end, ok so far'
  out_has "law 2 nothing before its recorded time: not judged to the end, ok so far ($(events_of ends.clct) events)"
done

# Round trips count beside the messages, without an option: here no process waits for its messages.
clc-tracegen finite-elements -n 8 --seed 5 --offset 5000 --drift 20 --events 20000 --duration 5 --bursts 20 --truth truth -o run
grep -v ^%sync run >without
run 0 'clc-sync run'
out_has '; 280 measured round trips'
out_has 'ok; measured'
run 1 'clc-sync without | grep -c measured'
out 0
delay() { clc-check run "$1" --truth truth | awk '/message delays, us, after/ { print $6 }'; }
clc-filter -q --auto run -o both
clc-filter -q --auto without -o messages
run 0 'echo "$(delay both) $(delay messages)" | awk "{ print (\$1 < \$2 / 5) }"'
out 1
run 0 'clc-filter -q --auto --dry-run --report - run'
out_has 'measured round trips'
# The lines of a corrected trace are those of its recorded times.
run 1 'clc-sync both | grep -c measured'
out 0
# A line that cannot be read is an error, as with method measured.
sed '0,/^%sync.*/s//%sync 1 0 x/' run >bad
run 1 'clc-sync bad'
err "clc-sync: bad: expected %sync PROCESS REFERENCE T1 T2 T3 T4, found '%sync 1 0 x'"

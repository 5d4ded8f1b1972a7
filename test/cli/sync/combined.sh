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
# Offsets with an error do the same as the round trips that they were evaluated from, in every format.
clc-sync --method measured run | grep ^%offset >offsets
(cat without; cat offsets) >given
run 0 'clc-sync given'
out_has '; 16 measured offsets'
out_has 'ok; measured'
clc-filter -q --auto given -o both
run 0 'echo "$(delay both) $(delay messages)" | awk "{ print (\$1 < \$2 / 5) }"'
out 1
run 0 'clc-check given both | grep -c "^Verdict: good"'
out 1
clc-sync given | grep ^%offset >map
for format in binary paje; do
  run 0 "clc-filter -q --no-correction -F $format given | clc-sync | grep -c '; 16 measured offsets'"
  out 1
done
run 0 'clc-filter -q --no-correction -F binary given | clc-sync | grep ^%offset | cmp - map'
# So they do in a file.
run 0 'clc-sync --offsets offsets without | grep ^%offset | cmp - map'
run 0 'clc-sync --method measured --offsets offsets without | grep ^%offset | cmp - offsets'
run 0 'clc-filter -q --auto --no-provenance --offsets offsets without | grep -v ^% | cmp - <(clc-filter -q --auto --no-provenance given | grep -v ^%)'
clc-filter -q --auto --offsets offsets without -o both.file
run 0 'clc-check without both.file | grep -c "^Verdict: good"'
out 1
run 2 'clc-sync --offsets <(cut -d" " -f 1-4 offsets) without'
err_has 'no line has an error, by which --method smooth weighs it'
run 2 'clc-sync --method duda --offsets offsets without'
err_has '--offsets makes no sense with --method duda'
run 2 'clc-sync --compare --offsets offsets'
err_has '--offsets makes no sense with --compare'
run 1 'clc-sync --offsets <(echo "%offset 99 0 0 1") without'
err_has ": found process 99 in '%offset 99 0 0 1', expected a process of the trace; correct or remove the line"
# The lines of a corrected trace are those of its recorded times.
run 1 'clc-sync both | grep -c measured'
out 0
# Without an error nothing is known of how much they count.
run 0 '(cat without; cut -d" " -f 1-4 offsets) | clc-sync - | grep ^%offset | cmp - <(clc-sync without | grep ^%offset)'
# Those that messages contradict are not used: a clock that is wrong by a tenth of a second, or all of them.
run 0 '(cat without; awk -v OFMT=%.13g -v CONVFMT=%.13g "\$2 == 3 { \$4 += 100000000 } { print }" offsets) | clc-sync -'
out_has '; 14 measured offsets; 2 measured offsets not used, because they contradict the messages'
err 'clc-sync: warning: 2 of 16 measured offsets are not used, because the messages contradict them (process 3); check whether they have the wrong sign, *'
run 0 '(cat without; awk -v OFMT=%.13g -v CONVFMT=%.13g "{ \$4 += 100000000 * \$2 } { print }" offsets) | clc-sync - >contradicting; grep -c "; 16 measured offsets not used" contradicting; grep ^%offset contradicting | cmp - <(clc-sync without | grep ^%offset)'
out 1
err 'clc-sync: warning: 16 of 16 measured offsets are not used, because the messages contradict them (processes 0, 1, 2, 3, 4, 5, 6 and 7); *'
# clc-filter says so, too, and its report has the numbers.
counts() { python3 -c '
import json, sys
measured = json.load(sys.stdin)["measured"]
print(*(measured[key] for key in ("offsets", "offsets_contradicting", "round_trips", "round_trips_contradicting")))'; }
awk -v OFMT=%.13g -v CONVFMT=%.13g '$2 == 3 { $4 += 100000000 } { print }' offsets >off3
run 0 'clc-filter --estimate --offsets off3 --dry-run --report - --report-format json without | counts'
out '14 2 0 0'
err 'clc-filter: warning: 2 of 16 measured offsets are not used, because the messages contradict them (process 3); *'
# Round trips of another run, where messages know better: they change nothing, and are named in the same way. Those of a
# single clock, too.
clc-tracegen halo -n 8 --seed 5 --offset 5000 --drift 20 --events 20000 --duration 5 --bursts 20 -o halo
grep -v ^%sync halo >alone
awk -v OFMT=%.13g -v CONVFMT=%.13g '/^%sync/ { $5 += 5000000; $6 += 5000000 } { print }' halo >shifted
run 0 'clc-sync shifted >shifted.map; grep -c "; 280 measured round trips not used, because they contradict the messages" shifted.map; grep ^%offset shifted.map | cmp - <(clc-sync alone | grep ^%offset)'
out 1
err 'clc-sync: warning: 280 of 280 measured round trips are not used, because the messages contradict them (processes 0, 1, 2, 3, 4, 5, 6 and 7); check whether they are those of another run, and whether clocks were set'
awk -v OFMT=%.13g -v CONVFMT=%.13g '/^%sync 5 / { $5 += 5000000; $6 += 5000000 } { print }' halo >shifted5
run 0 'clc-filter --estimate --dry-run --report - --report-format json shifted5 | counts'
out '0 0 240 40'
err 'clc-filter: warning: 40 of 280 measured round trips are not used, because the messages contradict them (processes 0 and 5); *'
# One in more than a hundred may be wrong by chance.
awk -v OFMT=%.13g -v CONVFMT=%.13g '/^%sync 5 / && !done++ { $5 += 5000000; $6 += 5000000 } { print }' halo >shifted1
run 0 'clc-sync shifted1 | grep -c "; 279 measured round trips; 1 measured round trip not used"'
out 1
# A line that cannot be read is an error, as with method measured.
sed '0,/^%sync.*/s//%sync 1 0 x/' run >bad
run 1 'clc-sync bad'
err "clc-sync: bad:$(grep -n '^%sync 1 0 x' bad | cut -d: -f1): found '%sync 1 0 x', expected %sync PROCESS REFERENCE T1 T2 T3 T4; correct or remove the line"
# Messages that wait for long do not bend straight clocks: what is left of them is noise.
for seed in 1 2 3; do
  clc-tracegen finite-elements -n 16 --seed $seed --events 6000 --rate 2000 --offset 1000 --drift 50 --bursts 5 --truth truth -o run
  clc-filter -q --estimate run -o both
  run 0 'clc-check run both --truth truth | awk "/offsets, us, after/ { print (\$(NF - 2) < 2) }"'
  out 1
done
# What offsets state as their error is no contradiction: true to 100 ticks, at the first and last record of each process.
clc-tracegen pairs -n 8 --seed 11 --events 20000 --rate 10000 --offset 1000 --drift 50 --truth truth -o run
awk '/^%/ { next } NR == FNR { at[$2, ++count[$2]] = $1; next } { true_at[$2, ++found[$2]] = $1 }
     END { for (p in count) for (i = 1; i <= count[p]; i += count[p] - 1) printf "%%offset %s %.0f %.0f 100\n", p, at[p, i],
           true_at[p, i] - at[p, i] + ((p + (i > 1)) % 2 ? 100 : -100) }' run truth >given
for method in line smooth; do
  clc-filter -q --estimate=$method --offsets given run -o both
  run 0 'clc-check run both --truth truth | awk "/offsets, us, after/ { print (\$(NF - 2) < 0.2) }"'
  out 1
done
# Nor is a temperature that changes the rates of clocks: straight lines contradict the messages themselves.
clc-tracegen master-worker --seed 9046 --events 30000 --rate 1000 --bursts 5 --temperature 1:10 --offset 1 -o run
run 0 'clc-sync --method line run | grep -c "; 150 measured round trips$"'
out 1

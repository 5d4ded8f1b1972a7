# The verdict on top is that of clc-check: of one trace, of a correction, of a correction that breaks laws.
judged() { sed -n '/^Verdict: /,/^$/p' | sed '/^[^ V]/,$d; /^$/d'; }
# same NAME 'CLC-CHECK ARGUMENTS' 'CLC-VIEW ARGUMENTS': both say the same; prints how often what was said.
same() {
  clc-check -q $2 2>/dev/null | judged >judge.txt
  clc-view -q $3 --text --width 1000 2>/dev/null | judged >view.txt
  [ -s judge.txt ] || echo "$1: clc-check says nothing"
  cmp -s judge.txt view.txt || { echo "$1 differs:" && diff judge.txt view.txt; }
  sed -n 's/^Verdict: //p' view.txt >>said
}

cat >short.clct <<'END'
%clc-trace 1
%resolution 1000000000
%process 0
%process 1
%group 0 0 1
100 1 I x
END
small_trace >small.clct
clc-tracegen ring --seed 1 --events 3000 -o ring.clct
clc-tracegen halo -n 9 --seed 2 --events 4000 -o halo.clct
clc-tracegen halo -n 6 --offset 5000 --seed 3 --events 4000 -o offset.clct
clc-tracegen coarse-clock --seed 1 --events 2000 -o coarse.clct
for trace in short small ring halo offset coarse; do
  run 0 "same $trace '$trace.clct' '$trace.clct'"
  out ''
  for mmd in 0.1 8 400; do
    run 0 "clc-filter -q -mmd $mmd --keep-original $trace.clct -o kept.clct 2>/dev/null; clc-filter -q -mmd $mmd $trace.clct -o after.clct 2>/dev/null; same '$trace $mmd' '$trace.clct after.clct' '--before $trace.clct after.clct'; same '$trace $mmd kept' '$trace.clct kept.clct' 'kept.clct'"
    out ''
  done
done
# Where records are missing, from a file or a pipe.
clc-tracegen halo -n 6 --seed 3 --events 6000 --allreduce 5 --lose-sends 3 --lose-calls 2 -o lossy.clct
run 0 'clc-filter -q --match whole --keep-original lossy.clct -o kept.clct; clc-filter -q --match whole lossy.clct -o after.clct'
run 0 "same lossy 'lossy.clct after.clct' '--before lossy.clct after.clct'; same 'lossy kept' 'lossy.clct kept.clct' kept.clct; tail -n 2 said"
out 'good
good'
run 0 'clc-view -q --text kept.clct >file.txt; clc-view -q --text <kept.clct | cmp - file.txt'
# A correction that has kept the recorded times, which tell what is missing, and one that matched first in, first out.
for seed in 4 5; do
  for rule in whole fifo; do
    [ $rule = whole ] && loss='--record-late 2:0.5' || loss='--lose-receives 2'
    clc-tracegen halo -n 8 $loss --seed $seed --events 6000 -o lossy.clct
    clc-filter -q --match $rule --keep-original lossy.clct -o kept.clct
    run 0 "same '$rule' 'lossy.clct kept.clct' kept.clct; same '$rule alone' kept.clct kept.clct; tail -n 2 said"
    out 'good
good'
  done
done
# Clocks that are set back.
run 0 'clc-tracegen master-worker -n 12 --seed 9174 --events 3000 --offset 0 --steps 3:5000 --set-back -o back.clct; clc-filter -q back.clct -o after.clct'
run 0 "same back 'back.clct after.clct' '--before back.clct after.clct'; tail -n 1 said"
out doubtful
# Corrections to earlier times that are too large.
run 0 'clc-tracegen random -n 12 --seed 12028 --events 10000 --wander 0.1 --tick 100 --record-late 1:0.4 --set-back -o back.clct; clc-filter -q --backwards back.clct -o after.clct'
run 0 "same 'back --backwards' 'back.clct after.clct' '--before back.clct after.clct'; grep -c 'the largest correction is' view.txt"
out 1
# A window of a trace, beside all of it; the clocks mapped, too; from a pipe.
echo '%offset 1 0 -3000' >map
for way in '--from 0.005' '--from 0.005 --to 0.02' '--to 0.01 --backwards' '--from 0.004 --combine mean --offsets map'; do
  for trace in halo lossy offset; do
    run 0 "clc-filter -q -mmd 5 $way $trace.clct -o part.clct; same '$trace $way' '$trace.clct part.clct' '--before $trace.clct part.clct'; tail -n 1 said"
    out good
  done
done
run 0 'clc-view -q --text --before offset.clct part.clct >file.txt; clc-view -q --text --before offset.clct - <part.clct | cmp - file.txt; grep -c "^Verdict: good" file.txt'
out 1
# What no filter does: earlier events, lost records, another order, a shift of all.
run 0 'clc-filter -q -mmd 0.1 small.clct -o after.clct'
awk '/^[0-9]/ && !done++ { $1 -= 500 } { print }' after.clct >earlier.clct
sed '/^3000 /d' after.clct >lost.clct
awk '/^[0-9]/ { $1 += 70000 } { print }' small.clct >later.clct
for broken in earlier lost later; do
  run 0 "same $broken 'small.clct $broken.clct' '--before small.clct $broken.clct'"
  out ''
done
run 0 'sort said | uniq | tr "\n" " "'
out 'bad doubtful good '

# Clocks that were mapped before the correction may make events earlier: no law is broken.
if can_estimate; then
  run 0 'clc-filter -q -mmd 5 --estimate --keep-original --report e.json --report-format json offset.clct -o mapped.clct; clc-view --report e.json --text --width 200 mapped.clct >mapped.txt; judged <mapped.txt'
  out 'Verdict: good'
  # What was estimated, with its uncertainty, as clc-sync says it.
  run 0 'clc-sync -mmd 5 offset.clct | awk "\$1 == \"#\" && \$2 == 3 { printf \"%.2f %.0f %s %s\\n\", \$4 / 1000, \$7 * 1000, \$9, \$10 }" | sed "s/-/−/g" >estimate; sed -n "/^Clocks as/,\$s/^rank3 *//p" mapped.txt | sed "s/\xc2\xa0/ /g" | awk "{ printf \"%s %.0f %s %s\\n\", \$3, \$(NF - 3), \$(NF - 1), \$NF }" >shown; cat shown; diff estimate shown'
  out '−1.01 65 3 ok'
  run 0 'clc-view --report e.json mapped.clct | grep -c -e "<h2>Clocks as estimated" -e "below zero: to earlier times"'
  out 2
fi
# Parameters in effect: from the report, else from what the filter noted; none where there was no correction.
run 0 'clc-filter -q -mmd 5 -mmd 0:1=7 -maxerr 2 --regulators AB --report r.json --report-format json --keep-original offset.clct -o kept.clct; clc-view kept.clct | sed "s/\xc2\xa0/ /g; s/<tr><th scope=.row.>//; s/<.th><td>/; /; s/<.td><td>/; /; s/<.td><.tr>//" >page.txt; grep -e "; -mmd;" -e "; -maxerr;" -e "; --regulators;" page.txt'
out 'Minimum message delay; -mmd; 5 µs
Minimum message delay, processes 0:1; -mmd; 7 µs
Largest error of local intervals; -maxerr; 2 %
Regulators; --regulators; AB'
run 0 'clc-view --report r.json kept.clct | grep -c -e "<td>--gamma-max</td><td>0.99" -e "<td>--regulators</td><td>AB</td>"'
out 2
run 1 'clc-view offset.clct | grep "parameter of the correction"'

# On the page: judgement and reasons, before the first figure.
run 0 'clc-view small.clct | sed -n "/class=.judged/,/<.div>/p" | sed "s/<[^>]*>//g; /^$/d"'
out_has 'Verdict on the trace: bad'
out_has 'violate the clock condition; correct the trace with clc-filter'
run 0 'clc-view --before small.clct after.clct | grep -n -o -e "class=.judged good" -e "<svg" | head -n 1 | sed "s/.*://"'
out 'class="judged good'
# Of an excerpt it is the verdict on all of the trace.
run 0 'clc-view -q --text --width 1000 --from 0.01 --to 0.02 offset.clct | judged >part.txt; clc-view --text --width 1000 offset.clct | judged | cmp - part.txt'
# The filter knows its parameters; what it says is added, and said once.
run 0 'clc-filter -q -mmd 5 -cldiff 0.01 --keep-original --report r.json --report-format json offset.clct -o kept.clct'
run 0 'clc-view --text --width 1000 kept.clct | judged; clc-view --report r.json --text --width 1000 kept.clct | judged'
out_has 'doubtful: clocks are '
run 0 'test $(clc-view --report r.json kept.clct | grep -c "<li>doubtful: clocks are ") -eq 1'

# Edges of operations that are incomplete are not judged, nor counted among those that are.
run 0 'clc-tracegen collectives -n 8 --events 4000 --seed 6 --lose-members 10 --nonblocking 30 -o members'
edges() { sed -n "s/.*[^0-9,]\([0-9,]* of [0-9,]*\) edges.*/\1/p" | tr -d , | sort -u; }
run 0 'clc-view --text members | edges >told; clc-check --match whole members | edges | diff - told && grep -c . told'
out 1

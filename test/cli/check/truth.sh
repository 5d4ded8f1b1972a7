# Errors against the truth, before and after a correction.
small_trace >in.clct
sed -e '/ I anything/{h;d}' -e '/ S 1 4 77/{p;s/.*/2500 1 R 0 4 77 64/;p;s/.*/2600 1 I anything else/}' -e '/^1900 /d' \
  in.clct >truth.clct
run 1 'clc-check -mmd 0.1 in.clct in.clct --truth truth.clct'
out_like truth.txt
run 1 'clc-check -mmd 0.1 --report-format json in.clct in.clct -truth=truth.clct | grep -v program_version; exit ${PIPESTATUS[0]}'
out_like truth.json
run 0 'clc-check -mmd 1 truth.clct truth.clct --truth truth.clct | grep -c faster'
out 1
# Where nothing is counted there is no figure.
run 0 'head -n 5 in.clct >none.clct; clc-check none.clct none.clct --truth none.clct'
out_like none.txt
run 0 'clc-check --report-format json none.clct none.clct --truth none.clct | grep -v program_version'
out_like none.json
# A length only where there was none: no error in percent, but a change.
run 0 '(cat none.clct; printf "5 0 I\n5 0 I\n") >tie.clct; sed "$ s/5/7/" tie.clct >stretched.clct; clc-check tie.clct stretched.clct | tail -n 12'
out_has '  all              0        -        -'
out_has '  largest change 0.002 us'
run 0 'clc-check --report-format json tie.clct stretched.clct | sed -n "/quantile_99/p; /largest_change_ticks/p"'
out '    "quantile_99_percent": null,
    "largest_change_ticks": 2,'
for wrong in '/ B$/d' 's/ S 0 4 78/ S 0 4 79/' '$a 99000 0 L main' '$d'; do
  run 1 "sed '$wrong' truth.clct | clc-check -mmd 0.1 in.clct in.clct --truth -"
  err 'clc-check: *expected the true times of the same records*'
  out_has 'Damaged'
done
# Offsets, and delays by class where nodes are known.
run 0 'clc-tracegen halo -n 8 --nodes 4 --node-delay 1 --offset 5000 --events 4000 --seed 1 --truth true.clct -o run.clct && clc-filter run.clct -o out.clct'
run 0 'clc-check run.clct out.clct --truth true.clct'
out_has '... inside nodes, us, before'
out_has '... between nodes, us, after'
run 0 'clc-check run.clct out.clct --truth true.clct --report-format json | python3 -c "
import json, sys
errors = json.load(sys.stdin)[\"truth_errors\"]
count = lambda key: errors[key][\"after\"][\"count\"]
print(count(\"offsets\"), count(\"message_delays\") == count(\"message_delays_inside_nodes\") + count(\"message_delays_between_nodes\"))
# The clock follows the clocks that are ahead.
print(errors[\"offsets\"][\"before\"][\"rms\"] > 1000, errors[\"offsets\"][\"after\"][\"rms\"] < errors[\"offsets\"][\"before\"][\"rms\"])
"'
out "$(clc-check run.clct | sed -nE '1s/.*: ([0-9,]+) events.*/\1/p' | tr -d ,) True
True True"
# True times that are late by a millisecond, and fast by 100 ppm, are as true.
run 0 'awk "/^[0-9]/ { \$1 = int(\$1 * 1.0001) + 1000000 } { print }" true.clct >late.clct; clc-check true.clct true.clct --truth late.clct | grep "offsets, us, before"'
[ "$(awk '{ print ($6 < 0.001) }' "$logs/out")" = 1 ] || fail "offsets: $(cat "$logs/out")"
# Figure 1.4: the clock of process 0 is behind, and its send looks like the first of two. A message to it corrects that.
cat >wrong.clct <<'END'
%clc-trace 1
%resolution 1000000000
%process 0 behind
%process 1 right
%process 2 any
%group 4 0 1 2
5 0 R 2 4 1 8
10 0 S 2 4 7 8
50 1 S 2 4 7 8
52 2 S 0 4 1 8
100 2 R 1 4 7 8
110 2 R 0 4 7 8
END
sed -e '/^5 0/d' -e '/^10 0/d' -e 's/^100 2/55 0 R 2 4 1 8\n60 0 S 2 4 7 8\n&/' wrong.clct >true.clct
run 0 'clc-filter -q -mmd 0.001 wrong.clct -o right.clct; clc-check -mmd 0.001 wrong.clct right.clct --truth true.clct'
out_has 'Pairs of successive receives from two senders: 1; the message sent later was taken first in 1 before, 0 after'
out_has '  with true times 0; sends in the wrong order: 1 before, 0 after'
run 0 'clc-check -mmd 0.001 --report-format json wrong.clct right.clct --truth true.clct | sed -n "/receive_order/,/}/p" | tr -d " \n"'
out '"receive_order":{"pairs":1,"turned_before":1,"turned_after":0,"turned_in_truth":0,"wrong_before":1,"wrong_after":0},'
run 0 'clc-check -mmd 0.001 --report-format json wrong.clct right.clct | sed -n "/receive_order/,/}/p" | tr -d " \n"'
out '"receive_order":{"pairs":1,"turned_before":1,"turned_after":0}'
# A master that receives from any worker: the correction puts sends into their true order.
run 0 'clc-tracegen master-worker -n 8 --events 8000 --seed 1 --offset 300 --truth true.clct -o run.clct && clc-filter -q run.clct -o out.clct'
run 0 'clc-check run.clct out.clct --truth true.clct --report-format json | python3 -c "
import json, sys
order = json.load(sys.stdin)[\"receive_order\"]
print(order[\"pairs\"] > 0, order[\"wrong_after\"] < order[\"wrong_before\"])
"'
out 'True True'

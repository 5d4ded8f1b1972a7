# A window of a trace: --from, --to.
clc-tracegen halo -n 8 --seed 3 --events 20000 -o run.clct
length=$(awk '/^[0-9]/ { if (!f) f = $1; l = $1 } END { printf "%.9f", (l - f) / 1e9 }' run.clct)
first=$(awk '/^[0-9]/ { print $1; exit }' run.clct)
# The records between the two times, both included, and all definitions.
run 0 'clc-filter --no-correction --no-provenance --from 0.05 --to 0.1 run.clct -o part.clct'
run 0 'awk -v f=$first "!/^[0-9]/ || (\$1 - f >= 0.05e9 && \$1 - f <= 0.1e9)" run.clct | cmp - part.clct'
run 0 'test $(grep -c -v ^% part.clct) -gt 3000'
# Corrected: the same records; nothing is missing, and messages across the borders are told apart.
run 0 'clc-filter --from 0.05 --to 0.1 --report report run.clct -o corrected.clct; cat report'
out_has ' --from 0.05 --to 0.1'
out_has 'cross the border of the window'
out_has 'Violations left in the output: 0'
run 0 'grep -E "never received|without their send" report; grep -v ^%provenance part.clct | cut -d" " -f2- | sort | cmp - <(grep -v ^%provenance corrected.clct | cut -d" " -f2- | sort)'
run 0 'clc-filter --from 0.05 --to 0.1 --strict --dry-run run.clct'
# A part cut by hand complains instead.
run 0 'clc-filter --dry-run part.clct'
err_has 'warning'
for option in --backwards '--combine mean'; do
  run 0 "clc-filter $option --from 0.05 --to 0.1 --strict run.clct -o corrected.clct"
  run 0 'grep -v ^%provenance part.clct | cut -d" " -f2- | sort | cmp - <(grep -v ^%provenance corrected.clct | cut -d" " -f2- | sort)'
done
# From the first event to the last it is the trace.
run 0 'clc-filter --from 0 --no-provenance run.clct | cmp - <(clc-filter --no-provenance run.clct)'
run 0 "clc-filter --to $length --no-provenance run.clct | cmp - <(clc-filter --no-provenance run.clct)"
# No event in the window.
run 0 'clc-filter --from 1000 run.clct -o corrected.clct; grep -v ^% corrected.clct; true'
out ''
err "clc-filter: warning: run.clct: has no event between --from and --to; the trace has events from 0 to $length s"
run 0 'clc-check run.clct corrected.clct | grep "ok (0 edges)"'
err 'clc-check: warning: run.clct: has no event between --from and --to, so nothing was checked'
run 0 'clc-check -q --from 1000 run.clct corrected.clct | grep "ok (0 edges)"; clc-filter -q --no-correction --from 1000 run.clct | grep -v ^%; true'
run 0 'printf "%%clc-trace 1\n%%resolution 1000\n%%process 0 a\n1000 0 I\n50000 0 I\n" | clc-filter --from 1 --to 2 --no-correction --no-provenance | wc -l'
out 3
err 'clc-filter: warning: standard input: has no event between --from and --to'
# Definitions before the window, and open regions, calls and operations.
cat >small.clct <<'END'
%clc-trace 1
%resolution 1000000
%process 0 a
%process 1 b
%group 4 0 1
100 0 E main
200 0 B
300 1 B
400 0 S 1 4 7 8
1000400 1 X barrier 4 - 0 0
1000500 0 X barrier 4 - 0 0
1000600 1 R 0 4 7 8
1000700 0 S 1 4 7 8
1000800 1 R 0 4 7 8
1000900 0 L main
1001000 1 S 0 4 7 8
2001000 0 R 1 4 7 8
END
run 0 'clc-filter -mmd 200 --from 1 --to 1.5 --no-provenance small.clct --report report; grep -c "3 messages, and calls or operations of a communicator, cross the border" report'
out '%clc-trace 1
%resolution 1000000
%process 0 a
%process 1 b
%group 4 0 1
1000500 1 X barrier 4 - 0 0
1000500 0 X barrier 4 - 0 0
1000700 1 R 0 4 7 8
1000700 0 S 1 4 7 8
1000900 1 R 0 4 7 8
1000900 0 L main
1001099 1 S 0 4 7 8
1'
run 0 'clc-filter --from 1 --to 1.5 --dry-run --report - --report-format json small.clct | grep crosses_window'
out_has '"crosses_window": 3'
# Other formats; part of an archive is converted.
run 0 'clc-filter --from 0.05 --to 0.1 -F binary run.clct | clc-filter --no-correction --no-provenance -F text | grep -v ^%provenance | cmp - <(clc-filter --from 0.05 --to 0.1 --no-provenance run.clct | grep -v ^%provenance)'
if clc-filter --version | grep -q libotf2; then
  run 0 'clc-filter --no-correction -F otf2 run.clct -o archive; clc-filter --from 0.05 --to 0.1 -F text archive | grep -cv ^%'
  out "$(grep -cv ^% part.clct)"
  run 2 'clc-filter --from 0.05 archive -o part'
  err 'clc-filter: --from: part of an archive cannot be written as an archive; use -F binary or -F text*'
  run 0 'clc-filter --from 0.05 --to 0.1 -F otf2 run.clct -o part.d; clc-filter --no-correction -F text part.d | grep -cv ^%'
  out "$(grep -cv ^% part.clct)"
fi
# What is refused.
run 2 'clc-filter --from 2 --to 1 run.clct'
err 'clc-filter: --to: expected a time after --from*'
run 2 'clc-filter --from -1 run.clct'
err_has '--from'
run 2 'clc-filter --to 1 --online run.clct'
err_has '--to keeps the trace in a temporary file'
# The judge compares it with the whole trace, and finds it in the provenance.
clc-tracegen halo -n 8 --seed 3 --events 20000 --regions -o wrong.clct
for option in '' --backwards '--combine mean'; do
  run 0 "clc-filter -q -mmd 0.5 --from 0.01185 --to 0.02 $option wrong.clct -o corrected.clct; clc-check wrong.clct corrected.clct"
  out_has 'Window: seconds 0.01185 to 0.02 of the recorded trace; '
  ! grep -q 'trace; 0 messages' "$logs/out" || fail 'nothing crosses the begin of the window'
  out_has 'law 1 clock condition: ok ('
  out_has 'law 3 order and distinctness in each process: ok ('
  out_has 'records identical apart from time: ok ('
  # Seconds count from the first event of the trace.
  grep -o '([0-9.]* s)' "$logs/out" >seconds
  awk -F'[( ]' '$2 < 0.0115 || $2 > 0.0205 { bad = 1 } END { exit bad || NR == 0 }' seconds || fail "times $(tr '\n' ' ' <seconds)"
done
# Records of the window that are missing, added, or too early are found.
run 1 'grep -v "^%provenance" corrected.clct >plain.clct; clc-check -q -mmd 0.5 wrong.clct plain.clct'
out_has 'records identical apart from time: BROKEN'
run 0 'clc-check -q -mmd 0.5 --direction both --from 0.01185 --to 0.02 wrong.clct plain.clct'
run 1 'clc-check -q -mmd 0.5 --direction both --from 0.0119 --to 0.02 wrong.clct plain.clct'
out_has 'records identical apart from time: BROKEN'
run 1 'clc-check -q -mmd 0.5 --direction both --from 0.01185 --to 0.0201 wrong.clct plain.clct'
out_has ' is missing in the corrected trace'
run 1 'clc-filter --no-correction --from 0.01185 --to 0.02 wrong.clct -o as_it_is.clct; clc-check -q -mmd 0.5 --from 0.01185 --to 0.02 wrong.clct as_it_is.clct'
out_has 'law 1 clock condition: BROKEN'
out_has 'records identical apart from time: ok ('
# Mapped, set back, in other formats; lines behind the window may be missing.
run 0 'printf "%%offset 1 0 12345\n%%offset 3 0 -70000\n" >offsets; clc-filter -q -mmd 0.5 --offsets offsets --from 0.01185 --to 0.02 wrong.clct -o corrected.clct; clc-check -q wrong.clct corrected.clct'
out_has 'law 2 nothing before its mapped time: ok ('
run 0 'clc-tracegen halo -n 4 --seed 3 --events 40000 --steps 100:300 --set-back -o back.clct; for option in "" --backwards; do clc-filter -q -mmd 0.5 --from 0.01185 --to 0.2 $option back.clct -o corrected.clct; clc-check -q back.clct corrected.clct || exit; done'
# A copy of a window says so, too, and so does a copy of a corrected window.
run 1 'clc-check -q wrong.clct as_it_is.clct'
out_has 'records identical apart from time: ok ('
run 0 'clc-filter -q --from 0.01185 --to 0.02 wrong.clct | clc-filter --no-correction -F binary | clc-check -q wrong.clct -'
out_has 'records identical apart from time: ok ('
run 0 'clc-filter -q as_it_is.clct -o corrected.clct; clc-check -q as_it_is.clct corrected.clct | grep "^records"'
out_has ': ok ('
# A window alone lacks ends of messages, whatever rule was right for the trace.
if can_estimate; then
  clc-tracegen collectives --seed 3 -n 8 --events 20000 --rate 20000 --nonblocking 30 --nodes 4 --delay 5 --node-delay 1 -o coll.clct
  run 0 'clc-filter -q --from 0.5 --estimate coll.clct -o alone.clct; grep -o -m 1 -e "--match [a-z]*" alone.clct; clc-check alone.clct | tail -n +2 | cmp - <(clc-check --match whole alone.clct | tail -n +2)'
  out '--match fifo'
  run 1 'clc-check -q --match fifo alone.clct'
fi
# To a time ahead of the first event.
run 0 'clc-tracegen ring -n 4 --seed 1104 --events 3000 --offset 200 --steps 3:5000 --set-back -o back.clct; clc-filter -q --from 0.0259 --backwards back.clct -o corrected.clct && clc-check -q back.clct corrected.clct'

run 0 'clc-filter -q -mmd 0.5 -F binary --from 0.01185 --to 0.02 wrong.clct | clc-check -q -mmd 0.5 --from 0.01185 --to 0.02 wrong.clct -'
run 0 'echo "%group 77 0 1" >>wrong.clct; echo "% behind" >>wrong.clct; clc-filter -q -mmd 0.5 --wait-limit 0.001 --from 0.01185 --to 0.02 wrong.clct -o corrected.clct; clc-check -q wrong.clct corrected.clct'
run 0 'clc-check -q --report-format json wrong.clct corrected.clct | grep -E "\"(from_s|to_s|laws_hold)\"" | tr -d " \n"'
out '"from_s":0.01185,"to_s":0.02,"laws_hold":true,'
run 2 'clc-check --from 1 wrong.clct'
err 'clc-check: --from and --to need a corrected trace in addition to the recorded one*'
run 2 'clc-check --from 0.01185 --truth wrong.clct wrong.clct corrected.clct'
err 'clc-check: --truth: the corrected trace is a window of the recorded one, expected a whole correction*'

# --match whole: the trace is read first. Each 25th send is lost, and each clock is set three times.
run 0 'clc-tracegen ring --events 4000 --seed 3 --offset 200 --steps 3:200 --lose-sends 4 -o trace'
run 0 'clc-tracegen ring --events 4000 --seed 3 --offset 200 --steps 3:200 -o intact'

# ---- asked for, from a file or a pipe
run 0 'clc-filter -q --match whole --no-provenance trace -o right'
run 0 'clc-filter -q --match whole --no-provenance trace | cmp - right'
run 0 'clc-filter -q --match whole --no-provenance <trace | cmp - right'
run 0 'clc-filter -q --match whole --no-provenance -F binary trace | clc-filter -q --no-correction --no-provenance -F text - | cmp - right'
run 0 'clc-filter -q --match whole intact >out && clc-filter -q --match fifo intact >fifo && cmp <(grep -v "^%" out) <(grep -v "^%" fifo)'
run 0 'clc-filter -q --match whole --report - --dry-run trace | grep -c "^ *lost send: "'
run 0 'clc-filter -q --match whole --report - --report-format json --dry-run trace | grep "\"match\""'
out_has 'whole'

# ---- processes that share a clock: clocks are right, so that nothing moves
run 0 'clc-tracegen halo -n 8 --nodes 2 --seed 11 --events 20000 --duration 1 --offset 0 --drift 0 --lose-sends 0.1 -o nodes'
for option in '' --estimate '--match resync'; do
  run 0 "clc-filter -q --clock-of node $option nodes -o out && cmp <(grep -v '^%' nodes) <(grep -v '^%' out)"
done
run 0 'clc-check -q --clock-of node nodes out'

# ---- a rank is killed, and steps of the program are as irregular as its messages: no shift fits better than by chance
for made in '4 --seed 427 --offset 200 --wander 0.1' '7 --seed 138 --jitter 0.1 --allreduce 1'; do
  run 0 "clc-tracegen finite-elements -n $made --events 30000 --end-early 1:0.5 -o killed"
  run 0 'clc-filter -q --match whole killed -o out && clc-check -q --match fifo killed out'
  out_has 'law 1 clock condition: ok'
done

# ---- programs that compute between send and receive: small differences of delays tell nothing, no end more is missing
lost_of() { python3 -c "
import json, sys
report = json.load(sys.stdin)
print(*(sum(loss['missing'] == end for loss in report['losses']) for end in ('send', 'receive')))"; }
for seed in 1 3 5; do
  made="finite-elements -n 9 --seed $seed --events 40000"
  all=$(clc-tracegen $made | grep -c ' S ')
  run 0 "clc-tracegen $made --lose-sends 0.1 -o lacking"
  missing=$((all - $(grep -c ' S ' lacking)))
  run 0 'clc-filter -q --match whole --dry-run --report - --report-format json lacking | lost_of'
  out "$missing 0"
done

# ---- computations vary by a tenth: an unusual delay is no pair of losses
largest_of() { clc-filter -q --match whole --dry-run --report - --report-format json "$1" | python3 -c "
import json, sys
print(round(max(process['largest_correction_us'] for process in json.load(sys.stdin)['processes'])))"; }
for seed in 3 4 5 6 7; do
  made="halo -n 9 --jitter 50 --seed $seed --events 20000"
  run 0 "clc-tracegen $made -o complete && clc-tracegen $made --lose-sends 0.05 -o lacking"
  [ "$(largest_of lacking)" -le $((2 * $(largest_of complete))) ] || fail "seed $seed: corrections are more than twice as large"
done

# ---- by default, from a file to a file
run 0 'clc-filter --no-provenance trace -o out 2>told; cmp out right && head -n 1 told'
out 'clc-filter: records are missing; correcting again with --match whole'
run 0 'clc-filter -q trace -o named && grep -c "^%provenance clc-filter .* --match whole" named'
out 1
run 0 'clc-check -q trace named >/dev/null && clc-check -q --match whole trace named >/dev/null'
run 0 'clc-check -q --report-format json trace named | grep "\"match\""'
out_has whole
run 0 'clc-filter -q trace | grep -c "^%provenance clc-filter .* --match resync"'
out 1

# ---- the standard output is a file: what was written is taken back, and nothing else
run 0 'clc-filter --no-provenance trace >written 2>told; cmp written right && head -n 1 told'
out 'clc-filter: records are missing; correcting again with --match whole'
run 0 '(echo head; clc-filter -q --no-provenance trace; echo tail) >written && cat <(echo head) right <(echo tail) | cmp - written'
run 0 'clc-filter -q --no-provenance --threads 3 trace >written; cmp written right'
for to in '>>written' '1<>written' '| cat' '>/dev/null' '<trace >written'; do
  from=trace
  [[ $to != "<"* ]] || from=
  run 0 "cp right written && (clc-filter $from $to) 2>&1 >/dev/null | grep -c 'to find more of them, read from a file and write to one, or use --match whole'"
  out 1
done
run 0 'clc-filter --match resync trace 2>&1 >/dev/null | grep -c "find more" || true'
out 0

# ---- what cannot be
run 2 'clc-filter --match whole --look-ahead 1 trace'
err_has '--match whole reads the trace twice'

# ---- from a recording it is the default, with the same result forwards
run 0 'clc-filter -q --no-provenance --from 0 trace | cmp - right'
clc-tracegen halo -n 6 --events 10k --seed 5 --allreduce 1 --lose-calls 3 --lose-receives 2 -o lossy
for way in --backwards '--combine mean' '--from 0.01 --to 0.04' '--to 0.04 --backwards' '--match whole --from 0.02 --combine mean'; do
  run 0 "clc-filter -q $way lossy -o out && clc-filter -q $way <lossy | grep -v '^%' | cmp - <(grep -v '^%' out)"
  run 0 'clc-check -q lossy out'
  out_has 'law 1 clock condition: ok'
  run 0 'grep -c "^%provenance clc-filter .* --match whole" out'
  out 1
done
found() { clc-filter -q "$@" --dry-run --report - --report-format json lossy | python3 -c "
import json, sys
report = json.load(sys.stdin)
print([sorted(map(str, report[key])) for key in ('losses', 'lost_calls')], report['cases'])"; }
run 0 'found --match whole >forwards; for way in --backwards "--combine mean"; do found $way | cmp - forwards; done'
run 0 'grep -c "allreduce.*send_without_receive" forwards'
out 1
! can_estimate || run 0 'clc-filter -q --backwards --estimate intact | grep -c "^%provenance clc-filter .* --match fifo"'
! can_estimate || out 1
run 0 'clc-filter -q --backwards intact | grep -v ^% >out && clc-filter -q --backwards --match fifo intact | grep -v ^% | cmp - out'

# ---- a process without any record, to which others send
run 0 '(echo "%clc-trace 1"; for p in 0 1 2 3; do echo "%process $p p$p"; done
  echo "%group 0 0 1 2 3"
  for i in 1 2 3 4 5 6; do for p in 0 1 2; do echo "$i${p}000 $p S 3 0 $p 8"; done; done) >none
  clc-filter -q --match whole --dry-run --report - none | grep -c "^ *lost receive: "'
out 10

# ---- the first send of a channel: matched first in, first out, the messages the other way would come back too early
for seed in 1 2 3 4; do
  run 0 "clc-tracegen halo -n 9 --events 2000 --rate 20000 --seed $seed |
    awk '\$2 == 1 && \$3 == \"S\" && \$4 == 0 && !lost { lost = 1; next }
         \$2 == 0 && \$3 == \"R\" && \$4 == 1 && !first { first = 1; print \$1 >\"first\" }
         { print }' >late
    clc-filter -q --report - -o out late | grep -c \"lost send: process 1 .* to 0 .* tick \$(cat first)\$\"
    clc-check late out | grep -c '^Verdict: good'"
  out '1
1'
done

# ---- a receive that is known to lack its send keeps no events back, so that regulators see them at their time; nor does
#      one whose tag is not used again
for seed in 1 7; do
  run 0 "clc-tracegen master-worker -n 16 --events 10000 --offset 200 --steps 3:200 --seed $seed -o intact"
  grep -v '^%' intact | awk '$2 == 4' | head -250 >lost
  awk 'NR == FNR { lost[$0]; next } !($0 in lost)' lost intact >late
  awk 'NR == FNR { lost[$0]; next } /^%/ { print; next }
       { keep = !($0 in lost); $6 = 10000 * $6 + ++n[$3 $2 " " $4]; if (keep) print }' lost intact >own_tags
  run 0 'clc-filter -q --no-provenance --match whole late >whole; clc-filter -q --no-provenance -o out late; cmp out whole'
  run 0 'clc-filter -q -o tagged own_tags; cmp <(cut -d" " -f1-5 tagged | grep -v ^%) <(cut -d" " -f1-5 out | grep -v ^%)'
done

# Spellings, misspellings, help and version.
run 0 'clc-tracegen ring --seed 1 --events 50 --no-provenance -o expected'
for spelling in '-n 8 -F text' '--processes=8 --output-format=text' '-processes 8 -output-format text'; do
  run 0 "clc-tracegen ring --seed=1 --events 50 $spelling --no-provenance | cmp - expected"
done
run 0 'clc-tracegen --seed 1 --events 5e1 ring --no-provenance | cmp - expected'

# The trace names the least delay of its messages, and that inside nodes if it is another.
run 0 'clc-tracegen halo -n 4 --nodes 2 --node-delay 1 --delay 5 --seed 1 --events 50 | grep "^%min-delay"'
out '%min-delay 5000 node=1000'
run 0 'clc-tracegen halo -n 4 --nodes 2 --node-delay 9 --delay 5 --seed 1 --events 50 | grep "^%min-delay"'
out '%min-delay 5000 node=9000'
run 0 'clc-tracegen halo -n 4 --nodes 2 --node-delay 5 --delay 5 --seed 1 --events 50 | grep "^%min-delay"'
out '%min-delay 5000'
run 0 'clc-tracegen halo -n 4 --nodes 2 --node-delay 1 --no-min-delay --seed 1 --events 50 | grep -c "^%min-delay"; true'
out 0
# Readers of all formats that keep it see both, and the true times respect both.
for format in text binary $(clc-filter --version | grep -q libotf2 && echo otf2); do
  run 0 "clc-tracegen collectives -n 6 --nodes 3 --node-delay 1 --seed 1 --start 1000000 --events 3000 -F $format --truth truth.$format -o run.$format"
  run 0 "clc-filter --no-correction --no-provenance -F text run.$format | grep ^%min-delay"
  out '%min-delay 5000 node=1000'
  run 0 "clc-check truth.$format"
done
for delay in 1 9; do
  run 0 "clc-tracegen halo -n 8 --nodes 2 --node-delay $delay --offset 1000 --seed 2 --events 4000 --truth truth -o run"
  run 0 'clc-check truth && clc-filter run -o corrected && clc-check run corrected'
  out_has 'law 1 clock condition: ok'
  # Between nodes nothing is faster than 5 us.
  run 0 'clc-check -mmd 5 -mmd node=0.001 truth && clc-check -mmd 5 -mmd node=0.001 corrected'
done
rm -r truth* run* corrected
# At least a tick.
for delay in '--delay 0' '--delay 0.0002'; do
  run 0 "clc-tracegen halo $delay --jitter 0.3 --seed 1 --events 5000 --truth truth | grep ^%min-delay; clc-check -q truth >/dev/null"
  out '%min-delay 1'
done
run 0 'clc-tracegen halo --nodes 4 --node-delay 0 --jitter 0.3 --seed 1 --events 5000 --truth truth | grep ^%min-delay; clc-check -q truth >/dev/null'
out '%min-delay 5000 node=1'
run 0 'clc-tracegen scenario2 --seed 1 --events 50 | grep -c ^%min-delay; true'
out 0
# More processes than fit into a line.
run 1 'clc-tracegen ring -n 170000 --events 1000 >out'
err 'clc-tracegen: the line "%group 0 0 1 2 3 *" has * bytes, and a line of a text trace at most 1048576; write another format'
run 0 'clc-tracegen ring -n 170000 --events 1000 -F binary | clc-filter -q >out'
run 1 'clc-tracegen ring -n 400000 --events 1000 -F binary >out'
err 'clc-tracegen: the line * has * bytes, and a block of a binary trace at most 2097152; write another format'
rm out truth

run 2 'clc-tracegen'
err 'clc-tracegen: which scenario?*'
run 2 'clc-tracegen hallo'
err "clc-tracegen: SCENARIO: expected halo, finite-elements, * or scenario2, found 'hallo'*"
run 2 'clc-tracegen halo ring'
err "clc-tracegen: unexpected operand 'ring' after SCENARIO*"
run 2 'clc-tracegen halo --start epoch --resolution 1e12'
err 'clc-tracegen: --start epoch does not fit into 64 bits with 1000000000000 ticks per second; use a lower *'
run 2 'clc-tracegen halo --sed 1'
err 'clc-tracegen: unknown option --sed, did you mean --seed?*'
run 2 'clc-tracegen halo --grid 8'
err "clc-tracegen: --grid: expected NxM, such as 8x8, found '8'*"
run 2 'clc-tracegen halo --grid 2x3 -n 5'
err 'clc-tracegen: --grid has 6 processes, --processes asks for 5*'
run 2 'clc-tracegen halo --drift -3'
err "clc-tracegen: --drift: expected 0 or more ppm, found '-3'*"
run 2 'clc-tracegen halo --steps 3'
err "clc-tracegen: --steps: expected COUNT:MICROSECONDS, found '3'*"
for option in --rho --lag --period; do
  run 2 "clc-tracegen halo $option 100"
  err 'clc-tracegen: --rho, --lag and --period are for scenario2*'
done
# The largest start, and one more.
run 0 'clc-tracegen ring --events 10 --start 4611686018427387904 >/dev/null'
run 2 'clc-tracegen ring --events 10 --start 4611686018427387905'
err 'clc-tracegen: --start: expected *4611686018427387904*'
run 2 'clc-tracegen halo --end-early 3:1.5'
err "clc-tracegen: --end-early: expected a fraction of the run from 0 to 1, found '1.5'*"
run 2 'clc-tracegen halo --end-early 99:0.5'
err 'clc-tracegen: --end-early, --record-late: no process 99*'
run 2 'clc-tracegen halo --lose-sends 101'
err "clc-tracegen: --lose-sends: expected 0 to 100 percent, found '101'*"
for scenario in ring halo 'halo --allreduce 3 --silent 1:0.1:0.2'; do
  run 2 "clc-tracegen $scenario --lose-calls 3"
  err 'clc-tracegen: --lose-calls is for collectives, and for --allreduce where no process is absent*'
done
run 2 'clc-tracegen collectives --lose-burst 3'
err 'clc-tracegen: collectives: there are no messages: no --lose-sends, --lose-receives, --lose-burst*'
run 0 'clc-tracegen ring --lose-calls 0 --lose-sends 0 --events 10 >/dev/null'
run 2 'clc-tracegen halo --truncate 100'
err 'clc-tracegen: --truncate needs --output; in a pipe use head -c*'
run 2 'clc-tracegen halo --truth x -o x'
err 'clc-tracegen: --truth and --output name the same file*'
run 2 'clc-tracegen coarse-clock --delay 1000'
err 'clc-tracegen: coarse-clock: the token needs * more than one --tick*'
run 2 'clc-tracegen halo --rate 1e-9'
err 'clc-tracegen: the run would last longer than 9e15 ticks*'

run 0 'clc-tracegen --help'
out_has 'Usage: clc-tracegen SCENARIO'
out_has 'Exit status: 0 done'
run 0 'clc-tracegen --help | awk "length > 79"'
out ''
run 0 'clc-tracegen --version | head -1 | cut -d" " -f1'
out 'clc-tracegen'

# Every option of the help is in the man page.
run 0 'clc-tracegen --help | grep -oE -e "--[a-z][-a-z]*" | sort -u | sed "s/^--/Fl -/" |
       while read -r name; do grep -qE -e "$name( |$)" "$CLC_SOURCE/man/clc-tracegen.1" || echo "$name"; done'
out ''
run 0 'clc-tracegen --help | awk "/^Scenarios/ { on = 1; next } on && /^  / { print \$1 }" |
       while read -r name; do grep -qE -e "^\.(It|Ss) (Cm )?$name" "$CLC_SOURCE/man/clc-tracegen.1" || echo "$name"; done'
out ''
no_more_files expected

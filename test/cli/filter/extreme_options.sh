# Options at their ends, on random traces: text and archive, files and pauses, one thread or three give the same times.
not_under_valgrind 'takes too long'
otf2=
clc-filter --version | grep -q libotf2 && otf2=yes
choose() {  # variable = a word of the list, by the seed (no subshell: it would not advance RANDOM)
  local -n chosen=$1
  shift
  shift $((RANDOM % $#))
  chosen=$1
}
trace() {
  choose scenario halo ring pairs master-worker random collectives
  choose processes 2 4 8 14 24
  choose events 700 1500 20000 60000
  choose offset 0 20 300 5000 50000
  choose drift 0 1 50
  choose tick '' '' '--tick 1' '--tick 100'
  choose jumps '' '' '--steps 3:500' '--resync 0.01:30'
  choose lost '' '' '--lose-receives 3'
  [ "$scenario" != collectives ] || lost=  # there are no messages
  made="clc-tracegen $scenario -n $processes --events $events --seed $1 --offset $offset --drift $drift $tick $jumps $lost"
}
options() {
  local option
  given=
  for option in '--max-memory 1M' '--max-memory 1M' '-maxerr 50' '-cldiff 0' '-cldiff 1e18' '--wait-limit 1e-9' '--delta 1e6' \
    '--gamma-min 1' '--regulators-as thesis'; do
    [ $((RANDOM % 3)) = 0 ] && given+=" $option"
  done
}
# pause FILE: in three parts, with time to notice between them.
pause() {
  local third=$(($(stat -c %s "$1") / 3))
  head -c $third "$1"
  sleep 0.2
  tail -c +$((third + 1)) "$1" | head -c $third
  sleep 0.2
  tail -c +$((2 * third + 1)) "$1"
}
# Each process for itself: events of one time may stand in another order.
times() { grep -v '^%' "$1" | sort -s -n -k 2,2; }
# The bound counts bodies, which are longer in one format than in another.
bound_was_met() {
  sed -nE 's/^    "(final_early|note_early|wait_given_up|memory_exceeded)": ([0-9]+),$/\2/p' "$@" | grep -qv '^0$'
}

in_depth && seeds=24 archives=12 || seeds=6 archives=4
for seed in ${CLC_SEED:-$(seq $seeds)}; do
  RANDOM=$seed
  trace "$seed"
  options
  rm -rf in.clct out.* archive in report*
  fifo="clc-filter -q --no-provenance $given"
  filter="$fifo --match resync"  # as pipes are matched
  run 0 "$made -o in.clct && $filter in.clct -o out.text --report report --report-format json"
  run 0 "$fifo --match fifo in.clct -o out.fifo"
  run 0 "$fifo --online in.clct | cmp out.fifo -"
  run 0 "pause in.clct | $fifo --online --transfer off - | cmp out.fifo -"
  for threads in 1 3; do run 0 "$filter --threads $threads in.clct | cmp out.text -"; done
  run 0 "clc-filter -q --no-correction in.clct -F binary | $filter -F text - -o out.binary --report report2 --report-format json"
  run 0 'cmp <(times out.text) <(times out.binary) || bound_was_met report report2'
  [ -n "$otf2" ] || continue
  run 0 "$filter in.clct -F otf2 -o archive && clc-filter -q --no-correction archive -F text -o out.to"
  run 0 'cmp <(times out.text) <(times out.to)'
  run 0 "clc-filter -q --no-correction in.clct -F otf2 -o in && $filter in -F text -o out.from --report report2 --report-format json"
  run 0 'cmp <(times out.text) <(times out.from) || bound_was_met report report2'
done

# Pauses where the bound is met.
for case in '17 master-worker -n 24 --offset 300,' '18 pairs -n 24 --offset 50000,--gamma-min 1' \
  '25 ring -n 24 --offset 50000,' '14 collectives -n 24 --offset 50000 --steps 3:500,-cldiff 1e18'; do
  read -r seed made <<<"${case%,*}"
  run 0 "clc-tracegen $made --seed $seed --events 60000 -o in.clct"
  filter="clc-filter -q --no-provenance --max-memory 1M ${case#*,}"
  run 0 "$filter in.clct -o out.text --report report --report-format json && bound_was_met report"
  run 0 "pause in.clct | $filter --online --transfer off - | cmp out.text -"
done

# Archives with any records: corrected on the way to text, as archive, and from their text form.
[ -n "$otf2" ] || skip 'built without libotf2'
# One record of an archive may stand for several events (completing a window: sends, begin and end), which --delta draws
# apart in text only; what stands beside them is the same.
own_records() { times "$1" | grep -vE '^[0-9]+ [0-9]+ [BXSR] '; }
copy='clc-filter -q --no-correction --no-provenance -F text'
for seed in $(seq $archives); do
  RANDOM=$seed
  options
  filter="clc-filter -q --no-provenance $given"
  run 0 "rm -rf any && mkdir any && clc-test-otf2-archive random any/archive $seed"
  run 0 "$filter any/archive -F text -o out.text --report report --report-format json 2>messages; true"
  run 0 "$filter any/archive -o any/out 2>messages && $copy any/out -o out.to 2>messages; true"
  run 0 "($copy any/archive | $filter - -o out.from --report report2 --report-format json) 2>messages; true"
  run 0 'cmp <(times out.text) <(times out.from) || bound_was_met report report2'
  compared=times
  [[ $given != *--delta* ]] || compared=own_records
  run 0 "cmp <($compared out.text) <($compared out.to)"
  run 0 "test \$($compared out.text | wc -l) -gt 4000"
done

# The number of a communicator is used again, for others, while nobody uses it: the result is that of new numbers, also
# where records are sorted on the way in. CLC_SEED: of the first random trace.

# trace SEED AHEAD: processes 0 to 3 use it in turns, 4 and 5 have clocks that are ahead. Writes lines in the order of
# the recorded times; @N stands for the N-th communicator.
trace() {
  awk -v seed="$1" -v ahead="$2" '
    function whole(limit) { return int(rand() * limit) }
    function put(time, process, words) { printf "%d\t%d %d %s\n", time + off[process], time + off[process], process, words }
    function message(from, to, time) {
      put(time, from, "S " to " 9 0 8")
      put(time + 3000 + whole(3000), to, "R " from " 9 0 8")
    }
    BEGIN {
      srand(seed)
      for (p = 0; p < 4; ++p) off[p] = whole(60000) - 30000
      off[0] = 0
      off[4] = ahead
      off[5] = ahead + 30000
      turns = 12 + whole(6)
      for (turn = 0; turn < turns; ++turn) {
        base = 1000000 * (turn + 1)
        count = 0
        members = ""
        for (p = 0; p < 4; ++p) if (rand() < .6 || (p == 3 && count == 0)) { list[count++] = p; members = members " " p }
        delay = rand() < .3 ? 9000 : 3000
        printf "%d\t%%group @%d%s%s\n", base + 100000, turn, members, delay == 9000 ? " min-delay=9000" : ""
        put(base + 100000, 0, "I turn")
        now = base + 200000
        for (calls = whole(4); calls > 0; --calls) {
          latest = 0
          for (i = 0; i < count; ++i) {
            begin[i] = now + whole(3000)
            if (begin[i] > latest) latest = begin[i]
            put(begin[i], list[i], "B")
          }
          # Some ends are too early.
          for (i = 0; i < count; ++i) {
            end = latest + (rand() < .05 ? 1000 : delay) + whole(500)
            put(end > begin[i] ? end : begin[i] + 1, list[i], "X allreduce @" turn " - 8 8")
          }
          now = latest + 20000
        }
        for (p = 1; p < 6; ++p) { message(0, p, base + 400000 + 40000 * p); message(p, 0, base + 420000 + 40000 * p) }
      }
    }' | sort -s -n -k 1,1 | cut -f 2
}
head_of() {
  printf '%%clc-trace 1\n%%min-delay 3000\n'
  printf '%%process %d\n' 0 1 2 3 4 5
  printf '%%group 9 0 1 2 3 4 5\n'
}
# The records of a trace, whatever the numbers.
records() { grep -v '^%' "$1" | sed 's/ 1[0-9][0-9] - / 4 - /'; }


# inputs SEED AHEAD: reused.clct, reused.clcb, a part for each process, and fresh.clct, with new numbers.
inputs() {
  trace "$1" "$2" >lines
  { head_of; sed 's/@[0-9]*/4/' lines; } >reused.clct
  { head_of
    awk '{ if (match($0, /@[0-9]+/)) sub(/@[0-9]+/, 100 + substr($0, RSTART + 1, RLENGTH - 1)); print }' lines; } >fresh.clct
  for process in 0 1 2 3 4 5; do
    # Only the first one says who the members are.
    { head_of
      [ "$process" -eq 0 ] || echo '%group 4'
      sed 's/@[0-9]*/4/' lines | awk -v process="$process" '/^%/ ? process == 0 : $2 == process'; } >"part$process.clct"
  done
  run 0 'clc-filter -q --no-correction -F binary reused.clct -o reused.clcb'
}
# same_as_fresh OPTIONS INPUT...
same_as_fresh() {
  local options=$1
  shift
  run 0 "clc-filter -q $options fresh.clct -o fresh.out"
  records fresh.out >wanted
  for input; do
    run 0 "clc-filter -q $options -F text $input -o reused.out"
    records reused.out | cmp -s wanted - || fail "seed $seed: $options $input: other times than with new numbers"
    # Lines that define a number as it is already are merged.
    [ "$input" = 'part?.clct' ] && continue
    run 0 'clc-check reused.clct reused.out'
    out_has 'law 1 clock condition: ok'
  done
}

first=${CLC_SEED:-1}
count=3
in_depth && count=12
[ -n "${CLC_SEED:-}" ] && count=1
for ((seed = first; seed < first + count; ++seed)); do
  inputs "$seed" 0
  for options in '' '--sort-window 1' '--sort-window 20000' '--threads 3 --sort-window 20000'; do
    same_as_fresh "$options" reused.clct reused.clcb 'part?.clct'
  done
  can_estimate && same_as_fresh '--estimate --look-ahead .008' reused.clct 'part?.clct'
  # Records that come after a redefinition in the input, and are far before it when they are sorted.
  inputs "$seed" 9000000
  printf '%%offset 4 0 -9000000\n%%offset 5 0 -9030000\n' >offsets
  same_as_fresh '--offsets offsets' reused.clct reused.clcb 'part?.clct'
  for options in '--threads 3' '--sort-window 20000' '--match whole' '--order epochs' '--from .004 --to .012' '--backwards'; do
    same_as_fresh "--offsets offsets $options" reused.clct
  done
  if can_estimate; then
    same_as_fresh '--auto' reused.clct reused.clcb 'part?.clct'
    for options in '--estimate' '--estimate --sort-window 300' '--auto --threads 3 --sort-window 300'; do
      same_as_fresh "$options" reused.clct
    done
    run 0 'clc-sync fresh.clct | sed 1,2d >wanted'
    run 0 'clc-sync reused.clct | sed 1,2d | cmp wanted -'
  fi
done

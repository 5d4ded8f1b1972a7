# shellcheck shell=bash
# For the scripts threads.sh and threads_otf2.sh:
#   same COMMAND    N in it stands for the number of threads: with any the same output, words and status; the report of
#                   the command goes to report
#   status_was N    of the last command
in_depth && others='2 3 auto' || others=3
same() {
  local n
  command=$1
  for n in 1 $others; do
    rm -f report
    (eval "${1//--threads N/--threads $n}") >"stdout.$n" 2>"stderr.$n" </dev/null
    echo "status $?" >>"stderr.$n"
    [ ! -e report ] || grep -v -e 'events/s' -e '"wall_s"' -e '"events_per_s"' report >>"stderr.$n"
    cmp -s stdout.1 "stdout.$n" || fail "--threads $n: another output"
    diff stderr.1 "stderr.$n" >&2 || fail "--threads $n: other words or status"
  done
}
status_was() { grep -qx "status $1" stderr.1 || fail "expected status $1, found $(grep '^status' stderr.1)"; }

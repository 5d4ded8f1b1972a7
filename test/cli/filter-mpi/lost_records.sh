# Archives that lack records: matched as clc-filter does it, with any number of processes.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
in_depth || numbers="1 3 8"
lossy() { # OPTIONS OF CLC-TRACEGEN...
  run 0 "clc-tracegen $* --seed 7 --offset 200 -F otf2 -o in"
  same in
}
lossy halo -n 6 --events 20000 --lose-receives 1 --lose-sends 0.1
run 0 'mpi 3 in --dry-run 2>&1 >/dev/null | grep -v "warning: "'
out 'clc-filter-mpi: records are missing; matching with --match whole'
# They are named as clc-filter names them.
run 0 'serial -q in --dry-run --report expected --report-format json && mpi 3 -q in --dry-run --report found --report-format json'
run 0 'losses expected >by_filter; test -s by_filter && losses found | cmp by_filter - && rm expected found by_filter'
run 0 'mpi 3 -q in --dry-run --report - | grep -c "^  lost [sr].*: process [0-9]"'
out 10
# It matters, and with --match fifo it is as before.
run 0 'serial -q in -o whole && serial -q --match fifo in -o fifo; cmp whole/traces/1.evt fifo/traces/1.evt >/dev/null; test $? = 1'
rm -r whole fifo
same in --match fifo
in_depth || numbers=3
# Clocks are estimated from what belongs together.
! can_estimate || same in --auto
rm -r in
lossy halo -n 8 --events 20000 --allreduce 3 --lose-calls 10 --lose-burst 50
! can_estimate || same in --auto
rm -r in
lossy collectives -n 8 --events 20000 --lose-members 3
rm -r in
lossy halo -n 6 --events 20000 --allreduce 2 --end-early 2:0.5
rm -r in
if in_depth; then
  run 0 'clc-tracegen random -n 8 --events 20000 --lose-sends 1 --seed 7 --offset 200 -F otf2 -o in'
  err 'clc-tracegen: warning: in: * messages have a tag beyond 32 bits, which other programs find in the attribute "clc tag"'
  same in
  rm -r in
  lossy halo -n 70 --events 40000 --allreduce 3 --lose-sends 0.1 --lose-receives 0.1 --lose-calls 10
  rm -r in
fi

run 2 'mpi 3 in -o out --match resync'
err "clc-filter-mpi: --match: expected fifo or whole, found 'resync' (see clc-filter-mpi --help)"
# A trace that is whole is read once.
run 0 'clc-tracegen halo -n 6 --events 20000 --seed 7 -F otf2 -o in && mpi 3 in --dry-run'
rm -r in

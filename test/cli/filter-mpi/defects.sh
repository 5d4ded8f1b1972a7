# Traces that lack records: as many cases as clc-filter counts, the same losses, and no hang.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
counts() { # of cases, without those that are 0
  tee report | grep -oE '"(send_without_receive|receive_without_send|wait_in_circle|collective_incomplete|end_without_begin|begin_without_end|self_message|clock_disagrees)": [1-9][0-9]*' | sort
  losses report
}
numbers="1 3 8"
in_depth || numbers=3
alike() { # OPTIONS OF CLC-TRACEGEN...
  run 0 "clc-tracegen $* --seed 5 -F otf2 -o in"
  run 0 "serial -q $clocks in --dry-run --report - --report-format json | counts >expected; test -s expected"
  for processes in $numbers; do
    run 0 "mpi $processes -q $clocks in --dry-run --report - --report-format json | counts | diff expected -"
  done
  rm -r in
}
clocks=
alike halo -n 8 --events 20000 --lose-receives 1
alike halo -n 8 --events 20000 --lose-sends 1
alike collectives -n 8 --events 20000 --lose-members 2
alike halo -n 8 --events 20000 --allreduce 2 --end-early 3:0.5
alike halo -n 8 --events 20000 --record-late 3:0.5
alike ring -n 8 --events 20000 --lose-calls 0 --lose-burst 50
alike halo -n 8 --events 20000 --allreduce 2 --lose-calls 10

# Messages that are received before they are sent, though on one clock.
clocks='--clock-of node'
alike halo -n 8 --events 2000 --offset 500 --nodes 2 --lose-sends 2

# Records that wait for each other in a circle, and members that name other operations.
cat >circle.clct <<'TRACE'
%clc-trace 1
%process 0 a
%process 1 b
%process 2 c
%group 4 0 1 2
10 0 R 2 4 1 8
11 1 R 0 4 1 8
12 2 R 1 4 1 8
20 0 S 1 4 1 8
21 1 S 2 4 1 8
22 2 S 0 4 1 8
30 0 B
30 1 B
30 2 B
40 0 X allreduce 4 - 8 8
41 1 X allreduce 4 - 8 8
42 2 X barrier 4 - 0 0
TRACE
run 0 'clc-filter -q --no-correction circle.clct -F otf2 -o in'
for processes in 1 2 3; do
  run 0 "mpi $processes -q in -o out.$processes --report - --report-format json | tr , '\n' >report"
  run 0 'grep -c "\"\(wait_in_circle\|operation_mismatch\)\": 1$" report'
  out 2
  run 0 "clc-filter -q --no-correction out.$processes -F text -o - | grep -v '^%' >times.$processes && cmp times.1 times.$processes"
done
rm -r in out.* report times.*

# The messages are those of clc-filter, once.
run 0 'clc-tracegen halo -n 8 --events 20000 --lose-receives 1 --seed 5 -F otf2 -o in'
run 0 'mpi 5 in -o out'
err_has 'clc-filter-mpi: records are missing; matching with --match whole'
err_has ' sends were never received'
run 0 'mpi 5 in --match fifo --dry-run'
err_has 'sends were never received'
err_has 'channels are missing'
run 3 'mpi 5 -q --strict in -o out --overwrite'
err 'clc-filter-mpi: --strict: * cases stayed unresolved; see --report'
rm -r in out

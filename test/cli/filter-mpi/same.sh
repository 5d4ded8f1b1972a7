# The archive does not depend on the number of processes, and is the one that clc-filter writes.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"

# ---- generated: messages, collective operations, records that are missing
make() { clc-tracegen "$@" --seed 3 -F otf2 -o in; }
run 0 'make halo -n 9 --events 10000 --allreduce 3 --offset 100 --drift 1'
same in
in_depth || numbers="1 8"
same in --no-amortization --delta 0.05 -mmd 2
same in --regulators-as thesis --gamma-min 0 --norm 16 -cldiff 50
# Something was to correct, and on the way between processes.
run 0 'serial -q in -o out && cmp in/traces/1.evt out/traces/1.evt >/dev/null; test $? = 1'
rm -r in out
run 0 'make collectives --events 8000 --offset 100 --nonblocking 50'
same in
rm -r in
run 0 'make random --events 8000 --offset 100 2>/dev/null'
same in
rm -r in
# With a minimum delay within nodes.
run 0 'clc-tracegen halo -n 4 --nodes 2 --events 2000 --offset 100 --seed 3 | sed "s/^%min-delay [0-9]*/& node=100/" >nodes.clct; grep -c " node=100$" nodes.clct; clc-filter -q --no-correction -F otf2 -o in nodes.clct'
out 1
same in
rm -r in

# ---- made: threads, windows, accelerators, markers, snapshots, clock offsets, clocks that are set back
archives=('kinds 3' 'threads 2' windows offset 'set-back bytes' mapped 'cancelled 400' 'callers one')
if in_depth; then
  numbers="2 5"
  archives+=('ring 12 50 5' teams ranks epochs operations)
else
  numbers=5
fi
for what in "${archives[@]}"; do
  set -- $what
  run 0 "clc-test-otf2-archive $1 in ${*:2}"
  same in -mmd 1
  ! in_depth || same in -mmd 1 --keep-original
  # Locks are messages without a name.
  [ "$1" = threads ] || same in -mmd 1 --clock-of location
  rm -r in
done

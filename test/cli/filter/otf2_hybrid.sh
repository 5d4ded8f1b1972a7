# Processes whose threads all call MPI: requests of one thread that another one completes, collective operations of any
# kind, one-sided synchronisation; and whose clock an accelerator or a spawned process has.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
make() {
  rm -rf in
  clc-test-otf2-archive hybrid in "$@" || fail 'cannot make an archive'
}
# What is right stays as it is, and nothing is missing; what is 50 us late is corrected.
check() { # WHAT MESSAGES OPERATIONS
  make "$1"
  run 0 'clc-filter --strict in -o out --overwrite --report report'
  run 0 "grep -c ' $2 messages, $3 collective operations' report"
  out 1
  run 0 'grep "violations:\|of the events moved" report'
  out '  violations: 0 in the input, 0 left
  corrections: 0.0 % of the events moved, by at most 0.000 us'
  make "$1" "${4:-50000}"
  run 0 'clc-filter --strict in -o out --overwrite --report report'
  run 0 'grep -c "violations: 0 in the input" report || true'
  out 0
  run 0 'clc-check -q in out && clc-filter in -o many --overwrite && diff -r -x traces.otf2 out many'
  run 0 'ulimit -n 20; clc-filter in -o few --overwrite && diff -r -x traces.otf2 out few'
}
check messages 40 0
check receives 40 0
check collective 0 40
check requests 0 40
check window 0 40
check between 0 80
check group 0 40
check epochs 40 0
check notified 40 0
# The same where libotf2 has to read the events, and where files are few.
for what in receives requests; do
  make "$what"
  run 0 'clc-filter --keep-original in -o kept --overwrite && clc-filter --strict kept -o out --overwrite --report report'
  run 0 'grep "of the events moved" report'
  out '  corrections: 0.0 % of the events moved, by at most 0.000 us'
done
# Streams that a group of CUDA names are no ranks.
check cuda 40 0

# A process that another one started has a clock of its own: all of its events move.
make spawned 500000
run 0 'clc-filter --strict in -o out --overwrite --report - | grep "messages  \|moved"'
out_has 'messages     40 of 40 violated'
out_has '50.0 % of the events moved'

# An accelerator that nobody created is the one of the only process on its node, and moves with it; elsewhere it is told.
make orphan 500000
run 0 'clc-filter --strict in -o out --overwrite --report - | grep "messages  \|moved"'
out_has 'messages     40 of 40 violated'
out_has '66.7 % of the events moved'
make crowded
run 0 'clc-filter in -o out --overwrite'
err 'clc-filter: warning: in/traces.otf2: location group 2 is an accelerator without a creator: its node does not have exactly one process, so it is treated as a process with a clock of its own (1 such groups)'
run 0 'clc-filter --strict in -o out --overwrite --clock-of node'

# Clock offsets of one thread alone.
make offsets
run 0 'clc-filter in -o out --overwrite'
err_has 'the clock offsets of locations 0 and 1 differ, although both share the clock of a process; 1 location has other offsets than the first one of their process: record them for all, or use --ignore-clock-offsets'
run 0 'clc-filter --strict in -o out --overwrite --ignore-clock-offsets'

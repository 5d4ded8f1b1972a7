# shellcheck shell=bash disable=SC2154  # mpirun is set by needs_mpi
# For the scripts of this folder that record clc-test-mpi-traffic:
#   count          sends, receives and collective operations in a trace as text, as the program counts them
#   faked N        runs it with N processes, clocks within +-50 ms and +-50 ppm; errors: the largest error of the offsets,
#                  us, and the largest part of its bound that an error takes
needs_mpi clc-test-mpi-traffic 1

count() { awk '/^[-0-9]/ { n[$3]++ } END { print n["S"] + 0, n["R"] + 0, n["X"] + 0 }'; }
faked() {
  local faketime
  faketime=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null | head -n 1)
  [ -n "$faketime" ] || skip 'recorded; clocks not faked: libfaketime is missing'
  cat >fake <<END
#!/bin/bash
read -r offset rate < <(awk -v rank="\$OMPI_COMM_WORLD_RANK" 'BEGIN {
  srand(7)
  for (i = 0; i <= rank; ++i) { offset = (rand() - 0.5) * 0.1; rate = (rand() - 0.5) * 100e-6 }
  printf "%+.6f %.9f\\n", offset, 1 + rate }')
export FAKETIME="\$offset x\$rate"
LD_PRELOAD=$faketime:\$LD_PRELOAD exec "\$@"
END
  chmod +x fake
  run 0 "CLC_RECORD_TRUTH=1 clc-record -q -o faked --stamp clock $mpirun -n $1 -x CLC_RECORD_TRUTH ./fake clc-test-mpi-traffic 50 >/dev/null"
  run 0 'clc-filter -q --no-correction faked -F text >faked.clct; clc-sync --method measured faked >offsets; python3 $CLC_SOURCE/test/cli/record/truth.py faked.clct offsets >errors'
}

# Requests and communicators in rare orders: all is recorded, and what belongs together is matched.
. "$CLC_SOURCE/test/cli/record/traffic.bash"

# NAME N COUNTS: all records are there, and matched.
recorded() {
  run 0 "rm -rf run.d; clc-record -q -o run.d $mpirun -n $2 clc-test-mpi-cases $1"
  out ''
  run 0 'clc-filter -q --no-correction run.d -F text | tee run.clct | count'
  out "$3"
  run 0 'clc-filter -q --strict -mmd 0 run.d -o run.clcb && clc-check -q -mmd 0 run.d run.clcb >check'
}

# ---- a communicator that is freed before its requests end
recorded freed 2 '18 18 8'

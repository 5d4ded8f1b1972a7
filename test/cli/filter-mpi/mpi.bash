# shellcheck shell=bash
# For the scripts of this folder:
#   mpi N OPTION...     clc-filter-mpi with N processes; its standard error without what mpirun adds if a process fails
#   serial OPTION...    clc-filter with the same rules
#   same IN OPTION...   for each of $numbers processes the files of the archive are those that clc-filter writes
command -v mpirun >/dev/null || skip 'mpirun is missing (Debian: openmpi-bin)'
not_under_valgrind 'MPI runs its own processes'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun="timeout 600 mpirun -q --oversubscribe --mca mpi_yield_when_idle 1"
timeout 100 $mpirun -n 2 true >probe 2>&1 || skip "mpirun does not run here: $(head -c 300 probe)"
rm -f probe

numbers="1 2 3 5 8 13"

mpi() {
  local processes=$1
  shift
  $mpirun -n "$processes" clc-filter-mpi "$@" 2>all
  local status=$?
  grep '^clc-filter-mpi: ' all >&2
  rm -f all
  return $status
}
serial() { clc-filter --regulators AD --match fifo "$@"; }
same() {
  local archive=$1 processes
  shift
  run 0 "serial -q --no-provenance $* $archive -o expected"
  for processes in $numbers; do
    # The anchor file has a number that libotf2 draws.
    run 0 "mpi $processes -q --no-provenance $* $archive -o found && diff -r -x '*.otf2' expected found"
    rm -rf found
  done
  rm -rf expected
}

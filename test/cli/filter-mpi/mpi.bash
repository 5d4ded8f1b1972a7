# shellcheck shell=bash
# For the scripts of this folder:
#   mpi N OPTION...     clc-filter-mpi with N processes; its standard error without what mpirun adds if a process fails
#   serial OPTION...    clc-filter with the same rules
#   told COMMAND        runs COMMAND, clc-filter or serial, which fails with status 1; text: what clc-filter-mpi has to say
#   same IN OPTION...   for each of $numbers processes the files of the archive are those that clc-filter writes
needs_mpi true
# It waits without keeping others from work; where OpenMPI yields as well, it loses its processor at each look.
mpirun="timeout 600 ${mpirun/when_idle 1/when_idle 0} -q"

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
serial() { clc-filter --order epochs --match whole "$@"; }
told() {
  run 1 "$1"
  text=$(sed 's/^clc-filter:/clc-filter-mpi:/' "$logs/err")
  err '*'
}
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

# Traces that cannot be written whole: a limit of file sizes stands for a full disk.
. "$CLC_SOURCE/test/cli/record/traffic.bash"

here=$(pwd -P)

# ---- one trace: the message names it and the reason, the launcher counts it, and what was written can be read
for buffer in 32 0.05; do
  rm -rf one.d
  run 1 "clc-record -o one.d --buffer $buffer $mpirun -n 3 clc-test-mpi-cases limited"
  out ''
  err_has "clc-record: $here/one.d: incomplete traces: rank1.clcb (File too large)"
  err_has 'clc-record: one.d: traces of 3 processes, 1 of them incomplete'
  err_has 'clc-record: 60000 sends, 60000 receives'
  err_has 'clc-record: next: clc-filter --auto --keep-going one.d -o run.clcb'
done
run 0 'grep incomplete one.d/summary.txt'
out 'incomplete traces: rank1.clcb (File too large)'
run 1 'clc-filter --no-correction one.d -o run.clct'
err_has 'one.d/rank1.clcb: offset 100000: the file ends inside a block'
run 1 'clc-filter --keep-going --no-correction one.d -F text >run.clct'
err_has 'one.d/rank1.clcb: offset 100000: the file ends inside a block'
run 0 'grep -c " 0 S " run.clct'
out 20000
run 0 'test $(grep -c " 1 S " run.clct) -gt 1000'

# ---- all traces and the summary; the status of the program is kept if it has one
run 1 "clc-record -o all.d $mpirun -n 2 clc-test-mpi-cases full"
out ''
err_has "clc-record: $here/all.d: incomplete traces: rank0.clcb and rank1.clcb (File too large)"
err_has "clc-record: $here/all.d/summary.txt: cannot be written: File too large"
err_has 'clc-record: all.d: traces of 2 processes, 2 of them incomplete'
err_has 'clc-record: next: clc-filter --auto --keep-going all.d -o run.clcb'
run 0 'test -e all.d/summary.txt && ! test -s all.d/summary.txt'
export mpirun
run 7 "clc-record -q -o seven.d sh -c '\$mpirun -n 2 clc-test-mpi-cases full; exit 7'"
err_has 'incomplete traces: rank0.clcb and rank1.clcb (File too large)'

# ---- an abort: the process that aborts speaks for itself
run 5 "clc-record -o abort.d $mpirun -n 2 clc-test-mpi-cases full_abort"
err_has "clc-record: $here/abort.d: incomplete trace: rank1.clcb (File too large)"
err_has ' of them incomplete'  # rank 0 may have been killed before it could write
err_has 'clc-record: the program did not end with MPI_Finalize'

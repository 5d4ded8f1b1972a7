# clc-record from an installed tree that was moved: the launcher finds its library and the program of --measure beside it.
needs_mpi clc-test-mpi-traffic 1
run 0 '"$CMAKE" --install "$CLC_BUILD" --prefix "$scratch/first" >log || { cat log; false; }; mv first moved'
export PATH=$scratch/moved/bin:$PATH
run 0 'command -v clc-record'
out "$scratch/moved/bin/clc-record"
run 0 "clc-record -q -o run.d $mpirun -n 2 clc-test-mpi-traffic 10 >/dev/null && clc-filter -q $auto run.d -o run.clcb && clc-check -q run.clcb >/dev/null"
run 0 'ls run.d/*.clcb | wc -l'
out 2
run 0 "clc-record --measure $mpirun -n 2 >measured && [ -s measured ]"
# Through a link, as some systems put programs into the path.
run 0 "ln -s moved/bin/clc-record linked && ./linked -q -o linked.d $mpirun -n 2 clc-test-mpi-traffic 10 >/dev/null && ls linked.d | grep -c clcb"
out 2
# Without its library.
run 0 'rm "$(find moved -name libclc-record.so)"'
run 1 "clc-record -o none.d $mpirun -n 2 clc-test-mpi-traffic 10"
err 'clc-record: *libclc-record.so is missing; install clc-filter again'

# Which programs are recorded, and into which files.
. "$CLC_SOURCE/test/cli/record/traffic.bash"

# ---- a second program in the command: the first keeps its files, and the second, also with more processes, is not recorded
cat >two.sh <<'END'
$mpirun -n 2 clc-test-mpi-traffic 3 && cp -r "$CLC_RECORD_DIR" "$CLC_RECORD_DIR/../first.d" && $mpirun -n 3 clc-test-mpi-traffic 5
END
export mpirun
run 0 'clc-record -q -o two.d sh two.sh >counts'
err 'clc-record: *two.d/rank0.clcb: exists already, from another program*; this program is not recorded'
run 0 'diff -r first.d two.d && clc-filter -q --no-correction two.d -F text | count | diff - <(head -n 1 counts)'
# By hand; a file in the way of another process than the first.
run 0 'mkdir three.d && : >three.d/rank1.clcb && CLC_RECORD_DIR=three.d LD_PRELOAD=$(dirname "$(command -v clc-record)")/../lib/libclc-record.so $mpirun -n 2 clc-test-mpi-traffic 3 >counts; ls three.d'
err '*three.d/rank1.clcb: exists already*'
out rank1.clcb
run 0 'CLC_RECORD_DIR=none.d LD_PRELOAD=$(dirname "$(command -v clc-record)")/../lib/libclc-record.so $mpirun -n 2 clc-test-mpi-traffic 3 >counts'
err 'clc-record: none.d/rank0.clcb: cannot be created: No such file or directory'

# The folder is that of the start, also if the program goes to another one.
run 0 'mkdir moved.d && CLC_RECORD_DIR=moved.d LD_PRELOAD=$(dirname "$(command -v clc-record)")/../lib/libclc-record.so $mpirun -n 2 clc-test-mpi-cases moves; ls moved.d'
out 'rank0.clcb
rank1.clcb
summary.txt'

# ---- no memory for the buffer: the program runs without being recorded
run 7 "(ulimit -v 8000000; clc-record -o memory.d --buffer 65536 sh -c '\$mpirun -n 2 clc-test-mpi-cases ring && exit 7')"
err_has 'clc-record: rank 0: not enough memory for a buffer of 65536 MiB (--buffer); this program is not recorded'
# The reason was given, so that no other is guessed; no file is left.
run 1 "(ulimit -v 8000000; clc-record -o memory.d --buffer 65536 \$mpirun -n 2 clc-test-mpi-cases ring) 2>&1 | grep 'nothing was recorded'; test -e memory.d"
out 'clc-record: nothing was recorded'

# ---- MPI_Comm_spawn: only the parents are recorded
run 0 'clc-record -q -o spawn.d $mpirun -n 2 clc-test-mpi-cases spawn && ls spawn.d'
out 'rank0.clcb
rank1.clcb
summary.txt'
run 0 'clc-filter -q --no-correction spawn.d -F text | tee spawn.clct | count; grep -c " B$" spawn.clct; grep outside spawn.d/summary.txt'
out '4 4 0
0
3 messages and collective operations with processes outside of MPI_COMM_WORLD are missing'

# ---- fork(): the child writes nothing
run 0 'clc-record -q -o fork.d $mpirun -n 2 --mca mpi_warn_on_fork 0 clc-test-mpi-cases fork'
out ''
run 0 'clc-filter -q --no-correction fork.d -F text | count'
out '4 4 0'

# ---- a program that calls MPI until its end
run 0 "timeout 100 clc-record -o exits.d $mpirun -n 2 clc-test-mpi-cases exits"
err_has 'clc-record: 4 sends, 4 receives, 0 collective operations'
run 0 'clc-filter -q --no-correction exits.d -F text | count'
out '4 4 0'

# ---- several programs in one job, in folders with characters that lists of variables use
printf -- '-n 1 clc-test-mpi-cases ring\n-n 2 clc-test-mpi-cases other\n' >'app;|file'
programs='-n 1 clc-test-mpi-cases ring : -n 2 clc-test-mpi-cases other'
for how in "$programs" "-x A=1 $programs" '--app "app;|file"'; do
  run 0 "timeout 100 clc-record -q --buffer 1 --stamp clock -o 'several;| a.d' \$mpirun $how && ls 'several;| a.d'"
  out 'rank0.clcb
rank1.clcb
rank2.clcb
summary.txt'
  run 0 'clc-filter -q --no-correction "several;| a.d" -F text | count; grep -c "CLOCK_MONOTONIC_RAW$" "several;| a.d/summary.txt"; rm -r "several;| a.d"'
  out '3 3 0
1'
done

# ---- a signal to clc-record alone is passed on, and the command is waited for; its standard input is that of clc-record
for signal in TERM:143 HUP:129; do
  rm -rf signal.d ready
  run "${signal#*:}" "(until [ -e ready ]; do sleep 0.1; done; kill -${signal%:*} \$(cat pid)) & sh -c 'echo \$\$ >pid; exec clc-record -o signal.d \$mpirun -n 2 clc-test-mpi-cases pauses'"
  err_has 'clc-record: signal.d: traces of 2 processes'
  err_has 'clc-record: the program did not end with MPI_Finalize'
done
run 7 "echo word | clc-record -q sh -c 'cat; exit 7' 2>/dev/null"
out word
# The environment is that of clc-record, but for its own variables.
grep -oE '(^|[ ;(])_?[a-z][a-z_]*=' "$(command -v clc-record)" | tr -d ' ;(=' | sed 's/^_//' | sort -u >names
run 0 'set -a; while read -r n; do eval "$n=own"; done <names; env >before; clc-record -q -o names.d --buffer 1 --stamp clock sh -c "env >after; exit 0" 2>/dev/null; grep -vE "^(LD_PRELOAD|CLC_RECORD_.*|_|PWD|OLDPWD|SHLVL)=" before | sort >old; grep -vE "^(LD_PRELOAD|CLC_RECORD_.*|_|PWD|OLDPWD|SHLVL)=" after | sort | diff old - && wc -l <names | awk "\$1 < 20"'
out ''

# ---- a library that the user preloads, and lists of variables that exclude -x; the program's own arguments stay as they are
cat >has <<'END'
#!/bin/sh
[ "$1" = "$(eval "printf %s \"\$$2\"" | sed 's,/[^:]*/,,g')" ] || echo "$2 is $(eval "echo \"\$$2\"")"
[ "$3 $4" = '-x LD_PRELOAD=libm.so.6' ] || echo "arguments $3 $4"
exec clc-test-mpi-cases ring
END
chmod +x has
arguments='-x LD_PRELOAD=libm.so.6'
user() { printf '%s' "-n 2 ./has libclc-record.so:libm.so.6 LD_PRELOAD $arguments"; }
list() { printf '%s' "-n 1 ./has 1 A $arguments : -n 1 ./has 2 B $arguments"; }
mkdir -p home/.openmpi
echo 'mca_base_env_list = A=1;B=2' >home/.openmpi/mca-params.conf
while read -r variables options; do
  run 0 "rm -rf run.d; env $variables timeout 100 clc-record -q --buffer 1 \$mpirun $options && ls run.d"
  out 'rank0.clcb
rank1.clcb
summary.txt'
done <<END
X=1 -x LD_PRELOAD=libm.so.6 $(user)
LD_PRELOAD=libm.so.6 -x LD_PRELOAD $(user)
OMPI_MCA_mca_base_env_list=LD_PRELOAD=libm.so.6 $(user)
OMPI_MCA_mca_base_env_list='A=1;B=2' $(list)
OMPI_MCA_mca_base_env_list=C=3 --mca mca_base_env_list 'A=1;B=2' $(list)
X=1 --gmca mca_base_env_list 'A=1;B=2' $(list)
OMPI_MCA_mca_base_env_list_delimiter=+ --gmca mca_base_env_list A=1+B=2 $(list)
HOME=$PWD/home $(list)
END
run 1 "OMPI_MCA_mca_base_env_list=A=1 clc-record -o 'a;b' \$mpirun $(list)"
err "clc-record: */a;b: the variables of mca_base_env_list are separated by ';', which the name of the folder or of the library contains; name another folder with -o"
run 0 'test ! -e "a;b"'

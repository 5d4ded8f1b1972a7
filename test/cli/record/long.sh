# The figures that take long: a million messages recorded complete, and sixteen processes with faked clocks.
command -v mpirun >/dev/null || skip 'mpirun is missing (Debian: openmpi-bin)'
not_under_valgrind 'MPI runs its own processes'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpi() { echo "mpirun --oversubscribe --mca mpi_yield_when_idle 1 -n $1"; }
timeout 100 $(mpi 2) clc-test-mpi-traffic 1 >probe 2>&1 || skip "mpirun does not run here: $(head -c 300 probe)"

# ---- 10^6 messages, also with wildcards, MPI_Waitany and communicators of half the processes: the program counts itself
count() { awk '/^[-0-9]/ { n[$3]++ } END { print n["S"] + 0, n["R"] + 0, n["X"] + 0 }'; }
run 0 "clc-record -q -o million --buffer 1 $(mpi 4) clc-test-mpi-traffic 31250 >counts"
run 0 'grep "^1000000 1000000 " counts'
run 0 'clc-filter -q --no-correction million -F text | count | cmp - counts'
run 0 'clc-filter --report - --report-format json --dry-run -q million | grep -c "\"messages\": 1000000,"'

# ---- 16 processes, clocks within +-50 ms and +-50 ppm: bounds contain the truth
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
run 0 "CLC_RECORD_TRUTH=1 clc-record -q -o faked --stamp clock $(mpi 16) -x CLC_RECORD_TRUTH ./fake clc-test-mpi-traffic 50 >/dev/null"
run 0 'clc-filter -q --no-correction faked -F text >faked.clct; clc-sync --method measured faked >offsets; python3 $CLC_SOURCE/test/cli/record/truth.py faked.clct offsets >errors'
# 2 us where each process has a processor. With fewer, round trips contain switches, and the bounds say so.
run 0 'read -r error part <errors; awk -v error="$error" -v part="$part" -v n="$(nproc)" "BEGIN { exit !(part > 0 && part <= 1 && (n < 16 || error <= 2)) }"'

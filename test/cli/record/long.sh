# The figures that take long: a million messages recorded complete, and sixteen processes with faked clocks.
. "$CLC_SOURCE/test/cli/record/traffic.bash"

# ---- 10^6 messages, also with wildcards, MPI_Waitany and communicators of half the processes: the program counts itself
run 0 "clc-record -q -o million --buffer 1 $mpirun -n 4 clc-test-mpi-traffic 31250 >counts"
run 0 'grep "^1000000 1000000 " counts'
run 0 'clc-filter -q --no-correction million -F text | count | cmp - counts'
run 0 'clc-filter --report - --report-format json --dry-run -q million | grep -c "\"messages\": 1000000,"'

# ---- 16 processes, clocks within +-50 ms and +-50 ppm: bounds contain the truth
faked 16
# 2 us where each process has a processor. With fewer, round trips contain switches, and the bounds say so.
run 0 'read -r error part <errors; awk -v error="$error" -v part="$part" -v n="$(nproc)" "BEGIN { exit !(part > 0 && part <= 1 && (n < 16 || error <= 2)) }"'

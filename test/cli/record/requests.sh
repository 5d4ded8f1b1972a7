# Requests and communicators in rare orders: all is recorded, and what belongs together is matched.
. "$CLC_SOURCE/test/cli/record/traffic.bash"

# NAME N COUNTS: all records are there, and matched.
recorded() {
  run 0 "rm -rf run.d; clc-record -q --stamp clock -o run.d $mpirun -n $2 clc-test-mpi-cases $1"
  out ''
  run 0 'clc-filter -q --no-correction run.d -F text | tee run.clct | count'
  out "$3"
  run 0 'clc-filter -q --strict -mmd 0 run.d -o run.clcb && clc-check -q -mmd 0 run.d run.clcb >check'
}

# ---- a communicator that is freed before its requests end, or that MPI does not free
recorded freed 2 '22 22 8'

# ---- non-blocking collective operations that processes complete in different orders: nothing is to be corrected
recorded orders 3 '0 0 300'
run 0 'clc-filter --report - --report-format json --dry-run -q -mmd 0 run.d | grep -cE "\"(violated|corrected_violations|violations)\": [1-9]"; true'
out 0
run 0 'grep -c "ended before" run.d/summary.txt; true'
out 0
recorded complete 2 '0 0 10'
# As many under way as cannot be told apart are counted.
run 0 "rm -rf run.d; clc-record -q -o run.d $mpirun -n 2 clc-test-mpi-cases many && grep \"ended before\" run.d/summary.txt"
out '2 non-blocking collective operations ended before others of their communicator that were posted long before; they may be matched wrongly'

# ---- communicators that MPI_Comm_idup and MPI_Comm_accept make, and unknown ones
recorded duplicates 3 '12 12 3'
run 0 'grep "^%group" run.clct | cut -d " " -f 3- | sort | uniq -c | grep -cE "^ +3 0 1 2$"'
out 1
recorded unseen 2 '2 2 0'
run 0 'grep -c " B$" run.clct; grep unseen run.d/summary.txt'
out '0
8 messages and collective operations on communicators that were made unseen are missing'

# ---- calls that fail, and requests that fail beside others
recorded truncated 2 '25 25 0'
run 0 'grep -c " B" run.clct; grep missing run.d/summary.txt; true'
out 0

# ---- MPI_Request_get_status tells of an end once; MPI_Request_free of a complete request
recorded looked_at 3 '18 18 3'

# ---- receives in another order than their messages
recorded overtaking 2 '12 12 0'
run 0 'grep " 1 R " run.clct | cut -d " " -f 5-'
out '0 0 2 overtakes=1
0 0 1
0 1 2 overtakes=1
0 1 1
0 2 2 overtakes=1
0 2 1
0 3 2 overtakes=1
0 3 1
0 4 2 overtakes=1
0 4 1
0 5 1
0 5 2'

# ---- receives of all kinds in random order: as many overtaken as the program counts itself
run 0 "rm -rf run.d; clc-record -q -o run.d $mpirun -n 3 clc-test-mpi-cases shuffled >expected && clc-filter -q --no-correction run.d -F text >run.clct"
run 0 "awk '\$3 == \"R\" { print \$4, \$5 != 0, \$6 (NF > 7 ? \" \" \$8 : \"\") }' run.clct | cmp - expected && test \$(grep -c overtakes expected) -gt 1000"

# ---- 2 GiB
recorded large 2 '1 1 0'
run 0 'grep -cE " [SR] [01] 0 1 2147483648$" run.clct'
out 2

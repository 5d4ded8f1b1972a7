# Programs recorded by clc-record: complete, also with an abort; clocks that were faked are measured.
. "$CLC_SOURCE/test/cli/record/traffic.bash"

# ---- complete, by the program's own counts; buffers that are full are written
for buffer in 32 0.05; do
  run 0 "clc-record -q -o all$buffer --buffer $buffer $mpirun -n 4 clc-test-mpi-traffic 200 >counts"
  run 0 "clc-filter -q --no-correction all$buffer -F text | tee all.clct | count | cmp - counts"
done
run 0 'grep -c "E clc-record flush" all.clct | grep -vx 0 >/dev/null'
run 0 'grep -cE "^half round trips: shortest [0-9.]+, mean [0-9.]+, longest [0-9.]+ us|^a reading of the counter takes" all32/summary.txt'
out 2
# Every message is matched, and each communicator has one number in all traces.
run 0 'clc-filter --report - --report-format json --dry-run -q all32 | grep -c "\"messages\": 6400,"'
out 1
# Messages of one machine may take less than 1 us, so that the verdict on that delay depends on who else is running.
run 0 'clc-filter -q --strict -mmd 0 all32 -o all.clcb'
run 0 'grep "^%group" all.clct | sort -u | wc -l | grep -x 15'  # world, four of one process, two halves, each with four for requests

# ---- the same end to end
run 0 'clc-filter -q $auto all32 -o run.clcb && clc-check -q run.clcb >/dev/null'

# ---- an abort in the middle
run 3 "clc-record -o aborted --buffer 0.05 $mpirun -n 4 clc-test-mpi-traffic 300 abort >/dev/null"
err_has 'did not end with MPI_Finalize'
# The process that aborts has written everything; of others, which may have been killed, what was flushed is readable.
run 0 'clc-filter -q --no-correction aborted/rank1.clcb -F text | count | grep "^1208 1208 "'
run 0 'clc-filter -q --keep-going --no-correction aborted -F text 2>/dev/null | count >counts; read -r sends rest <counts; test $sends -ge 1208'

needs_estimates

# ---- measurements inside barriers: as many as are evaluated, however often they are demanded
bursts() { clc-filter -q --no-correction "$1/rank1.clcb" -F text | awk '/^%sync/ { n += !inside; inside = 1 } /^[0-9]/ { inside = 0 } END { print n }'; }
evaluated() { clc-sync -q --method measured "$1" | grep -c '^%offset 1 '; }
# As many rounds as this machine needs for a measurement between the first and the last.
for ((rounds = 6000; rounds <= 1536000; rounds *= 4)); do
  rm -rf often
  run 0 "CLC_RECORD_SYNC_EVERY=0.00001 clc-record -q -o often $mpirun -n 3 -x CLC_RECORD_SYNC_EVERY clc-test-mpi-traffic $rounds >/dev/null"
  run 0 'bursts often >bursts; evaluated often | diff - bursts'
  [ "$(<bursts)" -lt 3 ] || break
done
run 0 "awk '{ exit \$1 < 3 }' bursts"
# They are between the end of the barrier and the leave of MPI_Barrier.
run 0 'clc-filter -q --no-correction often/rank1.clcb -F text | awk "/^[-0-9]/ { last = \$3 \" \" \$4; if (pending) print inside, last; pending = 0 } /^%sync/ && last != \"\" { inside = last; pending = 1 }" | sort -u'
out 'X barrier L MPI_Barrier'

# ---- faked clocks, +-50 ms and +-50 ppm: offsets within their bounds
faked 8
# The part of the bound that the largest error takes; the error itself depends on the load of the machine.
run 0 'read -r error part <errors; awk -v part="$part" "BEGIN { exit !(part > 0 && part <= 1) }"'

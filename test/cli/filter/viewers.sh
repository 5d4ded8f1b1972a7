# Generators and viewers of other people around the filter: smpirun | clc-filter | ViTE and pj_dump.
not_under_valgrind 'is about programs of other people'
command -v vite >/dev/null || skip 'no vite'
command -v pj_dump >/dev/null || skip 'no pj_dump (pajeng)'
export QT_QPA_PLATFORM=offscreen HOME=$PWD XDG_RUNTIME_DIR=$PWD
chmod 700 .
# ViTE draws the head of an arrow as a polygon.
arrows() { vite -e "$1.svg" "$1" >vite.log 2>&1 && grep -c '<polygon' "$1.svg"; }
messages() { clc-filter --dry-run -q --report - "$1" | sed -n 's/.* processes, \([0-9,]*\) messages,.*/\1/p' | tr -d ,; }
# TRACE MESSAGES: ViTE and pajeng see as many messages as the filter matches.
seen() {
  run 0 "messages $1"
  out "$2"
  run 0 "arrows $1"
  out "$2"
  run 0 "pj_dump --ignore-incomplete-links $1 | grep -c '^Link'"
  out "$2"
}

# A generator of ours: states, collective operations, messages.
run 0 'clc-tracegen finite-elements --seed 1 --events 20000 | clc-filter -mmd 5 -F paje >generated'
count=$(messages generated)
run 0 "[ $count -gt 1000 ] && pj_dump generated | cut -d, -f1 | sort | uniq -c | sed 's/^ *//'"
out_has "$count Link"
seen generated "$count"

# A real one: EZTrace, clocks 40 ms apart, 240 messages without their receive.
run 0 'clc-filter -q -mmd 0.5 -cldiff 50000 -F paje -z0 "$CLC_SOURCE/data/eztrace-ring.clct.zst" -o ring'
seen ring 12000
run 0 'pj_dump --ignore-incomplete-links ring | grep ^Link | awk -F", " "\$6 < 0" | wc -l'
out 0
run 0 'zstd -dc "$CLC_SOURCE/data/eztrace-ring.clct.zst" | grep -c "^[0-9]* [0-9]* [EB]"'
states=$(cat "$logs/out")
run 0 'pj_dump --ignore-incomplete-links ring | grep -c ^State'
out "$states"
run 0 'clc-filter --no-correction -F paje -z0 "$CLC_SOURCE/data/eztrace-ring.clct.zst" -o recorded; pj_dump --ignore-incomplete-links recorded | grep ^Link | awk -F", " "\$6 < 0" | wc -l'
out 5996

if [ -e "$data/otf2-eztrace.tar.xz" ] && clc-filter --version | grep -q libotf2; then
  tar -xf "$data/otf2-eztrace.tar.xz"
  run 0 'clc-filter -q -mmd 0.5 -cldiff 50000 -F paje ring-plain -o archive'
  seen archive 12000
fi

# SimGrid: simulated time, nothing to correct.
if [ -e "$data/smpi-ring4.paje.xz" ]; then
  run 0 'xz -dc "$data/smpi-ring4.paje.xz" >smpi; clc-filter --strict smpi | cmp - smpi'
  seen smpi 816
  run 0 'pj_dump smpi | grep -c ^State'
  out 1740
fi
command -v smpirun >/dev/null || skip 'no smpirun (libsimgrid-dev): the rest is tested'
cat >program.c <<'END'
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, size, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 50; ++i) {
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
END
cat >platform.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>
END
printf 'node-%d\n' 0 1 2 3 >hosts
run 0 'smpicc program.c -o program 2>&1'
simulate="smpirun -trace -trace-file /dev/stdout -np 4 -hostfile hosts -platform platform.xml ./program 2>/dev/null"
run 0 "set -o pipefail; $simulate | tee simulated | clc-filter >filtered; cmp simulated filtered"
seen filtered 200
# The same with a clock of rank 2 that is half a millisecond ahead, in the order of the times shown.
run 0 'awk "/^%/ || !/^(7|12|13|15|16) / { print \"0 \" NR, \$0; next }
  \$1 == 7 { print \"9 \" NR, 7, 9.0, \$3, \$4; next }
  { c = \$1 < 15 ? \$4 : \$6; if (c == 3) \$2 = sprintf(\"%.6f\", \$2 + 0.0005); print \$2, NR, \$0 }" simulated |
  sort -n -k1,1 -k2,2 | cut -d" " -f3- >shifted'
run 1 'clc-check -mmd 1 shifted'
out_has 'VIOLATED (50 of 200 edges)'
run 0 'clc-filter -mmd 1 shifted -o corrected; clc-check -mmd 1 shifted corrected'
out_has 'records identical apart from time: ok'
seen corrected 200

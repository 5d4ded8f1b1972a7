# From a program to a page; threads; how well clocks can be known.
needs_mpi clc-test-mpi-traffic 1

# ---- README's pipeline
run 0 "clc-record -q -o run.d $mpirun -n 4 clc-test-mpi-traffic 100 >counts && clc-filter -q $auto run.d -o run.clcb && clc-view -q run.clcb -o run.html"
run 0 'clc-check -q run.clcb >/dev/null && grep -c "<svg" run.html | grep -vx 0 >/dev/null'
# The same set of files.
run 0 'clc-filter -q $auto run.d -o corrected.d/ && diff <(ls run.d/*.clcb | xargs -n1 basename) <(ls corrected.d) && clc-check -q corrected.d >/dev/null'
# Rank 0 names all processes; it and the ranks that are powers of two name the members of the world; the others what they
# use.
run 0 'for rank in 0 1 2 3; do clc-filter -q --no-correction run.d/rank$rank.clcb -F text | grep -E "^%(group 0( |$)|process . )"; done | sed "s/node=.*/node/"'
out '%process 0 rank0 node
%process 1 rank1 node
%process 2 rank2 node
%process 3 rank3 node
%group 0 0 1 2 3
%process 1 rank1 node
%group 0 0 1 2 3
%process 2 rank2 node
%group 0 0 1 2 3
%process 3 rank3 node
%group 0'
# Without the trace of rank 0 only that one is missing.
run 0 'cp -r run.d lost.d && rm lost.d/rank0.clcb && clc-filter --dry-run -mmd 0 lost.d'
err_has 'collective operations were never finished by all members'
run 0 'clc-filter --dry-run -mmd 0 lost.d 2>&1 | grep -c outside; true'
out 0

# ---- several threads in each process: their messages belong to the process, their calls to locations of their own
run 0 "clc-record -q -o threads.d $mpirun -n 2 clc-test-mpi-threads 5000 >counts"
if ! grep -q none counts; then
  run 0 'clc-filter -q --no-correction -z0 threads.d -F text | awk "/^%process.*:thread/ {++t} /^[-0-9]/ {++n[\$3]} END {print n[\"S\"] + 0, n[\"R\"] + 0, t}" | cmp - counts'
  # All on the clock of their process; entered regions are left by the same location.
  run 0 'clc-filter -q --no-correction -z0 threads.d -F text | awk "/^%process.*:thread/ && !/clock=[01]\$/ {exit 1} /^[-0-9]/ && \$3 == \"E\" {in_[\$2 \$4]++} /^[-0-9]/ && \$3 == \"L\" {if (--in_[\$2 \$4] < 0) exit 1} END {for (i in in_) if (in_[i] != 0) exit 1}"'
  # No location has calls of another one.
  run 0 'clc-filter -q --no-correction -z0 threads.d -F text | awk "\$2 >= 2^32 && \$4 == \"MPI_Irecv\" && \$3 == \"E\" {++n[\$2]} END {for (i in n) print n[i]}"'
  out '5000
5000
5000
5000
5000
5000'
  # Messages that threads receive by turns are those that were sent so early: the n-th has n bytes.
  run 0 'clc-filter -q --no-correction -z0 threads.d -F text | awk "\$3 == \"R\" && \$6 == 3 {over = substr(\$8, 11); for (i = 1; taken[\$2, i] || over-- > 0; ++i); taken[\$2, i] = 1; ++n; bad += i != \$7} END {print n, bad + 0}"'
  out '1200 0'
  # Sends of threads have the order in which MPI got them, also if another one began first.
  run 0 'clc-filter -q --no-correction -z0 threads.d -F text | awk "\$3 == \"S\" && \$6 == 4 {sent[\$4] = sent[\$4] \$7} \$3 == \"R\" && \$6 == 4 {received[\$2] = received[\$2] \$7} END {for (i = 0; i < 2; ++i) print length(received[i]), sent[i] == received[i]}"'
  out '2 1
2 1'
  run 0 'clc-filter -q --strict -mmd 0 threads.d -o threads.clcb && clc-check -q threads.clcb >/dev/null'
  # The locations of threads that have ended belong to later ones, also if a thread calls MPI until its very end.
  run 0 "clc-record -q -o short.d $mpirun -n 2 clc-test-mpi-threads 10 300 >counts"
  run 0 'clc-filter -q --no-correction -z0 short.d -F text | tee short.clct | awk "/^%process.*:thread/ {++t} /^[-0-9]/ {++n[\$3]} END {print n[\"S\"] + 0, n[\"R\"] + 0, t}" | cmp - counts'
  run 0 'grep -c " E MPI_Probe" short.clct; grep " E MPI_Probe" short.clct | cut -d " " -f 2 | sort -u | wc -l'
  out '600
1'
fi

# ---- how well can clocks be read and synchronised?
run 0 "clc-record --measure $mpirun -n 3"
out_has 'Cost of a reading, counts (T table 1: PII 266, XP 1600)'
out_has 'T: 7876'
out_has 'Half round trips, one node: 2 pairs, 2000 samples'
out_has 'Errors of synchronisation, one node'
# The figures are in order, and all samples are in the distribution.
run 0 "clc-record --measure --stamp clock $mpirun -n 2 | awk '/^  here.us +[0-9]/ {if (!(\$3 <= \$2 && \$2 <= \$4 && \$3 > 0)) exit 1; ++n} /^    +[0-9. ]+\$/ {s = 0; for (i = 1; i <= NF; ++i) s += \$i; if (s < 99 || s > 101) exit 1; ++n} END {exit n != 2}'"
run 2 'clc-record --measure'
err 'clc-record: expected a command, such as mpirun -n 4 (see clc-record --help)'

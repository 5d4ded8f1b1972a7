# A program is run under EZTrace, its archive corrected.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
for program in mpicc mpirun eztrace otf2-print; do
  command -v $program >/dev/null || skip "no $program (openmpi-bin, libopenmpi-dev, eztrace, otf2-tools)"
done
CLC_BUILD=$(dirname "$(dirname "$(command -v clc-filter)")")
export CLC_BUILD
record=$CLC_SOURCE/scripts/record-mpi-trace
clocks=
[ -z "$(find /usr/lib -name libfaketime.so.1 2>/dev/null)" ] || clocks=--clocks
for clock in '' $clocks; do
  run 0 '$record --no-install $clock -o run'
  # EZTrace's quirks: group 0 twice, wrong numbers of events.
  err_has 'group 0 is defined more than once'
  out_has 'Corrected with clc-filter -mmd 0.5'
  out_has '  corrected  1200 messages, 0 violated; 120 collective operations, 680 pairs, 0 violated'
  run 0 '$CLC_SOURCE/test/cli/otf2_text.py violations 500 run/corrected/eztrace_log.otf2'
  out '1200 messages, 0 violated; 120 collective operations, 680 pairs, 0 violated'
  run 0 '$CLC_SOURCE/test/cli/otf2_text.py compare run/recorded/eztrace_log.otf2 run/corrected/eztrace_log.otf2'
  out_has 'events of 4 locations'
  run 1 '$record --no-install -o run'
  err 'record-mpi-trace: run: already exists; name another folder with -o'
  run 0 'rm -r run'
done
run 1 '$record --no-install -o run false'
err_has 'record-mpi-trace: the program failed under EZTrace'
run 0 'ls -A'
out ''

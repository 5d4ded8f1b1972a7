# Threads that call MPI, where one location of each process has its rank: what they send, receive and call counts as done
# by the rank.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
command -v otf2-print >/dev/null || skip 'no otf2-print (otf2-tools)'
look=$CLC_SOURCE/test/cli/otf2_text.py
for who in always 'in turn' one; do
  rm -rf in
  clc-test-otf2-archive callers in "$who" || fail 'cannot make an archive'
  run 0 'clc-filter --strict in -o out --overwrite --report report'
  run 0 'grep -c "in (otf2): [0-9]* events of 4 processes, 50 messages, 150 collective operations" report'
  out 1
  run 0 'grep "^  violations\|^  messages" report'
  out_has 'messages     50 of 50 violated'
  out_has 'violations: 100 in the input, 0 left'
  # Rank 1 is 491 us late, and moves as a whole.
  run 0 'sed -n "s/.*moved, by at most \(491\).*/\1/p" report'
  out 491
  run 0 '$look compare in/traces.otf2 out/traces.otf2'
  out_has 'times differ in 2 locations'
  run 0 'clc-check in out'
  out_has 'Verdict: good'
  # The same in threads, backwards, from many files, and estimated.
  run 0 'clc-filter in -o threads --threads 3 --overwrite && diff -r -x traces.otf2 out threads'
  run 0 'clc-filter in -o back --backwards --overwrite && clc-check -q in back | grep -c "law 1 clock condition: ok"'
  out 1
  run 0 'ulimit -n 20; clc-filter in -o few --overwrite && diff -r -x traces.otf2 out few'
  # As text, they are of the rank.
  run 0 'clc-filter in -F text --no-correction | grep -c "^[0-9]* [02] [SR] [02] "'
  out 100
done
# Each thread has a clock of its own: the second one has no rank.
run 0 'clc-filter -q in -o out --overwrite --clock-of location --report - | grep -c "called by processes outside"'
out 1
rm -rf in
clc-test-otf2-archive callers in nowhere || fail 'cannot make an archive'
run 0 'clc-filter in --dry-run'
err_has '200 messages or collective operations name an undefined communicator'

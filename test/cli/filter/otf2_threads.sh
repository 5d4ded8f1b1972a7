# Threads of one process share a clock. With --clock-of location they order each other, with a small delay of their own.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
command -v otf2-print >/dev/null || skip 'no otf2-print (otf2-tools)'
look=$CLC_SOURCE/test/cli/otf2_text.py
clc-test-otf2-archive threads threads || fail 'cannot make an archive'

run 0 '$look threads 10 threads/traces.otf2'
out '14 barriers, 4 violated; 5 forks, 2 violated; 5 joins, 0 violated; 9 locks, 3 violated; 2 threads, 1 violated'
run 0 'clc-filter --no-correction --no-provenance threads -o copy && diff -r -x traces.otf2 threads copy'

# Nothing is left, nothing but times differs, and nobody waits in vain: two locks are released for the last time.
run 0 'clc-filter --clock-of location -mmd 1 --no-provenance --strict threads -o corrected --report report'
run 0 'grep -A1 "^Unusual cases" report'
run 0 '$look threads 10 corrected/traces.otf2'
out '14 barriers, 0 violated; 5 forks, 0 violated; 5 joins, 0 violated; 9 locks, 0 violated; 2 threads, 0 violated'
run 0 '$look violations 1000 corrected/traces.otf2'
out '1 messages, 0 violated; 0 collective operations, 0 pairs, 0 violated'
run 0 '$look compare threads/traces.otf2 corrected/traces.otf2'
out_has '74 events of 5 locations; times differ in 4 locations'
run 0 'clc-check --clock-of location -mmd 1 corrected'
out_has 'Clock condition: holds (36 edges)'
run 0 'clc-check --clock-of location -mmd 1 threads corrected'
run 1 'clc-check --clock-of location -mmd 1 -mmd-threads 0.02 corrected'
out_has 'of 36 edges'

# Another delay; none at all, then each thread is left to itself.
run 0 'clc-filter --clock-of location -mmd 1 --mmd-threads 0.3 threads -o wide && $look threads 300 wide/traces.otf2'
out '14 barriers, 0 violated; 5 forks, 0 violated; 5 joins, 0 violated; 9 locks, 0 violated; 2 threads, 0 violated'
for off in off 0; do
  run 0 "clc-filter --clock-of location -mmd 1 --mmd-threads $off threads -o off --overwrite && \$look threads 10 off/traces.otf2"
  out '14 barriers, 7 violated; 5 forks, 5 violated; 5 joins, 0 violated; 9 locks, 6 violated; 2 threads, 1 violated'
  run 0 'clc-check --clock-of location -mmd 1 --mmd-threads off off'
  out_has 'Clock condition: holds (1 edges)'
done
# By default threads move together, and nothing else orders them.
run 0 'clc-filter -mmd 1 threads -o shared && $look order threads/traces.otf2 shared/traces.otf2'
out '0 within a location, 0 within a group'
run 0 'clc-check -mmd 1 shared'
out_has 'Clock condition: holds (1 edges)'
run 0 'clc-filter -q -mmd 1 --regulators-as thesis threads -o shared --overwrite --report report; grep -e "^  [0-9].* events moved" -e "error = 0" report'
out '            54 intervals with error = 0 %
  73 of 74 events moved (98.6 %)'
run 0 'clc-check -mmd 1 threads shared | grep -oE "[0-9]+ events moved|^  0 % +[0-9]+"'
out '73 events moved
  0 %             54'
run 2 'clc-filter --mmd-threads 0.3 threads -o x'
err '*--mmd-threads: threads of a process share a clock, which orders them; add --clock-of location or leave it out*'
run 2 'clc-filter --mmd-threads -1 threads -o x'
err '*--mmd-threads: expected 0 microseconds or more, or off, found *'
run 2 'clc-filter --mmd-threads none threads -o x'
err '*--mmd-threads: expected a number of microseconds, found *'

# In text the edges are records beside the events, and mean the same.
run 0 'clc-filter --clock-of location --no-correction --no-provenance -F text threads >text.clct && clc-filter --clock-of location -mmd 1 --no-provenance text.clct | sort >a'
run 0 'clc-filter --clock-of location -mmd 1 --no-provenance -F text threads | sort | cmp - a'
run 0 'clc-filter --clock-of location --no-correction --no-provenance -F text corrected | sort | cmp - a'

# More locations than are open at a time.
run 0 'clc-test-otf2-archive threads many 80'
run 0 'clc-filter --clock-of location -mmd 1 many -o many.out && $look threads 10 many.out/traces.otf2'
out '14 barriers, 0 violated; 5 forks, 0 violated; 5 joins, 0 violated; 9 locks, 0 violated; 2 threads, 0 violated'
run 0 '$look compare many/traces.otf2 many.out/traces.otf2'
out_has '154 events of 85 locations; times differ in 4 locations'
run 0 'clc-filter --clock-of location -mmd 1 --no-provenance -F text many | grep -v "^%" | awk "\$2 < 5" | sort | cmp - <(grep -v "^%" a)'

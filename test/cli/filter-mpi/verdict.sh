# The verdict is that of clc-filter, but for the number of round trips, of which it takes a sample.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
run 0 'clc-tracegen halo -n 6 --events 5000 --seed 7 --offset 200 -F otf2 -o in'
run 0 'mpi 3 in --dry-run'
out ''
verdicts() { sed -n '/verdict /{s/^[^:]*: warning: //; s/: [0-9.]* % of [0-9]* round trips/: trips/; s/takes [0-9.]* us/takes/; s/round trip, [0-9.]* us/round trip/; p;}'; }
for options in '-mmd 8' '-mmd 1000' '-mmd 0.001 -cldiff 1' '-maxerr 20'; do
  run 0 "serial in --dry-run $options 2>&1 | verdicts >expected; test -s expected"
  run 0 "mpi 2 in --dry-run $options 2>&1 | verdicts | diff expected -"
done
run 3 'mpi 2 -q in --dry-run --strict -mmd 1000 --report found --report-format json'
err 'clc-filter-mpi: --strict: the verdict is bad; see --report'
run 0 'grep -o -m 1 "^ *\"verdict\": \"[a-z]*\"" found | tr -d " "'
out '"verdict":"bad"'
run 0 'sed -n "2,4s/:.*//p" found | tr -d " \n"'
out '"report_version""program""program_version"'
# Offsets with the wrong sign.
run 0 "clc-sync -q in -o offsets; sed -E '/^#/d; s/^(([^ ]+ ){3})/&-/; s/--//' offsets >wrong"
run 0 "serial in --dry-run --offsets wrong 2>&1 | grep -o 'verdict doubtful: the offsets by which [^:]*' >expected; test -s expected"
run 0 "mpi 2 in --dry-run --offsets wrong 2>&1 | grep -o 'verdict doubtful: the offsets by which [^:]*' | diff expected -"
run 0 'mpi 2 in --dry-run --offsets offsets'
out ''
rm -r in found expected offsets wrong
# Groups of processes that run ahead of their recorded clocks; channels that lack records.
run 0 'clc-tracegen random -n 8 --events 20000 --seed 2 --steps 4:5000 -F otf2 -o in 2>/dev/null'
run 0 'serial in --dry-run 2>&1 | verdicts >expected; grep -c "run ahead of all recorded" expected || true'
out 1
run 0 'mpi 3 in --dry-run 2>&1 | verdicts | diff expected -'
rm -r in
run 0 'clc-tracegen halo -n 6 --events 20000 --seed 2 --lose-receives 0.1 -F otf2 -o in'
run 0 'clc-filter in --order epochs --match fifo --dry-run 2>&1 | grep -o "records of [0-9]* channel.*--match whole" >expected; test -s expected'
run 0 'mpi 3 in --dry-run --match fifo 2>&1 | grep -o "records of [0-9]* channel.*--match whole" | diff expected -'
rm -r in expected
# Collective operations show how far clocks differ, whatever the minimum delays are.
run 0 'clc-tracegen collectives --seed 7 -n 4 --events 3000 --offset 0 --drift 0 -F otf2 -o in'
difference='grep -o "largest clock difference that delays show [^;]*"'
run 0 "serial in --dry-run -mmd 5 -mmd 0:3=300 2>&1 | $difference >expected; test -s expected"
run 0 "mpi 2 in --dry-run -mmd 5 -mmd 0:3=300 2>&1 | $difference | diff expected -"
rm -r in expected
# Jumps do, even if nothing depends on epochs.
run 0 'clc-tracegen pairs --seed 233 -n 16 --events 300 -F otf2 -o in'
jumps='in --dry-run -cldiff 1 --no-amortization --regulators A'
run 0 "serial $jumps 2>&1 | verdicts >expected; grep -c 'clocks are .* apart' expected"
out 1
run 0 "mpi 2 $jumps 2>&1 | verdicts | diff expected -"
rm -r in expected
# A complete search that finds nothing out is that of --match whole, too.
run 0 'clc-tracegen random --seed 124 -n 16 --events 300 --lose-sends 5 --nodes 2 --node-delay 1 -F otf2 -o in 2>/dev/null'
run 0 'serial in --dry-run 2>&1 | verdicts >expected'
run 0 'mpi 2 in --dry-run --match whole --report found 2>&1 | verdicts | diff expected - && grep -c "receives were released\| --match whole " found'
out 2
rm -r in expected found
# Without a message no receive is released.
run 0 'clc-tracegen collectives --seed 3 -n 8 --events 4000 --nodes 4 --node-delay 1 -F otf2 -o in'
run 0 'mpi 2 -q --clock-of node in --dry-run --report found --report-format json; grep -c receives_given_up found || true'
out 0
rm -r in found
# Where clocks were set back it is not held against intervals that the difference of clocks has changed.
run 0 'clc-test-otf2-archive ring in 2 200 1000 400000; serial in --dry-run -mmd 6'
run 0 'mpi 2 in --dry-run -mmd 6'
out ''
rm -r in

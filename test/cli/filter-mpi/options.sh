# Options, refusals, the report; a process that is killed.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
clc-test-otf2-archive ring in 8 200 || fail 'cannot make an archive'

# ---- one message, not one of each process
run 2 'mpi 3 in'
err 'clc-filter-mpi: -o: expected a folder for the archive, or --dry-run (see clc-filter-mpi --help)'
run 2 'mpi 3 -o out'
err 'clc-filter-mpi: INPUT: expected an OTF2 archive, found none (see clc-filter-mpi --help)'
run 2 'mpi 3 in -o out -v --report-format json'
err 'clc-filter-mpi: --report-format json: expected --report FILE with it; -v prints text (see clc-filter-mpi --help)'
for option in --online --backwards --regulators=AX --wait-limit=1; do
  run 2 "mpi 2 in -o out $option"
  err "clc-filter-mpi: *${option%%=*}*"
done
run 2 'mpi 3 in -o in --overwrite'
err 'clc-filter-mpi: in holds the input; write to another folder and rename it (see clc-filter-mpi --help)'
run 2 'mpi 3 in -o out --report ./out'
err 'clc-filter-mpi: --report: ./out is the output (see clc-filter-mpi --help)'
[ ! -e out ] || fail 'there is an output'
small_trace >text.clct
run 1 'mpi 3 text.clct -o out'
err 'clc-filter-mpi: text.clct: is not an OTF2 archive, expected an anchor file (NAME.otf2) or its folder; check the name'
clc-test-otf2-archive threads threads || fail 'cannot make an archive'
run 1 'mpi 2 --clock-of location threads -o out'
err 'clc-filter-mpi: threads/traces.otf2: location *: found a lock, or a thread that creates or awaits another one; only clc-filter orders threads by these: use it, or ignore them with --mmd-threads off'
run 0 'mpi 2 -q --clock-of location --mmd-threads off threads -o threads.out; rm -r threads threads.out'
run 1 'mpi 3 missing -o out'
err 'clc-filter-mpi: missing: cannot be opened: No such file or directory; check the name'
run 1 'mpi 3 in -o missing/out'
err 'clc-filter-mpi: missing/out: cannot be created: No such file or directory; create the folder above it first'
run 0 'mpi 3 in -q -o out'
run 1 'mpi 3 in -o out'
err 'clc-filter-mpi: out: already exists; *'
run 0 'mpi 3 in -q -o out --overwrite'
run 0 'mpi 3 --version | head -n 1 | grep -c "^clc-filter-mpi "'
out 1
run 0 'mpi 3 --help | grep -c "^  -mmd US"'
out 1

# ---- what is written can be read, and says how it was made
run 0 'clc-check -q in out | grep -c "law 1 clock condition: ok"'
out 1
run 0 'clc-filter --no-correction -F text out | grep "^%provenance clc-filter-mpi"'
out_has ' --match fifo --regulators-as evidence --order epochs'
run 0 'mpi 3 in -q -o out --overwrite --regulators AD; clc-view -q out -o page.html; grep -c "<th scope=\"row\">Regulators</th><td>--regulators</td><td>AD</td>" page.html; rm page.html'
out 1
no_more_files text.clct $(find in out -type f)

# ---- the report
run 0 'mpi 3 in -q --dry-run --report - --report-format json | python3 -c "import json, sys; r = json.load(sys.stdin); print(r[\"program\"], r[\"processes\"], r[\"locations\"], r[\"events_moved\"] > 0, r[\"unresolved\"])"'
out 'clc-filter-mpi 3 8 True 0'
run 0 'mpi 3 in -q --dry-run --report report && grep -cE "^(clock difference .* us at most, -cldiff was 1000 us|regulators|  B: .*)$" report'
out 3
run 0 'mpi 3 in -q --dry-run --report - --report-format json | python3 -c "import json, sys; r = json.load(sys.stdin); print(r[\"regulators\"][\"together\"][\"lowest_gamma\"] <= r[\"regulators\"][\"mean_gamma\"] < 1, r[\"regulators\"][\"quartz\"], r[\"clock_difference\"][\"used_us\"])"'
out 'True True 1000'
run 0 'clc-filter -q --regulators AD --match fifo in --dry-run --report - --report-format json | grep -m 1 "\"events\"" | tr -d " ,"'
events=$(cat "$logs/out")
run 0 'mpi 3 in -q --dry-run --report - --report-format json | grep "\"events\"" | tr -d " ,"'
out "$events"
rm report
# Processes exchange something, a single one has nobody to.
run 0 'for n in 1 3; do mpi $n in -q --dry-run --report - --report-format json | grep -q "\"items_exchanged\": 0"; echo $?; done'
out '0
1'

# ---- a process is killed: the run ends, and no archive appears under the name
clc-tracegen halo -n 8 --events 3000000 --seed 1 -F otf2 -o large
env -u OMPI_MCA_odls_base_sigkill_timeout $mpirun -n 4 clc-filter-mpi large -o killed >log 2>&1 &
launcher=$!
until victim=$(pgrep -P "$(pgrep -P $launcher mpirun)" clc-filter-mpi 2>/dev/null | tail -n 1) && [ -n "$victim" ]; do
  kill -0 $launcher 2>/dev/null || break
  sleep 0.05
done
sleep 0.3
kill -STOP "$victim" || fail 'no process to kill'  # the others cannot be done before it
sleep 0.5
kill -KILL "$victim"
wait $launcher && fail 'the run went on without a process'
[ ! -e killed ] || fail 'half an archive'
rm -rf large log .killed.*

# Clocks that are mapped ahead of the correction: as clc-filter does it, with any number of processes.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
needs_estimates
in_depth || numbers="1 3"
make() { clc-tracegen "$@" --seed 3 -F otf2 -o in; }

# ---- estimated
run 0 'make halo -n 9 --events 30000 --allreduce 3 --offset 5000 --drift 20 --wander 0.1'
same in --estimate
in_depth && same in --estimate=line --keep-original
in_depth && same in --estimate --bandwidth 100
same in --auto
# Something was mapped: offsets of milliseconds are gone.
run 0 'serial -q in --auto -o out && clc-check -q in out | grep -c "law 1 clock condition: ok"'
out 1
run 0 'mpi 3 -q in --auto -o found && clc-check -q in found | grep "law 1\|map"'
out_has 'law 1 clock condition: ok'
run 0 'clc-filter -q --no-correction out -F text | grep -v "^%provenance clc-" >expected; clc-filter -q --no-correction found -F text | grep -v "^%provenance clc-" | cmp expected -'
run 0 'grep -c "^%provenance offset " expected | grep -qvx 0'
rm -r out found expected

# ---- what is chosen, and said of it
run 0 'clc-filter --regulators AD --match fifo in --auto --dry-run'
chosen=$(sed -n 's/^clc-filter: chosen: //p' "$logs/err")
err '*'
run 0 'mpi 3 in --auto --dry-run --report report --report-format json'
err "clc-filter-mpi: chosen: $chosen"
run 0 'python3 -c "import json; r = json.load(open(\"report\")); print(r[\"alignment\"]); print(r[\"options\"])"'
out_has 'binding edges below the minimum delay: recorded '
out_has "${chosen% -cldiff*} -maxerr 0.5 -cldiff${chosen#* -cldiff}"
run 0 'mpi 3 -q in --auto --dry-run --report report && grep -c "^clocks  *binding edges" report'
out 1
rm report

# ---- from a file
run 0 'clc-sync -q in -o offsets'
same in --offsets offsets
# As measured offsets, with their errors.
same in --offsets offsets --estimate
# Some locations only, of which one does not exist, and maps that cross.
printf '%%offset 1 0 3000000\n%%offset 4 0 -2000000\n%%offset 4 100000000 2000000.5\n%%offset 77 0 5\n' >some
same in --offsets some --delta 0.05
run 0 'mpi 3 in --offsets some --dry-run -cldiff 20000'
err_has 'clc-filter-mpi: warning: some: 1 process is not in the trace; check whether the file belongs to this trace'
run 0 ': >none; mpi 3 in --offsets none --dry-run -cldiff 20000 && rm none'
err 'clc-filter-mpi: warning: none: has no %offset line; no clock is mapped'
# Some that messages contradict.
awk -v OFMT=%.13g -v CONVFMT=%.13g '/^%offset 3/ { $4 += 100000000 } { print }' offsets >wrong
run 0 'mpi 3 in --estimate --offsets wrong --dry-run --report report --report-format json'
err_has ' measured offsets are not used, because the messages contradict them (process 3); '
run 0 'python3 -c "import json; r = json.load(open(\"report\"))[\"measured\"]; print(r[\"offsets\"] > 0, r[\"offsets_contradicting\"] > 1)"'
out 'True True'
rm -r in report

# ---- a clock of several locations
run 0 'make halo -n 9 --nodes 3 --events 3000'
printf '%%offset 1 0 3000000\n%%offset 8 0 -2000000\n%%offset 8 100000000 2000000.5\n' >some
same in --offsets some --clock-of node
run 0 'mpi 3 -q in --offsets some --clock-of node -o out; clc-filter -q --no-correction -F text out | grep -c "^%provenance offset [0-2] "'
out 3
run 1 'printf "%%offset 0 0 1\n%%offset 1 0 2\n" >two; mpi 3 in --offsets two --clock-of node -o none'
err_has 'two: found another offset of process 1 at time 0 than of process 0, which has the same clock'
rm -r in out

# ---- offsets that were measured before the program and after it, and are in the archive
run 0 'clc-tracegen halo -n 9 --events 3000 --offset 500 --bursts 5 --seed 3 | grep -v "^%provenance" >in.clct; clc-filter -q --no-correction in.clct -F otf2 -o in'
run 0 'mpi 3 in --estimate --dry-run --report - | grep -c "; 80 measured round trips"'
out 1
same in --estimate
same in --estimate=measured
rm -r in in.clct

in_depth || numbers=3
# ---- all methods; clocks that drift evenly, so that each has a solution
run 0 'make halo -n 9 --events 30000 --allreduce 3 --offset 500 --drift 20'
for method in line duda jezequel hofmann hofmann-hilgers variable; do
  in_depth || [ $method = duda ] || continue
  same in --estimate=$method
done
same in -mmd auto
rm -r in
# ---- all operations, more locations than are read side by side, communicators that the archive only implies
run 0 'make collectives -n 7 --events 20000 --offset 500 --nonblocking 50'
same in --auto
rm -r in
if in_depth; then
  run 0 'make halo -n 70 --events 60000 --allreduce 2 --offset 2000 --drift 50'
  same in --auto
  rm -r in
fi
for what in windows synchronize teams; do
  run 0 "clc-test-otf2-archive $what in $([ $what = synchronize ] && echo 6 3 20)"
  same in -mmd 0.5 --estimate --clock-of location
  rm -r in
done

# ---- locations that share a clock, clocks that are set back, clock offsets in the archive
for what in 'ring 12 50 5' 'threads 2' offset 'set-back bytes' mapped; do
  set -- $what
  run 0 "clc-test-otf2-archive $1 in ${*:2}"
  printf '%%offset 0 0 500\n%%offset 1 0 -300\n%%offset 1 100000 400.25\n%%offset 2 0 7\n' >some
  [ "$1" != threads ] || sed -i 's/ 0 -300$/ 100 510/; s/ 0 7$/ 50 505/' some  # of one clock
  same in -mmd 1 --offsets some
  same in -mmd 1 --estimate
  rm -r in
done

# ---- errors, once
run 0 'clc-test-otf2-archive ring in 8 200'
run 2 'mpi 3 in -o out --offsets some --estimate'
err 'clc-filter-mpi: --offsets some: no line has an error, by which --estimate=smooth weighs it; expected %offset PROCESS TIME OFFSET ERROR (see clc-filter-mpi --help)'
run 1 'mpi 3 in -o out --offsets missing'
err 'clc-filter-mpi: missing: cannot be opened: No such file or directory; check the name'
like_serial() {
  told "serial in -o out $*"
  run 1 "mpi 3 in -o out $*"
  err "$text"
}
like_serial --estimate=duda
rm in/traces/3.evt
like_serial --auto
[ ! -e out ] || fail 'left: out'
rm -r in

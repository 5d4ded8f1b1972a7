# Damaged archives: the message of clc-filter, once, and nothing half written.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
clc-test-otf2-archive ring whole 8 200 || fail 'cannot make an archive'
fresh() { rm -rf a && cp -r whole a; }
refused() {
  told 'clc-filter a -o out'
  for processes in $numbers; do
    run 1 "mpi $processes a -o out"
    err "$text"
    [ -z "$(find . -maxdepth 1 -name '*out*')" ] || fail "left: $(find . -maxdepth 1 -name '*out*')"
  done
}
numbers="1 3 8"
fresh && rm a/traces/2.evt
refused
in_depth || numbers=3
fresh && rm a/traces/7.def
refused
fresh && truncate -s 2000 a/traces/5.evt
refused
fresh && truncate -s 0 a/traces/0.evt
refused
fresh && head -c 300 /dev/zero | tr '\0' '\377' | dd of=a/traces/3.evt bs=1 seek=300 conv=notrunc status=none
refused
fresh && rm a/traces.def
refused
fresh && rm a/traces.otf2
run 1 'mpi 3 a -o out'
err 'clc-filter-mpi: a: holds files of an OTF2 archive but no anchor file (NAME.otf2); copy the whole archive'

# Several defects: that of the first location.
fresh && rm a/traces/[26].evt
run 1 'mpi 4 a -o out'
err 'clc-filter-mpi: a/traces.otf2: location 2: its event file a/traces/2.evt is missing, *'

# With --keep-going what is readable is corrected as clc-filter does it, and the damage told all the same.
numbers="1 3 8"
kept() {
  told 'serial -q --no-provenance --keep-going a -o expected'
  for processes in $numbers; do
    run 1 "mpi $processes -q --no-provenance --keep-going a -o found"
    err "$text"
    run 0 "diff -r -x '*.otf2' expected found && rm -r found"
  done
  rm -rf expected
}
fresh && rm a/traces/2.evt
kept
in_depth || numbers=3
fresh && rm a/traces/7.def
kept
fresh && truncate -s 0 a/traces/7.def
kept
fresh && truncate -s 2000 a/traces/5.evt
kept
fresh && rm a/traces/*.def && truncate -s 2000 a/traces/5.evt
kept
fresh && truncate -s 0 a/traces/0.evt
kept
fresh && head -c 300 /dev/zero | tr '\0' '\377' | dd of=a/traces/3.evt bs=1 seek=300 conv=notrunc status=none
kept
# Two of them: the other one is a warning.
fresh && rm a/traces/2.evt && truncate -s 2000 a/traces/5.evt
run 1 'mpi 3 --keep-going a -o out --report report'
err_has 'clc-filter-mpi: a/traces.otf2: location 2: its event file a/traces/2.evt is missing'
err_has 'clc-filter-mpi: warning: a/traces.otf2: location 5: cannot read its event '
run 0 'clc-check -mmd 1 out && grep "^ENDED EARLY: .*location 2" report'
out_has 'Clock condition: holds'
run 1 'mpi 3 -q --keep-going $auto a --dry-run --report - --report-format json'
err 'clc-filter-mpi: a/traces.otf2: location 2: its event file a/traces/2.evt is missing, *'
out_has '"ended_early": "a/traces.otf2: location 2'
rm -r out report
# Snapshots and markers.
clc-test-otf2-archive kinds whole.parts 3000 || fail 'cannot make an archive'
for cut in 0.snap:100 1.snap:100 0.def:100 ../traces.marker:100; do
  rm -rf a && cp -r whole.parts a && truncate -s "${cut#*:}" "a/traces/${cut%:*}"
  kept
done
rm -r whole.parts
# Without definitions nothing can be read.
fresh && rm a/traces.def
run 1 'mpi 3 -q --keep-going a -o out'
err 'clc-filter-mpi: a/traces.otf2: cannot open the global definitions *'
[ ! -e out ] || fail 'left: out'

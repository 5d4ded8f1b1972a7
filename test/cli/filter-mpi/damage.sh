# Damaged archives: the message of clc-filter, once, and nothing half written.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
clc-test-otf2-archive ring whole 8 200 || fail 'cannot make an archive'
fresh() { rm -rf a && cp -r whole a; }
refused() {
  run 1 'clc-filter a -o out'
  local text
  text=$(sed 's/^clc-filter:/clc-filter-mpi:/' "$logs/err")
  err '*'
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

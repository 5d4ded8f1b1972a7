# Damaged archives: one clear line, status 1, and nothing half written.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
clc-test-otf2-archive ring whole 4 2000 || fail 'cannot make an archive'
fresh() { rm -rf a && cp -r whole a; }
refused() { # MESSAGE
  run 1 'clc-filter a -o out'
  err "$1"
  [ ! -e out ] || fail 'there is an output'
}

fresh && rm a/traces/2.evt
refused 'clc-filter: a/traces.otf2: location 2: its event file a/traces/2.evt is missing, *'
fresh && rm a/traces/2.def
refused 'clc-filter: a/traces.otf2: location 2: its definition file a/traces/2.def is missing, *'
fresh && truncate -s 20000 a/traces/2.evt
refused 'clc-filter: a/traces.otf2: location 2: cannot read its event *'
fresh && truncate -s 0 a/traces/2.evt
refused 'clc-filter: a/traces.otf2: location 2: cannot *'
fresh && rm a/traces.otf2
refused 'clc-filter: a: holds files of an OTF2 archive but no anchor file (NAME.otf2); copy the whole archive'
fresh && cp a/traces.otf2 a/other.otf2
refused 'clc-filter: a: holds 2 OTF2 archives; name one of them, such as a/other.otf2'
fresh && truncate -s 40 a/traces.otf2
refused 'clc-filter: a/traces.otf2: cannot open the archive *'
fresh && rm a/traces.def
refused 'clc-filter: a/traces.otf2: cannot open the global definitions *'
fresh && truncate -s 100 a/traces.def
refused 'clc-filter: a/traces.otf2: cannot read the global definitions *'
fresh && printf 'GARBAGE GARBAGE GARBAGE' | dd of=a/traces/1.evt bs=1 seek=30000 conv=notrunc status=none
run 1 'clc-filter a -o out'
err_has 'location 1: cannot read its event'

# What is readable is still judged.
fresh && truncate -s 20000 a/traces/2.evt
run 1 'clc-check a'
out_has 'events of 4 processes'
err_has 'location 2: cannot read its event'

run 1 'clc-filter whole -o no/such/folder'
err '*no/such/folder: cannot be created: *'
run 0 'ls -A'
out 'a
whole'

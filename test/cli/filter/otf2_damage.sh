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
refused 'clc-filter: a/traces.otf2: location 2: its event file a/traces/2.evt is missing, *; copy the whole archive; --keep-going reads all that is intact'
fresh && rm a/traces/2.def
refused 'clc-filter: a/traces.otf2: location 2: its definition file a/traces/2.def is missing, *'
fresh && truncate -s 20000 a/traces/2.evt
refused 'clc-filter: a/traces.otf2: location 2: cannot read its event *; --keep-going reads all that is intact'
fresh && truncate -s 0 a/traces/2.evt
refused 'clc-filter: a/traces.otf2: location 2: cannot *'
# The remedy is named unless it is in use, or the program has none.
run 1 'clc-filter -q --keep-going a -o out'
err 'clc-filter: a/traces.otf2: location 2: cannot *, copy or record it again'
rm -r out
run 1 'clc-check a'
err 'clc-check: a/traces.otf2: location 2: cannot *, copy or record it again'
run 1 'clc-sync a'
err 'clc-sync: *, copy or record it again; clc-filter --keep-going reads all that is intact'
hint() { # PROGRAM FILE
  case "$1 $2" in
    *traces.def | clc-check*) ;;
    clc-filter*) echo '; --keep-going reads all that is intact' ;;
    *) echo '; clc-filter --keep-going reads all that is intact' ;;
  esac
}
# Only regular files are opened: nobody writes into a FIFO, and a device may never end.
for name in traces.def traces/2.def traces/2.evt traces.marker; do
  fresh && rm -f a/$name && mkfifo a/$name
  for program in 'clc-filter -o out' 'clc-filter --dry-run' 'clc-filter -F text' 'clc-check -mmd 1' 'clc-view -o page'; do
    run 1 "timeout 600 $program a"
    err "${program%% *}: a/$name: is a named pipe, expected a regular file; copy the whole archive$(hint "$program" $name)"
  done
  no_more_files $(find whole a -type f)
done
fresh && rm a/traces/2.evt && mkdir a/traces/2.evt
refused 'clc-filter: a/traces/2.evt: is a folder, expected a regular file; copy the whole archive; --keep-going reads all that is intact'
fresh && rm a/traces/2.evt && ln -s /dev/zero a/traces/2.evt
refused 'clc-filter: a/traces/2.evt: is a device, expected a regular file; copy the whole archive; --keep-going reads all that is intact'
fresh && rm a/traces/2.evt && mkfifo a/traces/2.evt
run 1 'timeout 600 clc-filter -q --keep-going a -o out'
err 'clc-filter: a/traces/2.evt: is a named pipe, *'
run 0 'clc-check -q out'
out_has '24,000 events of 4 processes'
rm -r out
fresh && rm a/traces.otf2 && mkfifo a/traces.otf2
refused 'clc-filter: a: holds files of an OTF2 archive but no anchor file (NAME.otf2); copy the whole archive'
# A time beyond 2^63 ticks ends its location in the archive and in other formats alike.
clc-tracegen halo -n 9 --events 20000 --seed 1 -F otf2 -o far
printf '\377\377\377\377\377\377' | dd of=far/traces/2.evt bs=1 seek=2500 conv=notrunc status=none
run 1 'clc-filter -q far -o out'
err 'clc-filter: far/traces.otf2: location 2: found a time beyond 2^63 ticks, expected times below it; the archive is damaged; --keep-going reads all that is intact'
run 1 'clc-filter -q --no-provenance --keep-going far -o out'
err 'clc-filter: far/traces.otf2: location 2: found a time beyond 2^63 ticks, expected times below it; the archive is damaged'
run 1 'clc-filter -q --no-provenance --keep-going far -F text -o far.clct'
err 'clc-filter: far/traces.otf2: location 2: found a time beyond 2^63 ticks, expected times below it; the archive is damaged'
run 0 'clc-filter -q --no-correction --no-provenance out -F text -o out.clct; grep -v ^% out.clct >out.txt; grep -v ^% far.clct | cmp - out.txt; grep -c " 2 " out.txt'
[ "$(wc -l <out.txt)" -gt 17000 ] || fail "only $(wc -l <out.txt) records are left"
rm -r out far far.clct out.clct out.txt

# Where files have several chunks, libotf2 does not notice, and reads the last whole one again and again.
clc-tracegen halo -n 9 --events 200000 --seed 1 -F otf2 -o chunks
for size in 396758 262154 262144; do
  cp -r chunks cut && truncate -s $size cut/traces/4.evt
  run 1 'timeout 600 clc-filter cut -o out'
  err 'clc-filter: cut/traces.otf2: location 4: cannot read its event * (its file was cut off there, or is damaged); *'
  [ ! -e out ] || fail 'an output of a damaged archive'
  run 1 'timeout 600 clc-filter -q --keep-going -mmd 1 cut -o out'
  err 'clc-filter: cut/traces.otf2: location 4: cannot read its event *'
  run 0 'clc-check -mmd 1 out'
  out_has 'Clock condition: holds'
  rm -r cut out
done
# The same behind a record of a kind that does not exist.
cp -r chunks cut && truncate -s 396758 cut/traces/4.evt
[ "$(od -An -tu1 -j 262162 -N 1 cut/traces/4.evt | tr -d ' ')" = 5 ] || fail 'the second chunk begins with no time'
printf '\3' | dd of=cut/traces/4.evt bs=1 seek=262171 conv=notrunc status=none
run 1 'timeout 600 clc-filter cut -o out'
err 'clc-filter: cut/traces.otf2: location 4: cannot read its event * (its file was cut off there, or is damaged); *'
rm -r chunks cut
if ! sanitized; then  # the trace takes minutes then
  clc-tracegen halo --grid 96x96 --events 20000 --seed 1 -F otf2 -o many
  run 0 'clc-filter -q --dry-run -mmd 1 many'
  for size in 438147 262154 262144; do
    truncate -s $size many/traces.def
    run 1 'timeout 600 clc-filter many -o out'
    err 'clc-filter: many/traces.otf2: cannot read the global definitions (its file was cut off there, or is damaged); *'
  done
  rm -r many
fi
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

fresh && printf '\t' | dd of=a/traces.otf2 bs=1 seek=9 conv=notrunc status=none
refused 'clc-filter: a/traces.otf2: was written by libotf2 9.*, expected at most *; build this program with a newer libotf2'
fresh && printf '\t' | dd of=a/traces.otf2 bs=1 seek=8 conv=notrunc status=none
refused 'clc-filter: a/traces.otf2: cannot open the archive (*version*); build this program with a newer libotf2'

# With --keep-going what is readable is corrected, and the damage told all the same.
going() { # MESSAGE; the output is whole, and without violation
  run 1 'clc-filter -q --keep-going -mmd 1 a -o out'
  err "$1"
  run 0 'clc-check -mmd 1 out'
  out_has "Clock condition: holds ($2 edges)"
  run 0 'rm -r out'
}
fresh && rm a/traces/2.evt
going 'clc-filter: a/traces.otf2: location 2: its event file a/traces/2.evt is missing, *' 4,000
fresh && truncate -s 20000 a/traces/2.evt
going 'clc-filter: a/traces.otf2: location 2: cannot read its event 1378 *' 4,689
fresh && truncate -s 0 a/traces/2.evt
going 'clc-filter: a/traces.otf2: location 2: cannot *' 4,000
fresh && printf 'GARBAGE GARBAGE GARBAGE' | dd of=a/traces/1.evt bs=1 seek=30000 conv=notrunc status=none
run 1 'clc-filter -q --keep-going -mmd 1 a -o out --report report'
err 'clc-filter: a/traces.otf2: location 1: cannot read its event *'
run 0 'clc-check -mmd 1 out && grep "ENDED EARLY" report'
out_has 'location 1: cannot read its event'
run 0 'rm -r out report'
fresh && rm a/traces/2.def
going 'clc-filter: a/traces.otf2: location 2: its definition file a/traces/2.def is missing, *' 8,000
fresh && truncate -s 3 a/traces/2.def
going 'clc-filter: a/traces.otf2: location 2: cannot read its definitions *' 8,000
fresh && truncate -s 0 a/traces/2.def
going 'clc-filter: a/traces.otf2: location 2: cannot open its definitions *' 8,000
# Where no location has definitions of its own, none gets any.
fresh && rm a/traces/*.def && truncate -s 20000 a/traces/2.evt
going 'clc-filter: a/traces.otf2: location 2: cannot read its event 1378 *' 4,689
# What stands ahead of a cut is kept, wherever that is.
clc-test-otf2-archive kinds parts 20000 || fail 'cannot make an archive'
for cut in 0.snap:4500000 0.snap:262154 0.snap:262144 1.snap:100 0.def:267853 0.def:262144 ../traces.marker:262150; do
  file=traces/${cut%:*} size=${cut#*:}
  rm -rf a && cp -r parts a && truncate -s $size a/$file
  run 1 'timeout 600 clc-filter a -o out'
  err 'clc-filter: a/traces.otf2: * (its file was cut off there, or is damaged); *'
  [ ! -e out ] || fail 'an output of a damaged archive'
  run 1 'timeout 600 clc-filter -q --keep-going a -o out'
  err 'clc-filter: a/traces.otf2: * (its file was cut off there, or is damaged); *'
  kept=$(stat -c %s out/$file)
  [ $kept -le $((size + 4)) ] && [ $kept -ge $((size - 60)) ] || fail "of $size bytes ahead of the cut $kept are kept"
  run 0 'otf2-print out/traces.otf2 2>&1 | grep error; true'
  out ''
  rm -r out
done
rm -rf a parts
in_depth && steps=8 || steps=2
clc-test-otf2-archive kinds kinds || fail 'cannot make an archive'
for file in traces.def traces.marker traces/0.def traces/0.snap traces/0.evt; do
  whole=$(stat -c %s kinds/$file)
  for ((size = whole - 2; size >= 0; size -= 1 + size / steps)); do
    rm -rf a out && cp -r kinds a && truncate -s $size a/$file
    timeout 600 clc-filter -q --keep-going a -o out 2>err
    status=$?
    [ $status = 1 ] || fail "status $status when $file has $size bytes of $whole"
  done
done
rm -rf a out err
# Snapshots, markers, thumbnails.
parts() { # MESSAGE, the damaged part: nothing without --keep-going; with it all the rest is there
  run 1 'clc-filter a -o out'
  err "$1"
  [ ! -e out ] || fail 'there is an output'
  run 1 'clc-filter --keep-going -mmd 1 --no-provenance a -o out'
  err "$1"
  run 0 "diff -rq -x traces.otf2 expected out | grep -v '$2'; true"
  out ''
  run 0 'otf2-print out/traces.otf2 2>&1 | grep error; true'
  out ''
  run 0 'rm -r a out && cp -r kinds a'
}
run 0 'cp -r kinds a && clc-filter -mmd 1 --no-provenance kinds -o expected'
truncate -s 0 a/traces/1.snap
parts 'clc-filter: a/traces.otf2: location 1: cannot open its snapshots *' '^Only in .*1.snap\|1.snap differ'
# What stands behind the end of a file is up to libotf2.
truncate -s 100 a/traces/1.snap
parts 'clc-filter: a/traces.otf2: location 1: *snapshot*' '1.snap differ'
rm a/traces/1.snap
run 0 'clc-filter -mmd 1 --no-provenance a -o out'
err 'clc-filter: warning: a/traces.otf2: 1 locations have no snapshots although the archive has some, the first of them a/traces/1.snap; check that it was copied whole'
run 0 'diff -rq -x traces.otf2 expected out; true'
out 'Only in expected/traces: 1.snap'
run 0 'rm -r a out && cp -r kinds a'
truncate -s 60 a/traces.marker
parts 'clc-filter: a/traces.otf2: cannot read its markers *' 'traces.marker differ'
truncate -s 0 a/traces.marker
parts 'clc-filter: a/traces.otf2: cannot open its markers *' 'traces.marker differ'
# The number of a marker has 9 bytes. libotf2 complains, and goes on.
printf '\t' | dd of=a/traces.marker bs=1 seek=62 conv=notrunc status=none
parts 'clc-filter: a/traces.otf2: cannot read its markers (libotf2: *); *' 'traces.marker differ'
rm a/traces.0.thumb
parts 'clc-filter: a/traces.otf2: 1 of its 1 thumbnails cannot be read, the first of them a/traces.0.thumb (No such file or directory); *' '^Only in expected: traces.0.thumb'
rm a/traces.0.thumb && mkfifo a/traces.0.thumb
parts 'clc-filter: a/traces.otf2: 1 of its 1 thumbnails cannot be read, the first of them a/traces.0.thumb (no regular file); *' '^Only in expected: traces.0.thumb'
rm a/traces/1.snap && mkfifo a/traces/1.snap
refused 'clc-filter: a/traces/1.snap: is a named pipe, expected a regular file; copy the whole archive; --keep-going reads all that is intact'
run 1 'timeout 600 clc-filter -q --keep-going -mmd 1 --no-provenance a -o out'
err 'clc-filter: a/traces/1.snap: is a named pipe, *'
run 0 'diff -rq -x traces.otf2 expected out | grep -v "^Only in .*1.snap"; rm -r a out && cp -r kinds a'
out ''
# An anchor may tell any number of them.
printf '\xff\xff\xff' | dd of=a/traces.otf2 bs=1 seek=118 conv=notrunc status=none
run 1 'timeout 600 clc-filter -q --keep-going a -o out'
err 'clc-filter: a/traces.otf2: 4294967040 of its 4294967041 thumbnails cannot be read, the first of them a/traces.1.thumb (No such file or directory); *'
run 0 'ls out && rm -r a out && cp -r kinds a'
out_has 'traces.0.thumb'
# Nor of properties, for each of which libotf2 would look.
place=$(LC_ALL=C grep -obUa 'all kinds' a/traces.otf2 | cut -d: -f1)
printf '\x7f\x7f' | dd of=a/traces.otf2 bs=1 seek=$((place + 11)) conv=notrunc status=none
for program in 'clc-filter -o out' clc-check; do
  run 1 "timeout 600 $program a"
  err "${program%% *}: a/traces.otf2: declares 8355585 properties, but only * bytes follow; the archive is damaged or incomplete, copy or record it again*"
done
[ ! -e out ] || fail 'an output of a damaged anchor'
run 0 'rm -r a && cp -r kinds a'
# Definitions of kinds that this libotf2 does not know: global ones, and of a location.
LC_ALL=C sed -i 's/\x0b\x05\x00\x01\x08\x04\x00/\xf0\x05\x00\x01\x08\x04\x00/' a/traces.def
printf '\xf1\2ab\2\1' | dd of=a/traces/1.def bs=1 seek=18 conv=notrunc status=none
run 0 'clc-filter -mmd 1 --no-provenance a -o out'
err 'clc-filter: warning: a/traces.otf2: 2 definitions have kinds that this libotf2 does not know (by number 240, of locations 241); they are left out of the output'
run 0 'otf2-print -G out/traces.otf2 2>&1 | grep -c UNKNOWN; true'
out '0'
run 0 'rm -r a out && cp -r kinds a'
# A time ahead of a time is a record for libotf2, and what follows a mark that the chunk ends, where no other chunk does.
for file in 1.snap 1.evt; do
  (head -c 27 a/traces/$file && printf '\5\0\0\0\0\0\0\0\0' && tail -c +28 kinds/traces/$file) >longer && mv longer a/traces/$file
  run 1 'timeout 600 clc-filter -q -mmd 1 a -o out'
  err 'clc-filter: a/traces.otf2: location 1: cannot read its *'
  run 1 'timeout 600 clc-filter -q --keep-going -mmd 1 a -o out'
  err 'clc-filter: a/traces.otf2: location 1: cannot read its *'
  run 0 'rm -r a out && cp -r kinds a'
done
# A size of chunks that OTF2 does not have.
for size in '\xff\xff\3\0' '\1\0\0\1'; do
  printf "$size" | dd of=a/traces.otf2 bs=1 seek=12 conv=notrunc status=none
  run 1 'clc-filter -F text a'
  err 'clc-filter: a/traces.otf2: location 0: cannot open its events (libotf2: *chunk size*'
done
run 0 'rm -r a && cp -r kinds a'
# After damage in events, others are warnings.
truncate -s 0 a/traces.marker && truncate -s 300 a/traces/1.evt
run 1 'clc-filter --keep-going a -o out'
err_has 'clc-filter: a/traces.otf2: location 1: cannot read its event '
err_has 'clc-filter: warning: a/traces.otf2: cannot open its markers '
rm -r a out kinds expected
# Several: one is the error, the others are warnings.
fresh && rm a/traces/2.evt a/traces/3.evt
run 1 'clc-filter --keep-going a -o out'
err_has 'clc-filter: a/traces.otf2: location 2: its event file'
err_has 'clc-filter: warning: a/traces.otf2: location 3: its event file'
run 0 'clc-check out | head -1 && rm -r out'
out_has '16,000 events of 4 processes'
# Text, too; without definitions nothing goes.
fresh && truncate -s 20000 a/traces/2.evt
run 1 'clc-filter -q --keep-going -F text a | grep -vc ^%; exit ${PIPESTATUS[0]}'
out 25378
err_has 'location 2: cannot read its event'
fresh && truncate -s 100 a/traces.def
run 1 'clc-filter --keep-going a -o out'
err 'clc-filter: a/traces.otf2: cannot read the global definitions *'
fresh && rm a/traces.otf2
run 1 'clc-filter --keep-going a -o out'
err 'clc-filter: a: holds files of an OTF2 archive but no anchor file *'
fresh
run 1 'clc-filter --keep-going a -o /proc/out'
err 'clc-filter: /proc/out: cannot be created: *'

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

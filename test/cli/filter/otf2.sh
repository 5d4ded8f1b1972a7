# OTF2 archives, judged by otf2-print; archives are made by clc-test-otf2-archive.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
command -v otf2-print >/dev/null || skip 'no otf2-print (otf2-tools)'
look=$CLC_SOURCE/test/cli/otf2_text.py

# Without correction a copy is identical, apart from the identifier of the trace in its anchor.
clc-test-otf2-archive kinds kinds || fail 'cannot make an archive'
clc-test-otf2-archive ring ring 8 100 || fail 'cannot make an archive'
clc-test-otf2-archive two-groups two-groups || fail 'cannot make an archive'
for archive in kinds ring two-groups; do
  run 0 "clc-filter -q --no-correction --no-provenance $archive -o copy"
  run 0 "diff -r -x traces.otf2 $archive copy"
  out ''
  run 0 "clc-filter -q --no-correction $archive/traces.otf2 -o copy --overwrite"
  run 0 "$look compare $archive/traces.otf2 copy/traces.otf2"
  out_has ' times differ in 0 locations'
  run 0 'rm -r copy'
done

# Corrected: nothing is left, nothing but times differs.
run 0 'clc-filter -mmd 1 kinds -o kinds.out'
run 0 '$look compare kinds/traces.otf2 kinds.out/traces.otf2'
out_has 'times differ in 1 locations, by 0 to 401000 ticks'
run 0 '$look violations 1000 kinds.out/traces.otf2'
out_has '2 messages, 0 violated'
run 0 'otf2-print kinds.out/traces.otf2 | grep -A1 BUFFER_FLUSH'
# The other carried times go with the events around them: the end of a flush, snapshots, markers.
run 0 'otf2-print kinds.out/traces.otf2 | awk "/^BUFFER_FLUSH +1/ {print (\$6 - \$3 > 49000 && \$6 - \$3 <= 50000)}"'
out 1
run 0 'otf2-print kinds.out/traces.otf2 2>/dev/null | awk "/^SNAPSHOT_START +1/ {s = \$3} /^BUFFER_FLUSH +1/ {f = \$3} END {print s == f}"'
out 1
if command -v otf2-marker >/dev/null; then
  run 0 'clc-test-otf2-archive kinds marked 1 more && clc-filter -q -mmd 1 marked -o marked.out'
  run 0 'otf2-marker marked.out/traces.otf2 | sed -n "s/^MARKER  *Time: //p"'
  out '501000, Duration 999, Scope: LOCATION:1, Text: "early"
491000, Duration 419995, Scope: LOCATION:1, Text: "long"
1, Duration 18446744073709551615, Scope: GLOBAL, Text: "for ever"
501000, Duration 0, Scope: LOCATION_GROUP:1, Text: "group"
501000, Duration 0, Scope: LOCATION_GROUP:5, Text: "kernel"
500000, Duration 0, Scope: LOCATION:9, Text: "unknown"
500000, Duration 0, Scope: GLOBAL, Text: "all"'
fi
run 0 'otf2-print -I kinds.out/traces.otf2 | grep "^Property value"'
out_has 'clc-filter'

# Kinds of events that libotf2 does not know: told by their numbers, left out of an archive, kept in text.
run 0 'cp -r kinds unknown && $look renumber unknown/traces/0.evt 75 207 && $look renumber unknown/traces/0.evt 78 251 && $look renumber unknown/traces/1.evt 75 207'
out '1
1
1'
run 0 'clc-filter -mmd 1 unknown -o unknown.out'
err 'clc-filter: warning: unknown/traces.otf2: 3 events have kinds that this libotf2 does not know (by number 207, 251); they are left out of an output archive'
run 0 'otf2-print unknown.out/traces.otf2 | grep -c "^UNKNOWN"; true'
out 0
run 0 'clc-filter -mmd 1 unknown.out --dry-run'
run 0 'clc-check -mmd 1 unknown.out'
run 0 'clc-filter -q --no-correction -F text unknown | grep -c " I UNKNOWN"'
out 3

run 0 '$look violations 1000 ring/traces.otf2'
out '800 messages, 200 violated; 0 collective operations, 0 pairs, 0 violated'
run 0 'clc-filter -mmd 1 --no-provenance ring -o ring.out'
run 0 '$look violations 1000 ring.out/traces.otf2'
out '800 messages, 0 violated; 0 collective operations, 0 pairs, 0 violated'
run 0 '$look compare ring/traces.otf2 ring.out/traces.otf2'
run 0 'clc-check -mmd 1 ring.out'
out_has 'Clock condition: holds (800 edges)'

# By a link to the anchor file, which may stand elsewhere; by links to all files; by another name.
run 0 'ln -s ring/traces.otf2 link && clc-filter -mmd 1 --no-provenance -F text link | cmp - <(clc-filter -mmd 1 --no-provenance -F text ring)'
run 0 'mkdir links && ln -s ../ring/traces.otf2 links && clc-filter -mmd 1 --no-provenance -F text links | cmp - <(clc-filter -mmd 1 --no-provenance -F text ring)'
run 0 'ln -s ../ring/traces.def ../ring/traces links && rm links/traces.otf2 && ln -s ../ring/traces.otf2 links && clc-filter -mmd 1 --no-provenance -F text links | cmp - <(clc-filter -mmd 1 --no-provenance -F text ring)'
run 1 'cp ring/traces.otf2 anchor && clc-filter -mmd 1 anchor -o anchored'
err 'clc-filter: anchor: is the anchor file of an OTF2 archive, expected a name that ends in .otf2; rename it to NAME.otf2 beside NAME.def and the folder NAME'

# Long records, several chunks, events at one time.
run 0 'clc-test-otf2-archive long long && clc-filter -q -mmd 1 --no-provenance long -o long.out'
run 0 '$look violations 1000 long/traces.otf2'
out '1000 messages, 1000 violated; 0 collective operations, 0 pairs, 0 violated'
run 0 '$look violations 1000 long.out/traces.otf2'
out '1000 messages, 0 violated; 0 collective operations, 0 pairs, 0 violated'
run 0 '$look compare long/traces.otf2 long.out/traces.otf2'
out_has '26000 events of 2 locations; times differ in 1 locations'
run 0 'clc-filter -q --no-correction --no-provenance -F text long | clc-filter -q -mmd 1 --no-provenance | sort | cmp - <(clc-filter -q --no-correction --no-provenance -F text long.out | sort)'

# Without violations the event files are the same, byte by byte.
run 0 'clc-test-otf2-archive ring quiet 3 1000'
run 0 'clc-filter -mmd 1 quiet -o quiet.out'
run 0 'diff -r quiet/traces quiet.out/traces'
out ''

run 0 'clc-filter -mmd 1 two-groups -o two-groups.out'
run 0 '$look violations 1000 two-groups.out/traces.otf2'
out '2 messages, 0 violated; 3 collective operations, 32 pairs, 0 violated'
# What goes from one group to the other: who receives ends after the root begins, who has no part in it does not wait.
run 0 'clc-test-otf2-archive two-groups more-groups more && clc-filter -mmd 1 --strict more-groups -o more-groups.out'
run 0 '$look violations 1000 more-groups/traces.otf2'
out '6 messages, 2 violated; 6 collective operations, 36 pairs, 8 violated'
run 0 '$look violations 1000 more-groups.out/traces.otf2'
out '6 messages, 0 violated; 6 collective operations, 36 pairs, 0 violated'
run 0 'clc-check -mmd 1 more-groups.out'
out_has 'Clock condition: holds (40 edges)'
run 0 'otf2-print more-groups.out/traces.otf2 | awk "
  /^MPI_COLLECTIVE_BEGIN/ { begin[\$2] = \$3 }
  /BCAST/ { if (\$2 == 0) root = begin[0]; else end[\$2] = \$3 }
  END { print (end[1] < root), (end[2] >= root + 1000), (end[3] >= root + 1000) }"'
out '1 1 1'
# And what goes to a root in the other group: it ends after all of them began, nobody else waits.
run 0 'otf2-print more-groups.out/traces.otf2 | awk "
  /^MPI_COLLECTIVE_BEGIN/ { begin[\$2] = \$3 }
  /REDUCE,/ { reduced[\$2] = \$3; from[\$2] = begin[\$2] }
  /GATHER,/ { gathered[\$2] = \$3 }
  END {
    print (from[0] < from[1]), reduced[2] - from[1], (reduced[3] < from[0])
    print (begin[3] < begin[2]), gathered[1] - begin[2], (gathered[0] < begin[2])
  }"'
out '1 1000 1
1 1000 1'

# Locations with numbers of their own: they are mapped for the clock and in text, and stay in an archive.
run 0 'clc-test-otf2-archive mapped mapped && $look violations 1000 mapped/traces.otf2'
out '1 messages, 1 violated; 1 collective operations, 2 pairs, 1 violated'
run 0 'clc-filter -mmd 1 mapped -o mapped.out && $look violations 1000 mapped.out/traces.otf2'
out '1 messages, 0 violated; 1 collective operations, 2 pairs, 0 violated'
run 0 '$look compare mapped/traces.otf2 mapped.out/traces.otf2'
out_has '10 events of 2 locations; times differ in 2 locations'
run 0 'clc-filter -q --no-correction --no-provenance mapped -o mapped.copy && diff -r -x traces.otf2 mapped mapped.copy'
run 0 'clc-filter --no-correction -F text mapped | grep -e " R " -e "1 E"'
out '50000 1 E main loop
50200 1 R 0 0 0 8'

# Any events are the same with and without libotf2, which reads from an event with many attributes on.
for seed in 1 2 3 4 5 6 7 8; do
  run 0 "mkdir plain through && clc-test-otf2-archive random plain/archive $seed && clc-test-otf2-archive random through/archive $seed long"
  for way in plain through; do
    run 0 "(cd $way && clc-filter --no-correction --no-provenance -F text archive >text 2>messages)"
  done
  run 0 'cmp plain/text through/text && cmp plain/messages through/messages && rm -r plain through'
done

# Every collective operation; non-blocking ones belong together in the order of their requests.
run 0 'clc-test-otf2-archive operations operations && $look violations 1000 operations/traces.otf2'
out '0 messages, 0 violated; 29 collective operations, 102 pairs, 38 violated'
run 0 'clc-filter -mmd 1 operations -o operations.out'
err_has 'warning: operations/traces.otf2: 3 ends of collective operations have unknown kinds'
err_has '3 begins of collective operations have no end'
run 0 '$look violations 1000 operations.out/traces.otf2'
out '0 messages, 0 violated; 29 collective operations, 102 pairs, 0 violated'
run 0 '$look compare operations/traces.otf2 operations.out/traces.otf2'
run 0 'clc-filter -q --no-correction --no-provenance -F text operations | clc-filter -q -mmd 1 --no-provenance | sort >from-text.clct'
run 0 'clc-filter -q -mmd 1 --no-provenance -F text operations | sort | cmp - from-text.clct'

# The clock offsets of an archive are applied, or not, by all programs alike.
run 0 'clc-test-otf2-archive offset offset && clc-check -mmd 1 offset'
run 1 'clc-check -mmd 1 --ignore-clock-offsets offset'
out_has 'VIOLATED (1 of 1 edges)'
run 0 'clc-filter -q -mmd 1 --ignore-clock-offsets offset -o offset.out'
run 0 'clc-check -mmd 1 --ignore-clock-offsets offset offset.out'
run 1 'clc-check -mmd 1 offset offset.out'
run 0 'clc-view -mmd 1 --before offset offset.out --svg delay-histogram | grep -c "1 below zero"; true'
out 0
run 0 'clc-view -mmd 1 --before offset --ignore-clock-offsets offset.out --svg delay-histogram | grep -c ">1 below zero"'
out 1

# The date of the first tick of the span moves with it.
date_of() { # NANOSECONDS: in the archive that is written
  rm -rf dated
  clc-test-otf2-archive offset dated "$1" && clc-filter -q -mmd 1 dated -o dated.out --overwrite || return
  TZ=UTC otf2-print -G dated.out/traces.otf2 | sed -n 's/^CLOCK_PROPERTIES.*Offset: \([0-9]*\),.*Date: /\1 /p'
}
run 0 'date_of 1700000000000000000; date_of 16666668; date_of 16666666; date_of 18446744073709551615'
out '100000 2023-11-14 22:13:19.983333333 +0000
100000 1970-01-01 00:00:00.000000001 +0000
100000 1970-01-01 00:00:00.000000000 +0000
100000 UNDEFINED'

# Non-blocking receives match in the order in which they were posted, as far as they can be looked ahead for.
run 0 'clc-test-otf2-archive receives receives 1000 && $look violations 1000 receives/traces.otf2'
out '9 messages, 4 violated; 0 collective operations, 0 pairs, 0 violated'
run 0 'clc-filter -mmd 1 --no-provenance --strict receives -o receives.out && $look violations 1000 receives.out/traces.otf2'
out '9 messages, 0 violated; 0 collective operations, 0 pairs, 0 violated'
run 0 '$look compare receives/traces.otf2 receives.out/traces.otf2'
out_has 'times differ in 1 locations'
run 0 'clc-check -mmd 1 receives.out'
out_has 'Clock condition: holds (9 edges)'
run 1 'clc-check -mmd 1 receives'
out_has 'VIOLATED (4 of 9 edges)'
# Also in text, from there to an archive, and with more locations than files may be open.
run 0 'clc-filter --no-correction --no-provenance -F text receives | tee receives.clct | grep -o "R .* overtakes=.*"'
out 'R 0 0 5 8 overtakes=2
R 0 0 5 8 overtakes=2
R 0 0 5 8 overtakes=1
R 0 0 5 8 overtakes=1'
run 0 'clc-filter -mmd 1 --no-provenance receives.clct | sort >from-text.clct'
run 0 'clc-filter --no-correction --no-provenance -F text receives.out | sort | cmp - from-text.clct'
run 0 'clc-filter --no-correction --no-provenance -F otf2 receives.clct -o again && clc-filter --no-correction --no-provenance -F text again | sort | cmp - <(sort receives.clct)'
run 0 '(head -n 1 receives.clct; seq -f "%%process %g p" 100 170; tail -n +2 receives.clct) >wide.clct && clc-filter --no-correction --no-provenance -F otf2 wide.clct -o wide'
run 0 'clc-filter --no-correction --no-provenance -F text wide | sort | cmp - <(sort wide.clct)'
run 0 'clc-test-otf2-archive receives late 5000'
run 0 'clc-filter -mmd 1 late -o late.out'
err 'clc-filter: warning: late/traces.otf2: 1 receives ended more than 4096 events after one of the same sender, communicator and tag that was posted later; *'
run 0 'clc-check -mmd 1 late.out'
err 'clc-check: warning: late.out/traces.otf2: 1 receives ended more than 4096 events after *'
run 0 'clc-check -q -mmd 1 late.out'

# A send that is cancelled is no message, if that is known soon enough.
run 0 'clc-test-otf2-archive cancelled cancelled 400'
run 1 'clc-check -q -mmd 1 cancelled'
out_has 'VIOLATED (3 of 3 edges)'
run 0 'clc-filter -q -mmd 1 --match fifo --strict cancelled -o cancelled.out && $look compare cancelled/traces.otf2 cancelled.out/traces.otf2'
out_has 'times differ in 1 locations'
run 0 'clc-check -q -mmd 1 cancelled cancelled.out'
out_has 'law 1 clock condition: ok (3 edges)'
run 0 'clc-filter -q --no-correction -F text cancelled | grep -c " I MPI_ISEND$"'
out 3
run 0 'clc-filter -q -mmd 1 --no-provenance cancelled -F text | cmp - <(clc-filter -q --no-correction --no-provenance cancelled -F text | clc-filter -q -mmd 1 --no-provenance)'
run 0 'clc-test-otf2-archive cancelled afar 1000'
run 3 'clc-filter -q -mmd 1 --match fifo --strict afar --dry-run'
err '*: 1 case stayed unresolved; *'

# One-sided communication.
run 0 'clc-test-otf2-archive windows windows && $look violations 1000 windows/traces.otf2'
out '3 messages, 2 violated; 3 collective operations, 10 pairs, 4 violated'
run 0 'clc-filter -q -mmd 1 --no-provenance windows -o windows.out --report report && $look violations 1000 windows.out/traces.otf2'
out '3 messages, 0 violated; 3 collective operations, 10 pairs, 0 violated'
run 0 'clc-check -q -mmd 1 windows.out'
out_has 'Clock condition: holds (13 edges)'
run 0 'clc-filter -q --no-correction --no-provenance -F text windows | clc-filter -q -mmd 1 --no-provenance | sort >from-text.clct'
run 0 'clc-filter -q --no-correction --no-provenance -F text windows.out | sort | cmp - from-text.clct'
run 0 '$look compare windows/traces.otf2 windows.out/traces.otf2'
out_has 'times differ in 1 locations'
run 0 'grep one-sided report'
out '  17 events of one-sided communication are ignored, because only one side of them is recorded'
run 0 'clc-filter -mmd 1 -q --dry-run windows --report - --report-format json | grep -A1 remarks'
out_has '17 events of one-sided communication'
run 0 'clc-check -q -mmd 1 windows.out'
out_has '  17 events of one-sided communication are ignored, because only one side of them is recorded'
run 0 'clc-check -q -mmd 1 windows.out windows.out --report-format json | grep -A1 remarks'
out_has '17 events of one-sided communication'
run 0 'clc-filter -q --no-correction --no-provenance windows -o windows.copy && diff -r -x traces.otf2 windows windows.copy'

# Within an epoch's last call end a receive and an operation that were begun after others.
run 0 'clc-test-otf2-archive epochs epochs && $look violations 1000 epochs/traces.otf2'
out '5 messages, 3 violated; 4 collective operations, 8 pairs, 2 violated'
run 0 'clc-filter -mmd 1 --no-provenance --strict epochs -o epochs.out && $look violations 1000 epochs.out/traces.otf2'
out '5 messages, 0 violated; 4 collective operations, 8 pairs, 0 violated'
run 0 'clc-check -mmd 1 epochs.out'
out_has 'Clock condition: holds (13 edges)'
run 0 'clc-filter --no-correction --no-provenance -F text epochs | tee epochs.clct | sed -n "/^100000 0 /,/^115000 /{s/ [0-9]\{20\}/ .../; p}"'
out '100000 0 E MPI_Win_complete
100000 0 S 1 ... 1 0
105000 0 E main loop
110000 0 X allreduce ... - 8 8 call=7
110010 0 R 1 0 5 8 overtakes=1
112000 0 L main loop
115000 0 I RMA_GROUP_SYNC'
run 0 'clc-filter -mmd 1 --no-provenance epochs.clct | sort >from-text.clct'
run 0 'clc-filter --no-correction --no-provenance -F text epochs.out | sort | cmp - from-text.clct'

# Conversion; text and archive are corrected alike.
run 0 'clc-filter -mmd 1 --no-provenance -F text ring -o from-archive.clct'
run 0 'clc-filter --no-correction --no-provenance -F text ring | clc-filter -mmd 1 --no-provenance -o from-text.clct'
run 0 'cmp from-archive.clct from-text.clct'
run 0 'clc-filter --no-correction --no-provenance -F text ring.out | sort | cmp - <(sort from-text.clct)'
run 0 'grep -m1 " E " from-text.clct'
out_has ' E main loop'
run 0 'clc-filter --no-correction --no-provenance -F binary ring | clc-filter --no-correction --no-provenance -F text | tail -1'
run 0 'clc-filter --no-correction --no-provenance -F text two-groups | grep -c "^%group"'
out_has '10'

# More locations than files may be open.
run 0 'clc-test-otf2-archive ring many 300 10'
run 0 '(ulimit -n 64; clc-filter -mmd 1 --no-provenance many -o many.out)'
run 0 '$look violations 1000 many.out/traces.otf2'
out '3000 messages, 0 violated; 0 collective operations, 0 pairs, 0 violated'
run 0 'clc-filter --no-correction --no-provenance -F text many | clc-filter -mmd 1 --no-provenance | sort >from-text.clct'
run 0 'clc-filter --no-correction --no-provenance -F text many.out | sort | cmp - from-text.clct'

# Folders.
run 1 'clc-filter -q ring -o ring.out'
err 'clc-filter: ring.out: already exists; name a new folder, or replace the archive in it with --overwrite'
run 0 'clc-filter -q ring -o ring.out --overwrite'
run 0 'touch ring.out/notes'
run 1 'clc-filter -q ring -o ring.out --overwrite'
err 'clc-filter: ring.out: holds notes, which does not belong to an OTF2 archive; name a new folder'
# Not what lies among the files of the archive either.
run 0 'rm ring.out/notes; cp -r ring.out mixed; cp -r ring mixed/traces/inner'
run 2 'clc-filter -q mixed/traces/inner -o mixed --overwrite'
err '* mixed holds the input; *'
run 1 'clc-filter -q ring -o mixed --overwrite'
err 'clc-filter: mixed: holds traces/inner, which does not belong to an OTF2 archive; name a new folder'
for file in traces/mynotes.txt traces.README traces.backup.otf; do
  run 0 "rm -rf mixed; cp -r ring.out mixed; touch mixed/$file"
  run 1 'clc-filter -q ring -o mixed --overwrite'
  err "clc-filter: mixed: holds $file, which does not belong to an OTF2 archive; name a new folder"
done
run 0 'rm -r mixed; touch ring.out/notes'
run 2 'clc-filter -q ring -o ring --overwrite'
err '* ring holds the input; *'
run 2 'clc-filter -q ring'
err '*an OTF2 archive is a folder; name a new one with -o *'
run 1 'clc-filter <ring/traces.otf2'
err '*cannot be read from a pipe*'
run 1 'clc-filter -f otf2 /dev/null'
err '*/dev/null: is not an OTF2 archive*'
run 0 'ls -A | grep tmp | wc -l'
out 0

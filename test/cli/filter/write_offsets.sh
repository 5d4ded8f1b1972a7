# Clocks of an archive mapped by its clock offsets, with the recorded times: --write-offsets.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
needs_estimates

# raw ARCHIVE: its records with the times in the file; seen ARCHIVE: with those that readers see; both by process.
raw() { clc-filter --no-correction --no-provenance --ignore-clock-offsets -F text "$1" | grep -v ^% | sort -s -n -k2,2; }
seen() { clc-filter --no-correction --no-provenance -F text "$1" | grep -v ^% | sort -s -n -k2,2; }
# apart TICKS ONE OTHER: "N records" if both are the same records in the same order, and times differ by at most TICKS.
apart() {
  paste -d'\n' "$2" "$3" | awk -v most="$1" '
    { time = $1; sub(/^[^ ]* /, "") }
    NR % 2 { first = time; record = $0; next }
    $0 != record { different = 1 }
    { by = time > first ? time - first : first - time; if (by > largest) largest = by }
    END { print (different ? "other records" : largest > most ? largest " ticks" : NR / 2 " records") }'
}

clc-tracegen halo -n 8 --seed 5 --offset 5000 --drift 20 --start 1000000000 --events 20000 -F otf2 -o archive
raw archive >archive.raw
records=$(wc -l <archive.raw)
run 0 'clc-filter -mmd 0.5 --estimate --write-offsets archive -o out'
out ''
run 0 'raw out | cmp - archive.raw'
# The clock alone, when it has nothing to do, gives the same times within a tick.
run 0 'clc-filter -mmd 0.5 --estimate archive -F text --no-provenance -o estimated.clct --report report; grep "events moved" report'
out_has '  0 of 20,032 '
sort -s -n -k2,2 <(grep -v ^% estimated.clct) >estimated
seen out >out.seen
run 0 'apart 1 out.seen estimated'
out "$records records"
run 0 'clc-check -mmd 0.5 out | grep "^Clock condition"'
out_has 'Clock condition: holds'
run 1 'clc-check -mmd 0.5 --ignore-clock-offsets -q out >/dev/null'
# So does libotf2.
if command -v otf2-print >/dev/null; then
  run 0 'otf2-print out/traces.otf2 | awk "/^(ENTER|LEAVE|MPI_)/ { print \$3, \$2, \$1 }" | sort -s -n -k2,2 >printed; wc -l <printed'
  out "$records"
  run 0 'awk "{ print \$1, \$2 }" estimated >times; apart 1 <(awk "{ print \$1, \$2 }" printed) times'
  out "$records records"
  # Two at least for each location, without which it applies none.
  run 0 'otf2-print -C out/traces.otf2 | awk "/^CLOCK_OFFSET/ { ++n[\$2] } END { for (l in n) good += n[l] > 1; print good }"'
  out 8
fi

# The same from the map in a file. Clock offsets are not applied twice, but taken up in new ones.
clc-sync -mmd 0.5 archive >offsets
run 0 'clc-filter --offsets offsets --write-offsets archive -o by-map && seen by-map | cmp - out.seen'
printf '%%offset %d 1000000000 1.25\n%%offset %d 1050000007 2000.5\n%%offset %d 2000000000 -7\n' 0 0 0 3 3 3 >more
run 0 'clc-filter --offsets more --write-offsets out -o again; raw again | cmp - archive.raw'
seen again >again.seen
run 0 'clc-filter --offsets more --write-offsets by-map -o again2; clc-filter --no-correction again2 -o plain; raw plain | cmp - again.seen'
run 0 'clc-filter -mmd 0.5 --offsets more out -F text --no-provenance -o more.clct --report report; grep "events moved" report'
out_has '  0 of 20,032 '
run 0 'apart 2 again.seen <(grep -v ^% more.clct | sort -s -n -k2,2)'
out "$records records"
run 0 'apart 9 again.seen out.seen'
out '2000 ticks'
# Nothing is left to map: the clock offsets stay.
run 0 'clc-filter -mmd 0.5 --estimate --write-offsets out -o still; seen still | cmp - out.seen; raw still | cmp - archive.raw'
err_has 'no clock is mapped, because the estimate is no better than the recorded times'
# Without the clock offsets, and with them in the times.
run 0 'clc-filter -mmd 0.5 --ignore-clock-offsets --estimate --write-offsets out -o anew; seen anew | cmp - out.seen'
run 0 'clc-filter --no-correction out -o plain2; raw plain2 | cmp - out.seen'
# The options stand in the archive; no program takes it for a correction.
run 0 'clc-filter --no-correction -F text out | grep "^%provenance" | head -n 2'
out_has ' --write-offsets --estimate=smooth'

# Clock offsets of the input are included; locations without a map keep theirs.
clc-test-otf2-archive offset own
run 0 'clc-filter --offsets <(echo "%offset 1 0 7") --write-offsets own -o one; seen one | cut -d" " -f1-3'
out '100000 0 S
120007 1 R'
run 0 'clc-filter --offsets <(echo "%offset 0 0 7") --write-offsets own -o other; seen other | cut -d" " -f1-3'
out '100007 0 S
120000 1 R'
run 0 'clc-filter --ignore-clock-offsets --offsets <(echo "%offset 0 0 7") --write-offsets own -o none; seen none | cut -d" " -f1-3'
out '100007 0 S
70000 1 R'
# Those that state a standard deviation are measured offsets: applied, they leave 0. Where one does, 0 is exact.
run 1 'clc-filter --no-correction -F text own | grep ^%offset'
out ''
clc-test-otf2-archive deviations measured
run 0 'clc-filter --no-correction -F text measured | grep ^%offset'
out '%offset 0 60000 0 0
%offset 0 190000 0 0
%offset 1 110000 0 250.5
%offset 1 240000 0 250.5'
run 0 'clc-sync measured'
out_has '; 4 measured offsets'
run 1 'clc-sync --ignore-clock-offsets measured | grep "measured offsets"'
out ''
# A correction of the archive has them in its times, and lacks nothing.
run 0 'clc-filter -q measured -o measured.out; clc-check -q measured measured.out'
out_has 'records identical apart from time: ok'
run 0 'clc-filter -q --offsets <(echo "%offset 2 0 7") --write-offsets measured -o replaced; clc-check -q --offsets <(echo "%offset 2 0 7") measured replaced'
out_has 'records identical apart from time: ok'
run 1 'clc-filter -q measured -F text -o measured.clct; sed "/^%offset 1/d" measured.clct >less.clct; clc-check -q measured less.clct'
out_has "is missing in the corrected trace"
# They stay where no map replaces them.
run 0 'clc-filter --offsets <(echo "%offset 2 0 7") --write-offsets measured -o part; clc-filter --no-correction -F text part | grep -c "^%offset 1 .* 0 250.5"'
out 2
# No negative times: all are raised, and lowered again when they are read.
run 0 'clc-filter --offsets <(echo "%offset 0 0 -150000") --write-offsets own -o low; seen low | cut -d" " -f1-3'
out '-50000 0 S
120000 1 R'
if command -v otf2-print >/dev/null; then
  run 0 'otf2-print low/traces.otf2 | awk "/^MPI_/ { print \$3, \$2 }"'
  out '0 0
170000 1'
fi
run 0 'clc-filter --offsets <(echo "%offset 0 0 -150000") --write-offsets low -o lower; seen lower | cut -d" " -f1-3'
out '-200000 0 S
120000 1 R'
# So it is without --write-offsets, where the times in the archive are the mapped ones.
run 0 'clc-filter --offsets <(echo "%offset 0 0 -150000") own -o moved; seen moved | cut -d" " -f1-3'
out '-50000 0 S
120000 1 R'
if command -v otf2-print >/dev/null; then
  run 0 'otf2-print moved/traces.otf2 | awk "/^MPI_/ { print \$3, \$2 }"'
  out '0 0
170000 1'
fi
run 0 'clc-filter --offsets <(echo "%offset 0 0 -150000") moved -o moved.again; seen moved.again | cut -d" " -f1-3'
out '-200000 0 S
120000 1 R'
clc-test-otf2-archive kinds early
printf '%%offset 0 0 -1000000\n%%offset 1 0 -1000050\n' >back
run 0 'clc-filter -q --offsets back early -o early.out; seen early.out | cmp - <(clc-filter -q --no-provenance --offsets back early -F text | grep -v ^% | sort -s -n -k2,2)'

# Events of all kinds, snapshots and markers: all stay.
clc-test-otf2-archive kinds kinds
run 0 'clc-filter -q --offsets <(printf "%%offset 0 0 100\n%%offset 1 0 50\n") --write-offsets kinds -o kinds.out; raw kinds.out | cmp - <(raw kinds)'
run 0 "$CLC_SOURCE/test/cli/otf2_text.py compare kinds/traces.otf2 kinds.out/traces.otf2"
out_has 'times differ in 2 locations, by 0 to 100 ticks'

# Markers belong to no location and get the mapped times.
if command -v otf2-marker >/dev/null; then
  clc-test-otf2-archive kinds marked 1 more
  run 0 'clc-filter -q --offsets <(printf "%%offset 0 0 100\n%%offset 1 0 50\n%%offset 2 0 50\n") --write-offsets marked -o marked.out; otf2-marker marked.out/traces.otf2 | sed -n "s/^MARKER  *Time: //p"'
  out '100050, Duration 1000, Scope: LOCATION:1, Text: "early"
90050, Duration 420000, Scope: LOCATION:1, Text: "long"
1, Duration 18446744073709551615, Scope: GLOBAL, Text: "for ever"
100050, Duration 0, Scope: LOCATION_GROUP:1, Text: "group"
100050, Duration 0, Scope: LOCATION_GROUP:5, Text: "kernel"
500100, Duration 0, Scope: LOCATION:9, Text: "unknown"
500100, Duration 0, Scope: GLOBAL, Text: "all"'
fi

# Of an archive without local definition files all locations get one, or none does: readers miss a single one.
cp -r archive bare && rm bare/traces/*.def
run 0 'clc-filter --offsets <(echo "%offset 3 0 7") --write-offsets bare -o bare.out; ls bare.out/traces | grep -c def'
out 8
awk '$2 == 3 { $1 = sprintf("%.0f", $1 + 7) } { print }' archive.raw >bare.seen
run 0 'seen bare.out | cmp - bare.seen'
run 0 'clc-filter -q --offsets <(echo "%offset 99 0 7") --write-offsets bare -o bare.none; ls bare.none/traces | grep def || seen bare.none | cmp - archive.raw'
out ''

# What is refused.
run 2 'clc-filter --write-offsets archive -o none2'
err 'clc-filter: --write-offsets: expected --estimate or --offsets FILE with it*'
run 2 'clc-filter --estimate --write-offsets estimated.clct -F otf2 -o none2'
err_has 'expected an OTF2 archive, found a text trace'
run 2 'clc-filter --offsets offsets --write-offsets estimated.clct -o none2'
err_has 'expected an OTF2 archive, found a text trace'
run 2 'clc-filter --estimate --write-offsets archive -F text -o none2'
err_has '--write-offsets writes an OTF2 archive; leave out -F'
for option in --no-correction --keep-original --dry-run '--report -' -v --strict '--max-shift 1'; do
  run 2 "clc-filter --offsets offsets --write-offsets $option archive -o none2"
  err_has 'makes no sense with --'
done
run 1 'clc-filter --offsets <(printf "%%offset 0 1000000000 0\n%%offset 0 1000100000 -200000000\n") --write-offsets archive -o none2'
err_has 'which makes time run backwards'
run 0 'ls | grep -c none2; true'
out 0
run 0 'clc-filter --offsets <(echo "%offset 99 0 7") --write-offsets archive -o elsewhere'
err_has '1 process is not in the trace'

# A thread that is recorded for ten microseconds only: its points, in whole ticks, tell little of other times.
python3 >short.clct <<'P'
print("%clc-trace 1\n%min-delay 1000\n%process 0 main node=a\n%process 2 thread node=a clock=0\n%process 1 other node=b")
print("%group 0 0 1")
records = [(20 * 10**9, 2, "I a"), (20 * 10**9 + 10000, 2, "I b")]
for k in range(4000):
    time = 10**9 + k * 10**7
    ahead = -int(2e-5 * (time - 10**9))
    records += [(time, 0, "S 1 0 0 0"), (time + 5000 + ahead, 1, "R 0 0 0 0")]
    records += [(time + 500000 + ahead, 1, "S 0 0 0 0"), (time + 505000, 0, "R 1 0 0 0")]
for record in sorted(records, key=lambda record: record[0]): print(*record)
P
run 0 'clc-filter --no-correction -F otf2 short.clct -o short && clc-filter -q -mmd 1 --estimate --write-offsets short -o mapped'
run 0 'clc-filter --no-correction -F text mapped -o mapped.clct 2>&1'
out ''

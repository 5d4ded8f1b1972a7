# Pages from pipes and files: which times are before and after, what is said, and that nothing is loaded from elsewhere.
run 0 'clc-tracegen halo --events 20000 --seed 1 | clc-filter -mmd 5 --keep-original --report r.json --report-format json | clc-view --report r.json -o run.html'
run 0 'cat run.html'
out_has 'messages were received before they were sent. 0 after correction.'
out_has 'Before: as recorded'
for figure in timeline delay-histogram delays rates corrections clocks gamma intervals; do out_has "data-figure=\"$figure\""; done
out_has 'noted       clc-filter'
out_has '-mmd 5 -maxerr 0.5'
run 1 'grep -oE "(src|href)=\"[^\"]*\"|url\([^#)]*\)|@import.*|https?://[^\" ]*" run.html | grep -vF -e "data:," -e "http://www.w3.org/2000/svg"'
# The only script that the page allows is its own.
run 0 'python3 - run.html <<"END"
import base64, hashlib, re, sys
page = open(sys.argv[1], "rb").read()
scripts = re.findall(rb"<script>(.*?)</script>", page, re.DOTALL)
policy = re.search(rb"Content-Security-Policy\" content=\"([^\"]*)", page)[1].decode()
allowed = re.search("script-src ([^;]*)", policy)[1]
print(len(scripts), allowed == "\x27sha256-%s\x27" % base64.b64encode(hashlib.sha256(scripts[0]).digest()).decode())
END'
out '1 True'
# The report is there when the trace ends, whichever program is faster.
for _ in 1 2 3 4 5; do
  run 0 'rm -f r.json; clc-tracegen halo --events 2000 --seed 1 | clc-filter -mmd 5 --report r.json --report-format json | clc-view --report r.json >page.html; grep -c "data-figure=.gamma" page.html'
  out 2
done

# The same figures whether recorded times are kept in the trace or come from the trace as recorded.
small_trace >in.clct
# A page with plain blanks.
page() { clc-view "$@" | sed 's/\xc2\xa0/ /g'; }
run 0 'clc-filter -q -mmd 0.1 --keep-original in.clct -o kept.clct; clc-filter -q -mmd 0.1 in.clct -F binary -o after.clcb'
run 0 'page kept.clct --title t | sed "/^trace  /d" >kept.html; page --before in.clct after.clcb --title t | sed "/^<pre>trace  /d; /^trace  /d" >pair.html'
run 0 'for f in kept pair; do sed "/noted\|keep-original\|<pre>trace\|^.command/d" $f.html >$f; done; cmp kept pair && cat kept'
out_has '1 of 2 messages was received before it was sent. 0 after correction.'
out_has '<th scope="row">Waits in collective operations that end too early</th><td class="bad">1 of 2</td><td>0 of 2</td>'
out_has '<td class="bad">−100 ns</td><td>101 ns</td>'

# Also where the trace is in Paje.
run 0 'clc-filter -q -mmd 0.1 --keep-original in.clct -F paje -o kept.paje; page -mmd 0.1 kept.paje'
out_has 'Before: as recorded'
out_has '1 of 2 messages was received before it was sent. 0 after correction.'
out_has '<td class="bad">−100 ns</td><td>101 ns</td>'

# Records that are not sorted are shown, with a warning.
run 0 '{ grep ^% in.clct; grep -v ^% in.clct | sort -s -k2,2n; } >unsorted.clct; page unsorted.clct >page.html'
err 'clc-view: warning: unsorted.clct: 1 record is earlier than its predecessor; messages may be matched wrongly: *'
run 0 'page <unsorted.clct >page.html'
err 'clc-view: warning: standard input: 1 record is earlier than its predecessor; *'
# As many as clc-check finds.
run 0 'page <unsorted.clct 2>&1 >page.html | sed -E "s/.*input: ([0-9,]+) rec.*/\1/"'
out "$(clc-check unsorted.clct | sed -nE 's/^Sorted by time: NO, ([0-9,]+) rec.*/\1/p')"
run 0 'rm unsorted.clct page.html'

# One time for each event: one side, and what to do about it.
run 0 'clc-view -mmd 0.1 in.clct'
out_has 'As it is'
out_has 'Correct this trace with clc-filter -mmd 0.1'
out_has '<h2>Lengths of local intervals</h2>'
run 1 'clc-view in.clct | grep -i -e "After: corrected" -e "as recorded</th>" -e "Changes of local" -e "Blue: corrected" -e "should leave"'
run 0 'clc-view kept.clct'
out_has '<h2>Changes of local intervals</h2>'
out_has 'Grey: as recorded. Blue: corrected.'
# How messages are judged: the option, what the filter noted, the trace's own min-delay, 1 us.
run 0 'page kept.clct | grep -o "Faster than the minimum delay ([^)]*)"'
out 'Faster than the minimum delay (100 ns)'
run 0 'page -mmd 7 kept.clct | grep -o "Faster than the minimum delay ([^)]*)"'
out 'Faster than the minimum delay (7 µs)'
# Of two corrections the last; a conversion says nothing.
run 0 'clc-filter -q -mmd 0.2 kept.clct | clc-filter -q --no-correction | page | grep -o "Faster than the minimum delay ([^)]*)"'
out 'Faster than the minimum delay (200 ns)'
run 0 'sed "2a %min-delay 30" in.clct | page | grep -o "Faster than the minimum delay ([^)]*)"'
out 'Faster than the minimum delay (30 ns)'
run 0 'page in.clct | grep -o "Faster than the minimum delay ([^)]*)"'
out 'Faster than the minimum delay (1 µs)'

# The same for what the length of a message adds.
run 0 'page --bandwidth 64 in.clct | grep -o "Faster than the minimum delay ([^)]*)"'
out 'Faster than the minimum delay (1 µs + bytes/bandwidth)'
clc-filter -q -mmd 0.1 --bandwidth 64 --keep-original in.clct -o long.clct
for option in '' '--bandwidth 64'; do
  run 0 "page $option long.clct | grep -o 'Faster than the minimum delay ([^)]*).*'"
  out_has '(100 ns + bytes/bandwidth)'
done
run 0 'page -mmd 0.1 long.clct | grep -o "Faster than the minimum delay ([^)]*)"'
out 'Faster than the minimum delay (100 ns)'
run 0 'rm long.clct'

# Bars of a histogram stand where the labels of its axis say: those of 1 and 10 begin there.
cat >ten.clct <<'END'
%clc-trace 1
%resolution 1000
%process 0
%process 1
%group 0 0 1
1000 0 S 1 0 0 8
1001 1 R 0 0 0 8
2000 0 S 1 0 0 8
2010 1 R 0 0 0 8
END
run 0 'page --svg delay-histogram ten.clct >ten.svg; sed -n "s/^<text x=.\([0-9.]*\). y=.222.*>10* ms<.*/\1/p" ten.svg | while read -r x; do grep -c "M$x 119h" ten.svg; done'
out '1
1'
run 0 'rm ten.clct ten.svg'

# Names that want to be something else.
sed 's,rank0,</script><b>&"\x01\xff,; s,E main,E <i>&\\,' in.clct >names.clct
run 0 'clc-view names.clct >names.html; grep -c -e "</script><b>" -e "<i>" -e "$(printf "\xff")" -e "$(printf "\x01")" names.html; test $(grep -c "</script>" names.html) -eq 2'
out 0

# A part of a trace.
run 0 'clc-view --from 0.0000005 --to 0.0000012 --text in.clct'
out_has '1 of 1 messages was received before it was sent'
run 1 'clc-view --from 1 in.clct -o empty.html'
err 'clc-view: in.clct: has no event between --from and --to; the trace has 13 events from 0 to 8.5e-06 s'
run 1 'test -e empty.html'
run 0 'page --from 0.000001 --to 0.000004 kept.clct'
out_has 'Excerpt from 1e-06 s to 4e-06 s of a trace of '
out_has 'Messages across the borders of the excerpt, not counted above'
run 0 'page --from 0.000001 --to 0.000004 --svg timeline kept.clct | grep -o "text-anchor=[^>]*>[0-9.]* µs<" | sed "s/.*>\(.*\)</\1/" | tr "\n" " "'
out '1 µs 1.5 µs 2 µs 2.5 µs 3 µs 3.5 µs 4 µs 1 µs 1.5 µs 2 µs 2.5 µs 3 µs 3.5 µs 4 µs '
run 0 'printf "%%clc-trace 1\n" | clc-view'
out_has 'The trace has no events.'

# Times that are further apart than 64 bits can tell.
cat >far.clct <<'END'
%clc-trace 1
%process 0 a
%process 1 b
%group 0 0 1
-9223372036854775000 0 S 1 0 0 8
9223372036854770000 1 R 0 0 0 8
END
far='Times are up to 18,446,744,073 s apart. Differences of more than 2^63 ticks (9,223,372,036 s) are shown as 2^63 ticks; fewer ticks per second avoid that.'
run 0 'page far.clct >far.html'
err "clc-view: warning: far.clct: $far"
run 0 'cat far.html'
out_has "<p class=\"advice warning\">$far</p>"
out_has '<dt>Length</dt><dd>106,752 d</dd>'
out_has '<th scope="row">Smallest delay</th><td>106,752 d</td>'
out_has '<th scope="row">Mean delay</th><td>106,752 d</td>'
run 0 'clc-view -q --text --width 200 far.clct'
out_has "$far"
run 0 'sed "s/^-92233720368547/-/; s/^92233720368547/7/" far.clct | page | grep -c "ticks per second avoid"; rm far.clct far.html'
out 0

# Damage: what came before is shown, and the exit status says it.
run 1 '(head -n 9 in.clct; echo nonsense) | clc-view -o damaged.html'
err_has 'standard input:10: found "nonsense"'
run 0 'grep -c "Reading ended early; the page shows only the part before" damaged.html'
out 1
# Traces that do not belong together.
run 0 'grep -v "^3000" in.clct | clc-view --before in.clct >two.html; grep -c "1 record is in only one of the two traces" two.html'
err 'clc-view: warning: 1 record is in only one of the two traces'
run 1 'sed "s/1000000000/1000/" in.clct | clc-view --before in.clct'
err 'clc-view: in.clct: has 1000000000 ticks per second, standard input has 1000; expected two traces with the same records'

# The same page every time.
run 0 'clc-tracegen halo --events 200000 --seed 3 >big.clct; clc-view big.clct >a.html; clc-view big.clct >b.html; cmp a.html b.html'
# A page for many processes and many records stays small.
run 0 'clc-tracegen halo -n 256 --regions --events 500000 --seed 3 | clc-filter -mmd 5 --keep-original | clc-view >many.html; test $(wc -c <many.html) -lt 6000000'
in_depth && many=65536 || many=8192
run 0 'clc-tracegen halo -n $many --regions --events $((11 * many)) --seed 3 -F binary | clc-filter -q -mmd 5 --keep-original -F binary | clc-view >many.html; test $(wc -c <many.html) -lt 6000000; rm many.html'

# Of a name that is cut off all else stays.
run 0 '{ printf "%%clc-trace 1\n%%resolution 1000\n%%process 0 Master_thread_of_all\n%%process 1 CUDA[0:13]\n"; printf "%s\n" "1 0 I x" "2 1 I x"; } | clc-view --svg timeline | grep -o ">CUDA[^<]*<"'
out '>CUDA[0:13]<'

# Detail within the bytes that it may take; the command that shows more.
run 0 'clc-view --detail 20K big.clct >small.html; clc-view --detail 0 big.clct >none.html; wc -c <a.html >a; wc -c <small.html >s; wc -c <none.html >n; test $(cat n) -le $(cat s) && test $(cat s) -lt $(($(cat n) + 21000)) && test $(cat s) -lt $(cat a)'
run 0 'ln -s big.clct "big one.clct"; clc-view --detail 0 "big one.clct" | grep -o "^.command.:.*"'
out "\"command\":\"clc-view 'big one.clct'\","
# It has all options that change what is shown: it makes the same page.
clc-filter -q --no-correction -F paje in.clct -o 'in $ms.paje'
clc-filter -q -mmd 0.1 --report r.json --report-format json -o after.clct in.clct
command_in() { python3 -c 'import json, re, sys; print(json.loads(re.search(r"id=.data.>(.*?)</script>", open(sys.argv[1]).read(), re.DOTALL)[1])["command"])' "$1"; }
same() {
  clc-view "$@" -q --no-sync -o given.html
  command_in given.html >command
  eval "$(cat command) -q -o again.html" && cmp given.html again.html && cat command
}
run 0 "same -mmd 7 -mmd=0:1=5 --mmd node=2.5 --bandwidth=64 --clock-of location --ignore-clock-offsets --title \"it's <2>\" -ftext --detail 5M --report r.json --before in.clct after.clct"
out "clc-view -mmd 7 -mmd 0:1=5 -mmd node=2.5 --bandwidth 64 --clock-of location --ignore-clock-offsets --title 'it'\\''s <2>' --format text --detail 5M --report r.json --before in.clct after.clct"
run 0 'same --paje-unit ms --title=-t "in \$ms.paje"'
out "clc-view --paje-unit ms --title=-t 'in \$ms.paje'"
run 0 'clc-view -q --before - --from 0 --to 1 --detail 8M --detail 0 after.clct <in.clct >given.html; command_in given.html'
out 'clc-view --before RECORDED after.clct'
run 0 'clc-view -q --title t <in.clct >given.html; command_in given.html'
out 'clc-view --title t TRACE'
run 0 'rm given.html again.html command after.clct r.json "in \$ms.paje"'
run 2 'clc-view --detail much big.clct'
err_has 'clc-view: --detail: expected'

# Collective operations alone.
run 0 'grep -v " [SR] " in.clct >collectives.clct; clc-view --text collectives.clct | head -n 1'
out '1 of 2 waits in collective operations ended before the awaited begin.'
run 0 'clc-filter -q --keep-original collectives.clct | clc-view --text --width 100 | head -n 1'
out '1 of 2 waits in collective operations ended before the awaited begin. 0 after correction.'
run 0 'clc-view collectives.clct -o page.html; grep -o -e "Next too early" -e "ends before a begin it awaits" page.html'
out 'Next too early
ends before a begin it awaits'
# Beside messages that are right, or too fast, while an operation ends before it can.
grep -v -e '^1900' -e '^2000' in.clct >forwards.clct
said() { clc-view "$@" --text --width 1000 | sed 's/\xc2\xa0/ /g; 1q'; }
waits='No message was received before it was sent, but 1 of 2 waits in collective operations ended before the awaited begin.'
for mmd in 0.1 2; do
  run 0 "said -mmd $mmd forwards.clct"
  out "$waits"
done
run 0 'clc-filter -q --keep-original forwards.clct | said'
out "$waits 0 after correction."
sed -i '/^5200/{ h; d; }; /^6000/{ s//5150/; G; }; s/^6100/5250/' forwards.clct
run 0 'said -mmd 0.1 forwards.clct'
out 'No message was received before it was sent, but 1 of 2 waits in collective operations ended too early.'
run 0 'said -mmd 2 forwards.clct'
out '1 of 1 messages took less than the minimum message delay of 2 µs.'
run 0 'said -mmd 0.01 forwards.clct; grep -v " [SR] " forwards.clct | said -mmd 0.01'
out 'No message was received before it was sent.
No wait in a collective operation ended before the awaited begin.'

# What a report says: of its end, of what is left, of options, of each case how often.
run 1 '(head -n 9 in.clct; echo nonsense) | clc-filter -q -mmd 0.1 --report r.json --report-format json -o early.clct'
err_has 'standard input:10'
run 0 'page --report r.json early.clct'
out_has 'clc-filter could not read the trace to its end: standard input:10: found &quot;nonsense&quot;'
run 0 'clc-filter -q -mmd 0.1 -cldiff 0.01 --wait-limit 1e-9 --report r.json --report-format json -o late.clct in.clct'
run 0 'page --report r.json late.clct'
out_has '1 send came after its receive had been released.'
run 0 'clc-filter -q -mmd 0.1 -cldiff 0.01 --report r.json --report-format json -o after.clct in.clct'
run 1 'page --report r.json after.clct | tee after.html | grep -e "are left" -e "could not read"'
run 0 'cat after.html'
out_has 'The clocks differed by more than assumed (0.01 µs): for similar traces use -cldiff 1.'
run 0 'sed "s/\"left\": 0/\"left\": 3/" r.json >left.json; page --report left.json after.clct'
out_has '3 violations of the clock condition are left.'
# The advice says the round trip that it rests on.
run 0 'clc-tracegen halo --events 20000 --seed 1 | clc-filter -q -mmd 1 --report r.json --report-format json --keep-original | page --report r.json | grep -o "The fastest round trip takes [0-9.]* µs a message: -mmd [0-9.]* is" | tr -c "0-9.\n" " " | awk "{ print (NF == 2 && \$2 > 0.79 * \$1 && \$2 < 0.81 * \$1) }"'
out 1
# Without a report: what has no other end.
run 0 'grep -v -e " R 1 " -e " R 0 " -e "6100 0 X" in.clct | page'
out_has '2 sends were never received.'
out_has '1 collective operation was never finished by all members.'

# Minimum delays that are given count, not those that the filter noted.
for given in 0:1=500 node=500; do
  run 0 "page -q -mmd $given kept.clct | grep -o 'Faster than the minimum delay ([^)]*)'"
  out 'Faster than the minimum delay (1 µs and others)'
done

# More regions than letters or colours: the rest are others.
run 0 '{ sed 5q in.clct; for i in 1 2 3 4 5 6 7 8 9; do echo "${i}000 0 E r$i"; echo "${i}500 0 L r$i"; done; } >regions.clct; clc-view --text regions.clct'
out_has '  x others'
run 0 'page regions.clct'
out_has '2 other regions'
run 1 '{ sed "/E r8/,\$d" regions.clct | tee seven.clct | clc-view --text; page seven.clct; } | grep -e "x others" -e "other regions<"'

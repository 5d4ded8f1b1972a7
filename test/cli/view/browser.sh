# The page in a browser: no error, every figure there and not empty, zoom and keys work, at two widths, light and dark.
not_under_valgrind 'is about the page in a browser'
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || skip "there is no chromium"
export HOME=$scratch

# look PAGE WIDTH light|dark FIGURES: what browser.js finds in the page, in a frame of that width.
look() {
  local page=$1 width=$2 scheme=1 wanted=$4
  [ "$3" = light ] || scheme=0
  # Without a screen no frames are drawn: timers take their place.
  cat >first.html <<END
<script nonce="test">
window.failures = [];
window.wanted = $wanted;
window.instants = ${instants:-null};
window.edges = ${edges:-null};
window.counts = ${counts:-null};
window.nexts = ${nexts:-null};
addEventListener("error", event => failures.push(event.message));
window.requestAnimationFrame = f => setTimeout(f, 10);
</script>
END
  {
    # The page allows no script but its own; those of the test have a nonce.
    sed "/<meta charset/r first.html
      s/script-src 'sha256-[^']*'/& 'nonce-test'/" "$page"
    echo '<script nonce="test">'
    cat "$CLC_SOURCE/test/cli/view/browser.js"
    echo '</script>'
  } >page-in-frame.html
  cat >frame.html <<END
<!DOCTYPE html><meta charset="utf-8">
<pre id="found"></pre>
<script>addEventListener("message", event => { document.getElementById("found").textContent = event.data + "\nend"; });</script>
<iframe src="page-in-frame.html" style="width:${width}px; height:900px; border:0"></iframe>
END
  timeout 600 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$scratch/profile" --enable-logging=stderr \
    --window-size=1400,1000 --blink-settings=preferredColorScheme=$scheme --virtual-time-budget=20000 \
    --dump-dom "file://$scratch/frame.html" 2>console >dom
  grep -q '^end' dom || fail "$page at $width: the checks did not end: $(tail -c 500 console)"
  grep '^ok' dom | sort -u
  grep FAILED dom && fail "$page at $width: $(grep FAILED dom | head -c 1000)"
  grep 'CONSOLE' console | grep -v willReadFrequently && fail "$page at $width: the console is not empty: $(grep CONSOLE console | head -c 600)"
  true
}

# paper PAGE: how many pages it is printed on.
paper() {
  timeout 600 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" --no-pdf-header-footer \
    --virtual-time-budget=5000 --print-to-pdf=paper.pdf "file://$scratch/$1" >/dev/null 2>&1
  grep -a -c '/Type /Page$' paper.pdf
}

# The script writes numbers as the figures do.
{
  echo '<meta charset="utf-8"><pre id="found"></pre><script>'
  cat "$CLC_SOURCE/src/tools/view/page/script/numbers.js"
  echo 'let count = 0, found = "";'
  echo 'const cases = `'"$(grep -v '^#' "$CLC_SOURCE/test/unit/view/numbers.txt")"'`;'
  cat <<'END'
for (const line of cases.split("\n")) {
  const [, what, numbers, expected] = line.match(/^(\w+) ([^:]*): (.*)$/), n = numbers.split(" ").map(Number);
  const text = what === "duration" ? duration(...n) : ticks(...n).map(tick => tick[1]).join(" | ");
  if (text.replace(/\u00a0/g, " ") !== expected) found += "FAILED " + line + ", is " + text + "\n";
  ++count;
}
document.getElementById("found").textContent = found + "cases: " + (count > 20) + "\nend";
</script>
END
} >numbers.html
run 0 'timeout 600 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" --dump-dom "file://$scratch/numbers.html" 2>/dev/null | sed -n "/<pre id/,/^end/p" | grep -oE "FAILED.*|cases: .*"'
out 'cases: true'
run 0 'clc-tracegen ring --regions --events 3000 --seed 1 | clc-filter -mmd 5 --keep-original --report r.json --report-format json | clc-view --report r.json -o ring.html'
run 0 'look ring.html 1280 light 8'
out_has 'ok next backward message'
run 0 'look ring.html 1280 dark 8'
run 0 'look ring.html 400 light 8'
out_has 'ok nothing wider than the screen: 400 of 400'
small_trace >small.clct
run 0 'clc-view small.clct -o small.html'
run 0 'look small.html 1280 light 6'
out_has 'lines of operations, 3 violated'
run 0 'clc-filter -q -mmd 0.1 small.clct -o small2.clct; clc-view --before small.clct small2.clct -o both.html'
run 0 'look both.html 400 dark 7'
# The receiver did nothing in the part that is shown.
cat >part.clct <<'END'
%clc-trace 1
%resolution 1000000000
%process 10 a
%process 20 b
%process 30 c
%group 0 10 20 30
0 10 I start
1000 30 R 10 0 1 8
10000 10 E work
11000 10 S 30 0 1 8
12000 10 S 20 0 1 8
13000 20 R 10 0 1 8
14000 10 L work
END
run 0 'clc-view --from 9e-6 part.clct -o part.html'
run 0 'look part.html 1280 light 4'
out_has '1 cut at the margin'
out_has 'ok next backward message: 1 of 1: a → c, 8 bytes: took −10 µs. 0.000011 s to 0.000001 s. Tag 1, communicator 0, minimum delay 1 µs.'
# Edges between threads have a line of their own kind.
cat >threads.clct <<'END'
%clc-trace 1
%resolution 1000000000
%process 0 a
%process 1 b
%group 5 0 1 min-delay=3
1000 0 I x
2000 0 S 1 5 1 8
3000 1 R 0 5 1 8
4000 1 I x
END
run 0 'clc-view threads.clct -o threads.html'
run 0 'look threads.html 1280 light 4'
out_has '1 of threads'
# Clocks that began at different times: delays of 2^60 ticks, and one of 7 between them, keep their signs.
cat >epoch.clct <<'END'
%clc-trace 1
%resolution 1000000000
%process 0 a
%process 1 b
%process 2 c
%group 0 0 1 2
1000000000 1 I x
1000100001 1 R 0 0 1 8
1700000000000000000 0 I x
1700000000000000001 0 S 1 0 1 8
1700000000000100000 2 R 0 0 2 8
1700000000000100007 0 S 2 0 2 8
END
run 0 'clc-view epoch.clct | tee epoch.html | sed -n "s/<p class=.verdict.>//p"'
out '2 of 2 messages were received before they were sent.</p>'
run 0 'look epoch.html 1280 light 4'
out_has '1 of 2: a → b, 8 bytes: took −19,676 d.'
out_has '2 of 2: a → c, 8 bytes: took −7 ns.'
# Numbers of 64 bits are shown to the last digit.
cat >digits.clct <<'END'
%clc-trace 1
%process 0 a
%process 1 b
%process 2 c
%group 18446744073709551615 0 1
%group 9007199254740993 0 2
0 1 R 0 18446744073709551615 9223372036854775807 18446744073709551615
5000 0 S 1 18446744073709551615 9223372036854775807 18446744073709551615
10000 2 R 0 9007199254740993 -9007199254740995 9007199254740997
14000 0 S 2 9007199254740993 -9007199254740995 9007199254740997
END
run 0 'clc-view digits.clct -o digits.html; look digits.html 1280 light 3'
out_has 'minimum delay 1 µs. 2 of 2: a → c, 9,007,199,254,740,997 bytes: took −4 µs'
out_has ' Tag -9007199254740995, communicator 9007199254740993,'
out_has ' 18,446,744,073,709,551,615 bytes: took −5 µs'
out_has ' Tag 9223372036854775807, communicator 18446744073709551615,'
out_has ' | 18,446,744,073,709,551,615 | 9,223,372,036,854,775,807 | 18,446,744,073,709,551,615'
# A mean delay of zero is not below zero, of all messages and of those of the process that is picked.
cat >zero.clct <<'END'
%clc-trace 1
%process 0 a
%process 1 b
%group 0 0 1
1000 0 S 1 0 0 8
1000 1 R 0 0 0 8
4000 0 R 1 0 0 8
5000 1 S 0 0 0 8
END
run 0 'clc-view zero.clct -o zero.html; look zero.html 1280 light 2'
out_has 'ok mean delays in orange are below zero'
# The search for a region goes on from the begin of the view, then from what it found, then from the begin of the trace.
cat >search.clct <<'END'
%clc-trace 1
%process 0 a
%process 1 b
0 0 E main
1000 0 E f
1000 1 E f
1100 0 L f
1200 1 L f
5000 0 E g
5200 0 L g
9000 0 E f
9100 0 L f
10000 0 L main
END
cat >nexts <<'END'
[[0, 10000, "f", "f of a from 0.000001 s.", "f of b from 0.000001 s.", "f of a from 0.000009 s.",
  "No later one; the first: f of a from 0.000001 s."],
 [4000, 10000, "g", "g of a from 0.000005 s.", "No later one; the first: g of a from 0.000005 s."],
 [2000, 10000, "f", "f of a from 0.000009 s."],
 [9500, 10000, "f", "No later one; the first: f of a from 0.000001 s."]]
END
run 0 'clc-view search.clct -o search.html; nexts=$(cat nexts) look search.html 1280 light 2'
out_has 'ok regions are found'
# A region that begins once is found once, though several parts of the page hold it.
{
  printf '%%clc-trace 1\n%%process 0 a\n0 0 E f\n'
  for i in $(seq 40000); do echo "$i 0 I x"; done
  echo '40001 0 L f'
} >parts.clct
run 0 'clc-view parts.clct -o parts.html; nexts="[[0, 40001, \"f\", \"f of a from 0 s.\", \"No later one; the first: f of a from 0 s.\"]]" look parts.html 1280 light 2'
out_has 'ok regions are found'
# Of long names what they have in common is left out.
sed 's/rank/simulation-node017-rank-1/' small.clct >names.clct
run 0 'clc-view names.clct -o names.html'
run 0 'look names.html 1280 light 6'
out_has 'ok names are inside: 10, 11 in full: simulation-node017-rank-10, simulation-node017-rank-11'
run 0 'look names.html 400 light 6'
out_has 'ok names are inside: 10, 11 in full: simulation-node017-rank-10, simulation-node017-rank-11'
run 0 'clc-tracegen ring --seed 1 --events 500 | sed "s/^%process \([0-9]*\).*/%process \1 NODE-WORKER-RANK-\1/" | clc-filter -q -mmd 5 --keep-original | clc-view -o curves.html'
run 0 'look curves.html 1280 light 7'
out_has 'ok names of curves are apart: 8'
run 0 'look curves.html 400 light 7'
out_has 'ok names of curves are apart: 8'
# More processes than rows: a message names its processes as the trace does.
{
  printf '%%clc-trace 1\n%%resolution 1000000000\n'
  for i in $(seq 70); do echo "%process $((1000 + i)) host$i"; done
  echo "%group 0 $(seq -s ' ' 1001 1070)"
  for i in $(seq 70); do echo "$((1000 * i)) $((1000 + i)) I x"; done
  printf '%s\n' '90000 1005 R 1067 0 1 8' '95000 1067 S 1005 0 1 8'
} >hosts.clct
run 0 'clc-view hosts.clct -o hosts.html'
run 0 'look hosts.html 1280 light 4'
out_has 'ok next backward message: 1 of 1: host67 → host5, 8 bytes: took −5 µs.'
# Bars at random instants of a real trace, on both sides, against the trace as text.
cat >instants.py <<'END'
import random, sys
stacks, since, spans, origin, index = {}, {}, [], None, {}
for line in sys.stdin:
    words = line.split()
    if line.startswith("%process"): index[words[1]] = len(index)
    if line.startswith("%") or line.startswith("#"): continue
    after, process, kind = int(words[0]), words[1], words[2]
    before = next((int(word[2:]) for word in words[3:] if word.startswith("@=")), after)
    origin = after if origin is None else origin
    if kind not in "EL": continue
    stack = stacks.setdefault(process, [])
    if stack:
        spans.append((index[process], since[process], (before, after), stack[-1]))
    if kind == "E": stack.append(words[3])
    elif stack: stack.pop()
    since[process] = (before, after)
random.seed(int(sys.argv[1]))
chosen = [(p, a, b, name, side) for p, a, b, name in spans for side in (0, 1) if b[side] - a[side] > 100]
print([[p, a[side] - origin, b[side] - origin, side, name] for p, a, b, name, side in random.sample(chosen, 20)])
END
# Messages, matched first in, first out: [from, to, [sent, received] as recorded, the same corrected].
cat >messages.py <<'END'
import collections, random, sys
origin, index, waiting, found = None, {}, collections.defaultdict(collections.deque), []
for line in sys.stdin:
    words = line.split()
    if line.startswith("%process"): index[words[1]] = len(index)
    if line.startswith("%") or line.startswith("#"): continue
    after, process, kind = int(words[0]), words[1], words[2]
    before = next((int(word[2:]) for word in words[3:] if word.startswith("@=")), after)
    origin = after if origin is None else origin
    if kind not in "SR": continue
    sends = kind == "S"
    key = (process, words[3], *words[4:6]) if sends else (words[3], process, *words[4:6])
    queue = waiting[key]
    if queue and queue[0][0] != sends:
        _, b, a = queue.popleft()
        s, r = ((before, after), (b, a)) if sends else ((b, a), (before, after))
        found.append((index[key[0]], index[key[1]], s, r))
    else:
        queue.append((sends, before, after))
random.seed(int(sys.argv[1]))
near = [m for m in found if all(abs(m[3][side] - m[2][side]) < 200000 for side in (0, 1))]  # long ones are cut
print([[f, t, [s[0] - origin, r[0] - origin], [s[1] - origin, r[1] - origin]] for f, t, s, r in random.sample(near, 20)])
END
for seed in 1 2; do
  run 0 'clc-filter -q -mmd 0.5 -cldiff 50000 --keep-original "$CLC_SOURCE/data/eztrace-ring.clct.zst" -z0 -o real.clct; clc-view real.clct -o real.html; python3 instants.py '$seed' <real.clct >instants; test $(grep -o "\[" instants | wc -l) -eq 21; python3 messages.py '$seed' <real.clct >messages'
  run 0 'instants=$(cat instants) edges=$(cat messages) look real.html 1280 light 7'
  out_has 'ok 20 messages are drawn where they are in the trace'
  out_has 'ok bars at 20 instants are as in the trace'
done
# With coarse clocks many messages have the same ends and times; each counts, also those that cross borders in the page.
cat >counts.py <<'END'
import sys
exec(open("messages.py").read().split("random.seed")[0])
def count(low, high): return sum(low <= s[1] - origin and r[1] - origin <= high for _, _, s, r in found)
stretches = [(0, 1000392), (200078, 400156), (500196, 1500588), (800314, 820321)]
print([[low, high, count(low, high)] for low, high in stretches])
END
run 0 'clc-tracegen halo -n 4 --grid 2x2 --seed 14 --events 200000 --resolution 1000000 --tick 10 --delay 50 --regions | clc-filter -q --keep-original -o coarse.clct; clc-view coarse.clct -o coarse.html; python3 counts.py <coarse.clct | tee counts'
out_has '[[0, 1000392, 15392], [200078, 400156, 3081], '
run 0 'counts=$(cat counts) look coarse.html 1280 light 7'
out_has 'ok messages of 4 stretches are counted'
# Too many records to draw each of them.
run 0 'clc-tracegen halo --regions --events 200000 --seed 1 -F binary | clc-filter -mmd 5 --keep-original --report r.json --report-format json | clc-view --report r.json -o halo.html'
run 0 'look halo.html 1280 light 8'
run 0 'look halo.html 400 light 8'
# On paper two pages, with few processes and many.
clc-tracegen halo -n 300 --regions --events 60000 --seed 1 -F binary | clc-filter -q -mmd 5 --keep-original | clc-view -o hundreds.html
for page in ring halo hundreds; do
  run 0 "paper $page.html"
  out 2
done
# A trace without violations, and one without messages.
long_trace 100 >quiet.clct
run 0 'clc-view quiet.clct -o quiet.html'
run 0 'look quiet.html 400 light 2'
out_has 'ok says that there is none'

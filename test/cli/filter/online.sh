# --online: what is final leaves while the input pauses.
cat >live.py <<'PY'
"""Feeds clc-filter in steps and reads what comes out: live.py online|batch FORMAT."""
import os, select, subprocess, sys, time
online, form = sys.argv[1] == 'online', sys.argv[2]
# Microseconds; clocks 5 ms apart, messages of at least 10 ms: an event leaves within 115 ms of trace time.
events = []
for k in range(1200):
    for p in (0, 1):
        t = 500 * k + (5000 if p == 0 else 0)
        kind = 'send 1' if p == 0 and k % 40 == 0 else 'recv 0' if p == 1 and k % 40 == 22 and k > 22 else 'event tick'
        events.append((t, p, kind))
events.sort()
head = '%clc-trace 1\n%resolution 1000000\n%process 0 a\n%process 1 b\n'
options = ['-mmd', '10000', '-cldiff', '5000', '-maxerr', '5', '-q'] + (['--online', '--transfer', 'off'] if online else [])
to_text = ['clc-filter', '--online', '--no-correction', '-F', 'text', '-z0']
feed, feed_out = os.pipe()
chain = [subprocess.Popen(to_text[:3] + form.split(), stdin=feed, stdout=subprocess.PIPE)]
chain.append(subprocess.Popen(['clc-filter', *options], stdin=chain[-1].stdout, stdout=subprocess.PIPE))
chain.append(subprocess.Popen(to_text, stdin=chain[-1].stdout, stdout=subprocess.PIPE))
out = chain[-1].stdout.fileno()
os.close(feed)
seen, rest = 0, b''
def take(seconds):
    global seen, rest
    if not select.select([out], [], [], seconds)[0]: return False
    data = os.read(out, 1 << 16)
    rest += data
    *lines, rest = rest.split(b'\n')
    seen += sum(1 for line in lines if line[:1].isdigit())
    return bool(data)
os.write(feed_out, head.encode())
for step in range(0, len(events), 60):
    batch = events[step:step + 60]
    os.write(feed_out, ''.join(f'{t} {p} {kind}\n' for t, p, kind in batch).encode())
    # An event is corrected by at most 5 ms and leaves 115 ms later.
    due = sum(1 for t, _, _ in events[:step + 60] if t < batch[-1][0] - 120000)
    if online:
        until = time.monotonic() + 600
        while seen < due and time.monotonic() < until: take(1)
        if seen < due: sys.exit(f'{due} of {step + 60} events were due, {seen} came')
if not online:
    while take(1): pass
    print('while the input pauses:', seen)
os.close(feed_out)
while take(60): pass
print('in all:', seen)
sys.exit(any(process.wait() for process in chain))
PY
command -v python3 >/dev/null || skip "needs python3"
for form in '-F text' '-F binary' '-F binary -z1'; do
  run 0 "python3 live.py online '$form'"
  out 'in all: 2400'
done
# The input pauses ahead of the first event, and behind it.
paced() {
  printf '%%clc-trace 1\n%%process 0 a\n%%process 1 b\n%%group 0 0 1\n'
  sleep 0.3
  printf '# the first\n1000 0 S 1 0 7 64\n'
  sleep 0.3
  printf '1000000000000000 1 R 0 0 7 64\n'
}
for threads in 1 3; do
  run 0 "paced | clc-filter --online --threads $threads --no-provenance"
  out '%clc-trace 1
%process 0 a
%process 1 b
%group 0 0 1
# the first
1000 0 S 1 0 7 64
1000000000000000 1 R 0 0 7 64'
done
# Without it nothing leaves before the end.
run 0 "python3 live.py batch '-F text'"
out 'while the input pauses: 0
in all: 2400'
# By the clock of the machine events leave although no record lets them, and a record that is older then is counted.
cat >proof.py <<'PY'
"""Writes records one by one until some have left, then two that are as old."""
import select, subprocess, sys
filter = subprocess.Popen(['clc-filter', '--online', '--no-provenance', '-maxerr', '50', *sys.argv[1:]],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def write(text):
    filter.stdin.write(text.encode())
    filter.stdin.flush()
write('%clc-trace 1\n%resolution 1000000\n%process 0 a\n%process 1 b\n%group 0 0 1\n')
text, time = b'', 1000
while not any(line[:1].isdigit() for line in text.decode().splitlines()):
    time += 1
    if time > 3000: sys.exit('nothing leaves')  # behind that, records would let events leave
    write(f'{time} {time % 2} I\n')
    if select.select([filter.stdout], [], [], 0.1)[0]: text += filter.stdout.read1(1 << 16)
write(f'{time + 1} 0 S 1 0 7 64\n{time + 2} 1 R 0 0 7 64\n')
filter.stdin.close()
text += filter.stdout.read()
lines = [line.split() for line in text.decode().splitlines() if line[0] != '%']
print(len(lines) == time - 1000 + 2, all(int(line[0]) > time + 3000 for line in lines[-2:]), lines[-2][2], lines[-1][2])
sys.exit(filter.wait())
PY
run 0 'python3 proof.py --transfer 1000 --report report --report-format json'
out 'True True S R'
err_has 'records came too late and were taken at the time that the input had reached; use a longer --transfer'
run 0 'grep -A 5 "\"online\": {" report | grep -cE "\"(transfer_us\": 1000,|largest_stay_us\": [1-9]|lag_us\": [0-9]|late_by_us\": [1-9])"'
out 4
run 2 'clc-filter --transfer 5 in.clct'
err 'clc-filter: --transfer makes no sense without --online*'
run 2 'clc-filter --online --transfer 5 --sort-window 3 in.clct'
err_has '--transfer: has no effect with --sort-window, --offsets or --look-ahead'
run 2 'clc-filter --online --match whole in.clct'
err 'clc-filter: --match whole reads the trace twice, which --online cannot; give --match fifo or resync*'
run 2 'clc-filter --online -f otf2 x'

err 'clc-filter: --online: an archive cannot be live input*'
if clc-filter --version | grep -q libotf2; then  # also when it is found by content
  run 0 'clc-tracegen ring --seed 1 --events 100 -F otf2 -o archive'
  run 2 'clc-filter --online archive -o corrected'
  err 'clc-filter: --online: an archive cannot be live input*'
  run 1 'test -e corrected'
fi
# The header is written once, also where a map holds it back while the input pauses.
printf '%%offset 0 0 5\n' >map
run 0 '(small_trace | head -8; sleep 0.5; small_trace | tail -n +9) | clc-filter -q --online --offsets map | grep -c "^%clc-trace"'
out 1
# Traces whose time passes more slowly than that of the filter.
run 0 '{ printf "%%clc-trace 1\n%%resolution 1000000\n%%process 0 a\n0 0 I\n"; sleep 0.2; printf "10 0 I\n"; sleep 1; printf "20 0 I\n"; sleep 1; printf "30 0 I\n"; } |
  clc-filter -q --online --dry-run --report report --report-format json'
run 0 "sed -n '/\"key\"/p' report | tr -d ' \n'; grep -c '^  \"verdict\": \"bad\"' report"
out '"key":"late_records",1'

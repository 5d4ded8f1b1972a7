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
options = ['-mmd', '10000', '-cldiff', '5000', '-maxerr', '5', '-q'] + (['--online'] if online else [])
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
  printf '500000000 1 R 0 0 7 64\n'
}
for threads in 1 3; do
  run 0 "paced | clc-filter --online --threads $threads --no-provenance"
  out '%clc-trace 1
%process 0 a
%process 1 b
%group 0 0 1
# the first
1000 0 S 1 0 7 64
500000000 1 R 0 0 7 64'
done
# Without it nothing leaves before the end.
run 0 "python3 live.py batch '-F text'"
out 'while the input pauses: 0
in all: 2400'
run 2 'clc-filter --online -f otf2 x'
err 'clc-filter: --online: an archive cannot be live input*'
if clc-filter --version | grep -q libotf2; then  # also when it is found by content
  run 0 'clc-tracegen ring --seed 1 --events 100 -F otf2 -o archive'
  run 2 'clc-filter --online archive -o corrected'
  err 'clc-filter: --online: an archive cannot be live input*'
  run 1 'test -e corrected'
fi

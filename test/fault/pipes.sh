# Full disks, slow readers, signals in the middle.
small_trace >in.clct
long_trace 100000 >long.clct
clc-filter -q --no-provenance long.clct -o expected

# No room.
for command in 'clc-filter in.clct' 'clc-filter --help' 'clc-filter --version' 'clc-filter -F binary -z in.clct' \
  'clc-filter --dry-run --report - in.clct' 'clc-check in.clct' 'clc-check --report-format json in.clct' \
  'clc-tracegen ring --events 10 --seed 1'; do
  run 1 "$command >/dev/full"
  err "${command%% *}: standard output: cannot *"
done
run 1 'clc-filter in.clct -o out --report /dev/full'
err 'clc-filter: /dev/full: cannot be written: No space left on device*'
rm -f out
for option in '' '-F binary'; do
  run 1 "ulimit -f 100; clc-filter $option --report report long.clct -o out"
  err 'clc-filter: out: cannot be written: File too large'
done
run 1 'ulimit -f 10; clc-filter -z --report report long.clct -o out'
err 'clc-filter: out: cannot be written: File too large'
run 1 'ulimit -f 100; clc-tracegen ring --events 100000 --seed 1 -o out'
err 'clc-tracegen: out: cannot be written: File too large'
no_more_files in.clct long.clct expected

# A reader that takes its time gets all; one that leaves early, or a file that grows in pieces, does no harm.
slow() {
  local piece=piece.$BASHPID
  while dd bs=65536 count=1 iflag=fullblock status=none >"$piece" && [ -s "$piece" ]; do cat "$piece"; sleep 0.005; done
  rm "$piece"
}
run 0 'clc-filter -q --no-provenance long.clct | slow | cmp - expected'
run 0 'slow <long.clct | clc-filter -q --no-provenance | cmp - expected'
run 0 'slow <long.clct | clc-filter -q --no-provenance -z | slow | zstd -dc | cmp - expected'
run 141 'clc-filter -q long.clct --report report | { head -c 100000; sleep 0.1; } >/dev/null; exit ${PIPESTATUS[0]}'
no_more_files in.clct long.clct expected

# Signals while the output is blocked by a reader that does not read, and while a file is written.
mkfifo pipe
for signal in INT:130 TERM:143 HUP:129; do
  run "${signal#*:}" "set -m
    clc-filter -q -F text --report report long.clct --delta 1 >pipe & filter=\$!
    exec 3<pipe; sleep 0.3
    kill -${signal%:*} \$filter; wait \$filter 2>/dev/null"
  run "${signal#*:}" "set -m
    clc-tracegen halo --events 1e9 --seed 1 -o out --truth true & generator=\$!
    for i in \$(seq 6000); do [ \$(ls -A | grep -c 'tmp\$') -eq 2 ] && break; sleep 0.05; done
    [ \$(ls -A | grep -c 'tmp\$') -eq 2 ] || echo 'no files under construction'
    kill -${signal%:*} \$generator; wait \$generator 2>/dev/null"
  out ''
  no_more_files in.clct long.clct expected
done

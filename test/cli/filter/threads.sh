# --threads: with any number of them the same bytes, the same words and the same status.
clc-tracegen halo -n 9 --events 30000 --seed 1 --offset 50 -o plain.clct
clc-tracegen halo -n 4 --events 200000 --seed 1 -o long.clct
# Definitions between the records: a process that comes late, names that change, a communicator with other members,
# comments.
awk '{ print } NR > 100 && NR % 997 == 0 { printf "# comment %d\n", NR }
  NR > 100 && NR % 2500 == 0 { printf "%%process %d late%d\n%%process 1 again%d\n", 1000 + NR, NR, NR
    printf "%%group 77 0 %d\n%s %d I first\n", 1000 + NR, $1, 1000 + NR }' plain.clct >late.clct
head -c 500000 late.clct >cut.clct
awk 'NR == 20000 { print "12 nobody E" } { print }' late.clct >bad.clct
awk 'NR == 20000 { print "%group 77 9999" } { print }' late.clct >bad_group.clct
awk 'NR == 20000 { print "12 0 E early" } { print }' late.clct >unsorted.clct
awk 'NR == 20000 { printf "%c", 0 } { print }' late.clct >zero.clct
clc-filter -q --no-correction -F binary late.clct -o late.clcb
clc-filter -q --no-correction -F binary -z1 late.clct -o late.zst
clc-filter -q --no-correction -F text -z1 late.clct -o text.zst
clc-filter -q --no-correction -F paje plain.clct -o plain.trace
for name in late.clcb late.zst plain.trace; do head -c "$(($(stat -c %s "$name") * 2 / 3))" "$name" >"cut.$name"; done
{ head -c 100000 late.zst && head -c 100 /dev/zero && tail -c +100101 late.zst; } >damaged.zst

. "$CLC_SOURCE/test/cli/filter/threads.bash"

for name in late.clct late.clcb late.zst text.zst plain.trace; do
  same "clc-filter --threads N -mmd 1 -cldiff 50 $name --report report"
  status_was 0
  grep -q 'Violations of the clock condition' stderr.1 || fail 'no report was compared'
  for options in '-F text -z0' '-F binary -z0 --keep-original' '-F paje -z1' '-F chrome -z0 --keep-original'; do
    same "clc-filter --threads N -mmd 1 -cldiff 50 $options $name"
    status_was 0
  done
  same "clc-filter --threads N --no-correction -F text -z0 $name"
  status_was 0
done
same 'clc-filter --threads N -mmd 1 --max-shift 1 --sort-window 5 late.clct --report report --report-format json'
status_was 0
same 'clc-filter --threads N -mmd 1 --dry-run late.zst --report report'
status_was 0
same 'cat late.zst | clc-filter --threads N -mmd 1 | cat'
status_was 0
same 'clc-filter --threads N --online -mmd 1 late.clct'
status_was 0
same 'clc-filter --threads N --no-correction long.clct | head -c 1000; exit "${PIPESTATUS[0]}"'
status_was 141
same 'clc-filter --threads N -mmd 1 long.clct -F binary -z | head -c 1000; exit "${PIPESTATUS[0]}"'
status_was 141

# What is wrong is found at the same place, and all before it is written.
for name in cut.clct cut.late.clcb cut.late.zst cut.plain.trace bad.clct bad_group.clct unsorted.clct zero.clct \
  damaged.zst; do
  same "clc-filter --threads N -mmd 1 -F text -z0 $name --report report"
  status_was 1
  [ "$(wc -l <stdout.1)" -gt 1000 ] || fail "$name: little was written"
done
same 'clc-filter --threads N --sort-window 0.001 unsorted.clct'
status_was 1

# What cannot be written.
for format in text binary paje 'text -z'; do
  same "clc-filter --threads N -F $format late.clct >/dev/full"
  status_was 1
  same "clc-filter --threads N --no-correction -F $format late.clct >/dev/full"
  status_was 1
  for name in late.clct bad.clct; do
    same "ulimit -f 20; clc-filter --threads N -F $format $name -o out --report report"
    status_was 1
    ls -A | grep -E '^(report|\.?out.*)$' && fail 'files are left'
  done
done
same 'clc-filter --threads N late.clct -o missing/out'
status_was 1

# Nobody waits for input that does not come when there is nothing to write to.
mkfifo pipe
exec 3<>pipe
for n in 1 2 3; do
  cat late.clct late.clct >pipe 2>/dev/null & feeder=$!
  run 1 "timeout 600 clc-filter --threads $n --no-correction <pipe >/dev/full"
  err 'clc-filter: standard output: cannot be written: No space left on device*'
  kill $feeder 2>/dev/null
  wait $feeder 2>/dev/null
  dd if=pipe iflag=nonblock of=/dev/null bs=1M 2>/dev/null
done
exec 3<&-

# Descriptors that are closed stay closed.
same 'timeout 600 clc-filter --threads N <&-'
status_was 1
if ! under_valgrind; then  # which opens a file of its own in its place
  same 'timeout 600 clc-filter --threads N late.clct >&-'
  status_was 1
fi

# Without room for threads there are none.
run 0 'clc-filter -q --no-provenance --threads 1 late.clct -o expected'
run 0 'taskset 1 clc-filter -q --no-provenance late.clct | cmp - expected'
run 2 'clc-filter --threads 1025 late.clct'
err 'clc-filter: --threads: expected*'
run 2 'clc-filter --threads 0 late.clct'
err 'clc-filter: --threads: expected*'
run 2 'clc-filter --threads many late.clct'
err 'clc-filter: --threads: expected*'

# A map whose points do not cover the trace: lines go on, and records are put in order by them, in archives as well.
run 0 'clc-tracegen halo -n 4 --events 40000 --seed 1 -o t.clcb'
last=$(clc-filter -q --no-correction t.clcb -F text | tail -n 1 | cut -d ' ' -f 1)
printf '%%offset 0 0 500\n%%offset 1 0 -300\n%%offset 1 %s 400.25\n%%offset 2 0 7\n%%offset 2 1000 -3\n' $((last / 100)) >some
run 0 'clc-filter -q --offsets some t.clcb -o out.clcb && clc-check -q t.clcb out.clcb'
out_has 'law 1 clock condition: ok'
run 0 'clc-filter -q --no-correction t.clcb -F otf2 -o in && timeout 60 clc-filter -q --offsets some in -o out'
run 0 'clc-filter -q --no-correction out -F text | grep "^[0-9]" >archive; clc-filter -q --no-correction out.clcb -F text | grep "^[0-9]" | cut -d " " -f 1 | sort -n >text; cut -d " " -f 1 archive | sort -n | cmp text -'

# Not enough memory to wait for what is still to come: an error, no hang and no half archive.
printf '%%offset 0 0 0\n%%offset 0 1000 -900\n' >steep
run 1 "timeout 60 clc-filter -q --max-memory 1M --offsets steep in -o half"
err 'clc-filter: in/traces.otf2: *sort window because more than * bytes were buffered, expected less disorder; raise --max-memory, or sort the trace'
[ ! -e half ] || fail 'left: half'

# Processes that share a clock are mapped together, whichever of them has the lines.
{
  printf '%%clc-trace 1\n%%min-delay 10\n%%process 0\n%%process 1\n%%process 2 clock=1\n%%group 0 0 1\n'
  printf '%s\n' '1000 1 E region' '1010 2 E work' '1020 2 L work' '1030 1 L region' '6000 0 S 1 0 7 8' '6000 1 I x'
} >shared
for process in 1 2; do
  run 0 "echo '%offset $process 0 5000' >one; clc-filter -q --no-provenance --offsets one shared -o shared.out; grep -v ^% shared.out | sort -n"
  out '6000 0 S 1 0 7 8
6000 1 E region
6010 2 E work
6020 2 L work
6030 1 L region
11000 1 I x'
  run 0 'clc-check -q --offsets one shared shared.out && clc-filter -q --offsets one shared | clc-check -q shared -'
  out_has 'law 1 clock condition: ok'
done
# Lines of several of them count together; they may say the same, but not contradict each other.
run 0 "printf '%%offset 1 1000 5000\\n%%offset 2 1000 5000\\n%%offset 2 2000 6000\\n' >both; clc-filter -q --no-provenance --offsets both shared | grep -v ^% | sort -n"
out '6000 0 S 1 0 7 8
6000 1 E region
6020 2 E work
6040 2 L work
6060 1 L region
16000 1 I x'
run 1 "printf '%%offset 1 0 5000\\n%%offset 2 0 -900\\n' >contradict; clc-filter --offsets contradict shared"
err 'clc-filter: contradict: found another offset of process 2 at time 0 than of process 1, which has the same clock, expected one for each time of a clock; remove one of the lines'
# One that is defined later has the line of its clock, or an error says so.
sed '/^%process 2/d; /^1000/s/$/\n%process 2 clock=1/' shared >later
run 0 "echo '%offset 1 0 5000' >one; clc-filter -q --no-provenance --offsets one later | grep -v ^% | cmp - <(clc-filter -q --no-provenance --offsets one shared | grep -v ^%)"
run 0 'clc-filter -q --offsets one later | clc-check -q later -'
out_has 'law 1 clock condition: ok'
run 1 "echo '%offset 2 0 5000' >one; clc-filter -q --offsets one later >part"
err_has 'process 2: found %offset lines of a process that is defined after the first record and shares the clock of process 1, expected the lines of that one; correct or remove them'
if clc-filter --version | grep -q libotf2; then
  # Each location of the clock gets its clock offsets.
  run 0 'clc-filter -q --no-correction -F otf2 shared -o shared.otf2 && clc-filter -q --offsets both --write-offsets shared.otf2 -o mapped.otf2; clc-filter -q --no-correction --no-provenance -F text mapped.otf2 | grep -c "^60[024]0 [12] "'
  out 3
fi

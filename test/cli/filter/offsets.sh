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
err 'clc-filter: in/traces.otf2: *sort window because more than * bytes waited there, expected less disorder; raise --max-memory, or sort the trace'
[ ! -e half ] || fail 'left: half'

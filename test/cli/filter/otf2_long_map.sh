# Maps of many points are longer than the properties of an archive: they are kept, also by further corrections.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
copy='clc-filter --no-correction --no-provenance'
run 0 'clc-tracegen halo -n 2 --events 1000 --seed 3 -F otf2 -o a'
for process in 0 1; do
  for ((i = 0; i < 10000; ++i)); do echo "%offset $process ${i}00000 $((i % 7)).5"; done
done >offsets
run 0 'clc-filter -q --offsets offsets a -o b'
run 0 '[ "$(wc -c <b/traces.otf2)" -lt 10000 ]'
provenance() { $copy -F text "$1" | grep '^%provenance'; }
run 0 'provenance b | grep -c "^%provenance offset "'
out 20000
# So is the map, by which archives are judged.
run 0 'clc-check a b'
run 0 'clc-filter -q --offsets offsets b -o c && provenance c | grep -c "^%provenance offset "'
out 40000
run 0 'provenance c | tail -n +20002 | cmp - <(provenance b)'
# Through another format.
run 0 "$copy -F text b | $copy -F otf2 -o d; cmp <($copy -F text b) <($copy -F text d)"

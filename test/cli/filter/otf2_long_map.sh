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
# Lines that look as if they named strings are lines, at any place of a short text and of a long one.
run 0 "(echo '%clc-trace 1'; echo '%provenance clc strings 0 2'; echo '%process 0 a'; echo '5 0 I') >e; $copy -F otf2 e -o f; provenance f"
out '%provenance clc strings 0 2'
run 0 "(head -n 1 e; sed -n 2p e; provenance b; sed -n 2p e; tail -n 2 e) >g; $copy -F otf2 g -o h; provenance h | cmp - <(grep '^%provenance' g)"
# Through another format.
run 0 "$copy -F text b | $copy -F otf2 -o d; cmp <($copy -F text b) <($copy -F text d)"

# A seed makes a trace, byte for byte; a trace says its seed.
for format in '-F text' '-F binary' '-F text -z1' '-F binary -z'; do
  run 0 "clc-tracegen random --seed 7 --events 20000 $format -o first"
  run 0 "clc-tracegen random --seed 7 --events 20000 $format | cmp - first"
  run 1 "clc-tracegen random --seed 8 --events 20000 $format | cmp -s - first"
done

run 0 'clc-tracegen master-worker --events 2000 --wander 5 -o drawn'
run 0 'sed -n "s/^%provenance //p" drawn'
out_has 'clc-tracegen 0.'
out_has 'master-worker --events 2000 --wander 5 --seed'
run 0 '$(sed -n "s/^%provenance clc-tracegen [^ ]*/clc-tracegen/p" drawn) | cmp - drawn'
# Standard error says it where the trace does not.
run 0 'clc-tracegen ring --events 200 --no-provenance -o drawn 2>seed; cat seed >&2; ! grep provenance drawn'
err 'clc-tracegen: seed *'
run 0 'clc-tracegen ring --events 200 --no-provenance --seed $(cut -d" " -f3 seed) | cmp - drawn'

# The same on every machine and with every compiler: compare with the golden files.
run 0 'clc-tracegen ring -n 3 --seed 1 --events 40 --wander 10 --temperature 5:0.1 --no-provenance'
out_like ring.clct
run 0 'clc-tracegen collectives -n 3 --seed 2 --events 60 --nonblocking 30 --ntp 0.0001:5 --tick 1 --no-provenance'
out_like collectives.clct
run 0 'clc-tracegen scenario2 --seed 3 --events 16 --no-provenance --start epoch'
out_like scenario2.clct
run 0 'clc-tracegen halo --grid 2x2 --nodes 2 --seed 4 --events 70 --steps 5:50 --regions --no-provenance --start -5000000'
out_like halo.clct

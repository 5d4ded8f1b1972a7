# What the simulated clocks do to a trace, as another program sees it.
run 0 'clc-tracegen halo --seed 1 --events 50000 --offset 0 --drift 0 -o exact.clct'
run 0 'clc-check exact.clct'
for scenario in halo finite-elements ring pairs master-worker random collectives coarse-clock scenario2; do
  run 0 "clc-tracegen $scenario --seed 1 --events 20000 --truth truth -o recorded"
  run 1 'clc-check recorded -mmd 1'
done
# Defects are found and counted, and nothing else is.
run 0 'clc-tracegen ring --seed 1 --events 20000 --offset 0 --drift 0 --lose-receives 1 -o lost.clct'
run 0 'grep -c " S " lost.clct >sends; grep -c " R " lost.clct >receives; [ $(cat sends) -gt $(cat receives) ]'
run 0 'clc-check lost.clct'
out_has "Not matched
  sends never received  $(($(cat sends) - $(cat receives)))"

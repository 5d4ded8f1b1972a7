# Figures of the report that are of all messages, of the whole correction, or said to be of less.
json() { clc-filter -q --dry-run --report - --report-format json "$@" | tr -d ' ,' | tr '\n' ' '; }
sorted() { awk '/^%/ {print; next} {print | "sort -n -s"}'; }
figure() {
  local name=$1
  shift
  json "$@" | grep -o "\"$name\":[^ ]*"
}

# Messages take 50 us, but 10 us in four of 500 exchanges; the clock of process 1 is 500 us ahead.
awk 'BEGIN {
  print "%clc-trace 1\n%resolution 1000000\n%process 0\n%process 1\n%group 0 0 1"
  for (t = k = 0; k < 500; ++k) {
    d = k == 100 || k == 204 || k == 300 || k == 404 ? 10 : 50
    print t " 0 S 1 0 0 8\n" t + d + 500 " 1 R 0 0 0 8\n" t + d + 501 " 1 S 0 0 0 8\n" t + 2 * d + 1 " 0 R 1 0 0 8"
    t += 2 * d + 2
  }
}' | sorted >exchanges.clct
run 0 'figure round_trips exchanges.clct; figure shortest_us exchanges.clct; figure advice_mmd_us exchanges.clct'
out '"round_trips":999
"shortest_us":10
"advice_mmd_us":8'
run 0 'clc-filter -mmd 40 exchanges.clct -o o.clct'
err_has 'the minimum message delay of 40 us is too large: 1.201 % of 999 round trips are faster'
# clc-check finds as many.
run 0 'clc-check exchanges.clct o.clct'
out_has 'the minimum message delay of 40 us is too large: 1.201 % of 999 round trips are faster'

# What is steep is that whichever way the clock runs.
clc-tracegen pairs --events 2000 --seed 9 -n 4 --offset 2000 --drift 50 -o drift.clct
for way in '' '--from 0' '--to 100' --backwards '--combine mean'; do
  run 0 'figure steep_percent drift.clct $way'
  out '"steep_percent":0'
done
run 1 'figure steep_percent -maxerr 0.000001 drift.clct --backwards | grep -x "\"steep_percent\":0"'

# Corrections are compared at some moments only: a clock is 2 ms ahead for 50 ms of 10 s.
awk 'BEGIN {
  print "%clc-trace 1\n%resolution 1000000\n%process 0\n%process 1\n%group 0 0 1"
  for (k = 0; k < 10000; ++k) {
    t = 1000 * k
    ahead = t >= 5550000 && t < 5600000 ? 2000 : 0
    print t + ahead " 0 S 1 0 0 8\n" t + 10 " 1 R 0 0 0 8\n" t + 500 " 1 S 0 0 0 8\n" t + 510 + ahead " 0 R 1 0 0 8"
  }
}' | sorted >ahead.clct
run 0 'clc-filter -q -mmd 10 --dry-run --report - ahead.clct | grep -e "largest correction" -e "corrections of two"'
out_has 'moments of equal distance, corrections of two processes differ by up to 4.000 us'
out_has 'largest correction 2000.000 us'

# Messages of a communicator with a minimum delay of its own count in no pair; the text says so.
clc-tracegen master-worker -n 6 --events 400 --seed 3 | sed 's/^%group 0 .*/& min-delay=4000/' >own.clct
run 0 'clc-filter -q --dry-run --report - own.clct | grep -A 1 -e "counted in no pair" -e "counted messages"'
out_has ' messages, '
out_has 'counted in no pair: their communicator has a minimum
  delay of its own, or their send came late'
out_has 'Minimal message delay between 2 processes: no pair has counted messages in both directions'
run 1 'clc-filter -q --dry-run --report - own.clct | grep "by pair"'

# Intervals of length 0 that got a length have no relative error.
printf '%%clc-trace 1\n%%resolution 1000000\n%%process 0\n%%process 1\n%%group 0 0 1\n' >ties.clct
printf '%s\n' '0 1 E a' '0 1 R 0 0 0 8' '50 0 S 1 0 0 8' '60 0 E b' >>ties.clct
run 0 'clc-filter -q -mmd 10 --no-amortization --dry-run --report - ties.clct | grep "at a receive"'
out '             1 end at a receive: avg. = 60.000 us; max. = 60.000 us; 1 had length 0'
run 0 'json -mmd 10 --no-amortization ties.clct | grep -o "\"at_receives\":[^}]*"'
out '"at_receives":{ "count":1 "stretched_ties":1 "average_us":60 "largest_us":60 "average_percent":null "largest_percent":null '

# The remedy names the option that did it, in clc-filter, clc-check and clc-view.
clc-tracegen master-worker --events 1000 --seed 3 -n 6 --ntp 0.01:20 -o apart.clct
run 0 'clc-filter apart.clct --delta 30 -o o.clct'
err_has 'use a smaller --delta, or check'
run 0 'clc-check apart.clct o.clct'
out_has 'use a smaller --delta, or check'
run 0 'clc-view --text --before apart.clct o.clct | tr "\n" " " | tr -s " "'
out_has 'use a smaller --delta, or check'

# Facts of real traces, measured independently; runs where the traces are.
found=
run_filter() { clc-filter --no-provenance "$@" --report report -o out; }
if [ -e "$data/cloverleaf-drift.clct.zst" ]; then
  found=yes
  run 0 'run_filter -mmd 1 "$data/cloverleaf-drift.clct.zst"; cat report'
  out_has '137,954 events of 6 processes, 302 messages, 104 collective operations'
  out_has '10 received before sent'
  out_has 'delay -10.216 us'
  out_has '71 of 188 ordered pairs violated'
  out_has 'delay -36.937 us'
  out_has 'Violations left in the output: 0'
  out_has '40 jumps of the forward clock, largest 7.537 us'
  out_has 'largest correction 37.937 us'
  out_has '0 % <= error <= 0.267 % : avg. = 0.00034 %'
  run 0 'clc-filter --dry-run --report - -mmd 1 out'
  out_has 'messages     0 of 302 violated'
  out_has 'collectives  0 of 188 ordered pairs violated'
fi
if [ -e "$data/eztrace-ring.clct.zst" ]; then
  found=yes
  run 0 'run_filter -mmd 0.5 -cldiff 50000 "$data/eztrace-ring.clct.zst"; cat report'
  err 'clc-filter: warning: 240 sends were never received'
  out_has '78,760 events of 4 processes, 12,000 messages, 301 collective operations'
  out_has '5,996 received before sent'
  out_has 'Violations left in the output: 0'
  out_has '240 sends were never received'
  run 3 'clc-filter -q --dry-run --strict --report - -mmd 0.5 out'
  out_has 'messages     0 of 12,000 violated'
  err '*--strict: 240 cases*'
fi
if [ -e "$data/stencil4d-32.clct.zst" ]; then
  found=yes
  run 0 'clc-filter --no-provenance -mmd 1 -z0 "$data/stencil4d-32.clct.zst" | cmp - <(zstdcat "$data/stencil4d-32.clct.zst")'
fi
[ -n "$found" ] || skip "no traces in $data"

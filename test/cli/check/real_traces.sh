# Facts of real traces, measured independently of this program. They are other people's data and not part
# of the project: looked for in CLC_DATA, else in ../shared/data beside the source.
[ -e "$data/cloverleaf-drift.clct.zst" ] || skip "no real traces in $data"

# CloverLeaf on two nodes with drifting clocks.
run 1 'clc-check -mmd 1 "$data/cloverleaf-drift.clct.zst" | tr -s " "; exit ${PIPESTATUS[0]}'
out_has '137,954 events of 6 processes'
out_has ' messages 302 10 12 -10.2156'
out_has ' collective operations (104) 188 71 71 -36.9368'
out_has 'Not matched: nothing'

# A ring recorded by EZTrace, each clock from its own zero.
run 1 'clc-check -mmd 0.5 "$data/eztrace-ring.clct.zst" | tr -s " "; exit ${PIPESTATUS[0]}'
out_has '78,760 events of 4 processes'
out_has ' messages 12,000 5,996 5,996 -40898'
out_has ' collective operations (301) 3,612 1,794 1,794 -40970.1'
out_has ' sends never received 240'

# A 4-D stencil without violation.
run 0 'clc-check -mmd 1 "$data/stencil4d-32.clct.zst" | tr -s " "; exit ${PIPESTATUS[0]}'
out_has '4,324 events of 32 processes'
out_has ' messages 512 0 0 18.2484'
out_has 'Not matched: nothing'

# Their corrections keep the laws.
command -v clc-filter >/dev/null || skip 'no clc-filter'
run 0 'clc-filter -q -mmd 1 "$data/cloverleaf-drift.clct.zst" -o corrected'
run 0 'clc-check -mmd 1 "$data/cloverleaf-drift.clct.zst" corrected'
out_has 'largest 37.9368 us'
out_has ' 0.000340824 %   0.266667 %'
run 0 'clc-filter -q -mmd 0.5 -cldiff 50000 "$data/eztrace-ring.clct.zst" -o corrected'
run 0 'clc-check -mmd 0.5 "$data/eztrace-ring.clct.zst" corrected'
run 0 'clc-filter -q -mmd 1 "$data/stencil4d-32.clct.zst" -o corrected'
run 0 'clc-check -mmd 1 "$data/stencil4d-32.clct.zst" corrected'
out_has 'law 4 unchanged where nothing is violated: ok (4,324 events)'

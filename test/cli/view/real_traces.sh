# Pages of real traces, and the figures that are known of them.
page() { clc-view "$@" | sed 's/\xc2\xa0/ /g'; }
run 0 'clc-filter -q -mmd 0.5 -cldiff 50000 --keep-original "$CLC_SOURCE/data/eztrace-ring.clct.zst" | clc-view -o ring.html; cat ring.html'
out_has '5,996 of 12,000 messages were received before they were sent. 0 after correction.'
out_has '70,662 of 78,756'
[ -d "$data" ] || skip "no traces in $data"
run 0 'clc-filter -q -mmd 1 "$data/cloverleaf-drift.clct.zst" -o c.clct; page --before "$data/cloverleaf-drift.clct.zst" c.clct'
out_has '10 of 302 messages were received before they were sent. 0 after correction.'
out_has '<td class="bad">71 of 188</td><td>0 of 188</td>'
out_has '37.9 µs'
run 0 'page -mmd 1 "$data/stencil4d-32.clct.zst"'
out_has 'No message was received before it was sent.'
out_has '<td>512</td>'
out_has '<td>18.2 µs</td>'

# Who wrote the output, with which options; nobody when asked not to say.
small_trace >in.clct
version=$(clc-filter --version | head -1)
run 0 'clc-filter -mmd 0.1 in.clct | sed -n 2p'
out "%provenance $version -mmd 0.1 -maxerr 0.5 -cldiff 1000 --match resync --regulators-as evidence --wait-limit 10 --max-memory 1073741824"
run 0 'clc-filter -mmd 0.1 in.clct | clc-filter -mmd 0.1 | grep -c "^%provenance"'
out 2
run 0 'clc-filter -mmd 0.1 --no-provenance in.clct | grep -c provenance; true'
out 0
run 0 'clc-filter -mmd 0.1 -F binary in.clct | clc-filter -F text --no-correction --no-provenance | sed -n 2p'
out_has "%provenance $version -mmd 0.1 "
# The trace's own minimum delay, unless told otherwise.
sed '2a %min-delay 250' in.clct >own.clct
run 0 'clc-filter own.clct | sed -n 2p'
out_has ' -mmd 0.25 '
run 0 'clc-filter -mmd 0.5 own.clct | sed -n 2p'
out_has ' -mmd 0.5 '
run 0 'clc-filter in.clct | sed -n 2p'
out_has ' -mmd 1 '
# Lost records are looked for, but not where that would delay events or is not possible.
for option in --online '--backwards --match fifo' '--match fifo'; do
  run 0 "clc-filter $option in.clct | sed -n 2p"
  out_has ' --match fifo '
done
for option in --backwards '--to 1'; do
  run 0 "clc-filter $option in.clct | sed -n 2p"
  out_has ' --match whole '
done
run 0 'clc-filter --online --match resync in.clct | sed -n 2p'
out_has ' --match resync '
run 0 'clc-filter --no-correction in.clct | sed -n 2p'
out "%provenance $version --no-correction"
# The recorded time beside the corrected one.
run 0 'clc-filter -mmd 0.1 --keep-original --no-provenance in.clct | grep " R 0 4 77"'
out '2800 1 R 0 4 77 64 @=1900'

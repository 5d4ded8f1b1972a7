# Spellings, misspellings, help and version.
small_trace >in.clct
run 0 'clc-filter -mmd 0.1 --no-provenance in.clct -o expected'
for spelling in '-mmd 0.1' '--mmd 0.1' '-mmd=0.1' '--mmd=0.1'; do
  run 0 "clc-filter $spelling -no-provenance in.clct | cmp - expected"
done
run 0 'clc-filter -mmd 100 -mmd 0:1=0.1 --mmd=1:0=0.1 -dry-run -q in.clct'
run 0 'clc-filter -vq --dry-run in.clct'
err_has 'Violations of the clock condition in the input'

run 2 'clc-filter --mdm 3 in.clct'
err 'clc-filter: unknown option --mdm, did you mean -mmd? (see clc-filter --help)'
run 2 'clc-filter -dryrun in.clct'
err 'clc-filter: unknown option -dryrun, did you mean --dry-run? (see clc-filter --help)'
run 2 'clc-filter --nonsense'
err 'clc-filter: unknown option --nonsense (see clc-filter --help)'
run 2 'clc-filter ---z in.clct'
err 'clc-filter: unknown option ---z (see clc-filter --help)'
run 2 'clc-filter -mmd'
err 'clc-filter: -mmd needs a value (see clc-filter --help)'
run 2 'clc-filter -mmd fast in.clct'
err "clc-filter: -mmd: expected a number of microseconds, found 'fast' (see clc-filter --help)"
run 2 'clc-filter -mmd -1 in.clct'
err "clc-filter: -mmd: expected 0 or more microseconds, found '-1'*"
run 2 'clc-filter -maxerr 0 in.clct'
err "clc-filter: -maxerr: expected more than 0 and at most 100 percent, found '0'*"
run 2 'clc-filter --bandwidth 0 in.clct'
err "clc-filter: --bandwidth: expected more than 0 MB/s, found '0'*"
run 2 'clc-filter --gamma-max 2 in.clct'
err "clc-filter: --gamma-max: expected a number from 0 to 1, found '2'*"
run 2 'clc-filter --gamma-max 0.5 --gamma-min 0.6 in.clct'
err 'clc-filter: --gamma-min: expected at most --gamma-max, found 0.6*'
run 0 'clc-filter -q -o=adjoined -F=text -z=0 in.clct && rm adjoined'
run 2 'clc-filter -F otf3 in.clct'
err "clc-filter: -F: expected text, binary, otf2, paje or chrome, found 'otf3'*"
run 1 'clc-filter in.clct other.clct'
err 'clc-filter: other.clct: cannot be opened: No such file or directory; check the name'
run 2 'clc-filter --max-memory 10 in.clct'
err "clc-filter: --max-memory: expected at least 1M, found '10'*"
run 2 'clc-filter --report - in.clct'
err 'clc-filter: --report -: standard output takes the trace*'

# Options without effect.
for option in -v --verbose '--report r' '-v --report r'; do
  run 2 "clc-filter --no-correction $option in.clct -o out"
  err 'clc-filter: --*: nothing to report with --no-correction*'
done
for set in AA ABCDA aA AX; do
  run 2 "clc-filter --regulators $set in.clct"
  err "clc-filter: --regulators: expected letters of ABCD, each at most once, or none, found '*'*"
done
run 0 'clc-filter --regulators dca --no-provenance in.clct | cmp - <(clc-filter --regulators ACD --no-provenance in.clct)'
run 0 'clc-filter --regulators da in.clct | grep -c "^%provenance clc-filter .* --regulators AD "'
out 1
# Those of other formats are ignored.
run 0 'clc-filter -mmd 0.1 --paje-unit ms --ignore-clock-offsets --keep-going --overwrite --no-provenance in.clct | cmp - expected'
# An unknown process.
run 0 'clc-filter -q -mmd 0:55=3 --sweep-mmd 1:1 in.clct >/dev/null; clc-check -mmd 0:55=3 -mmd 0.1 in.clct expected >/dev/null'
err 'clc-check: warning: -mmd 0:55: the trace has no process 55'
run 0 'clc-filter -mmd 0:55=3 --sweep-mmd 1:1 in.clct >/dev/null'
err 'clc-filter: warning: -mmd 0:55: the trace has no process 55'

# What regulators see: the same where they do nothing.
run 2 'clc-filter --order time in.clct'
err "clc-filter: --order: expected events or epochs, found 'time'*"
run 0 'clc-filter -mmd 0.1 --no-provenance --order epochs in.clct | cmp - expected'
run 0 'clc-filter --order epochs in.clct | grep -c "^%provenance clc-filter .* --order epochs"'
out 1
coarse='clc-tracegen halo -n 8 --seed 1 --events 5000 --rate 20000 --tick 1000 -F binary'
run 0 "$coarse | clc-filter -q --no-provenance --order events | cmp - <($coarse | clc-filter -q --no-provenance)"
run 1 "$coarse | clc-filter -q --no-provenance --order epochs | cmp -s - <($coarse | clc-filter -q --no-provenance)"
run 0 "$coarse | clc-filter -q --order epochs | clc-check -"
out_has 'Clock condition: holds'

run 0 'clc-filter --help'
out_has 'Usage: clc-filter'
out_has 'Default: 1000 us.'
run 0 'clc-filter --help | awk "length > 79"'
out ''
for spelling in -help -h; do
  run 0 "diff <(clc-filter --help) <(clc-filter $spelling)"
done
run 0 'clc-filter -help | head -1'
out_has 'Usage: clc-filter'
run 0 'clc-filter --version'
out_has 'formats: text, binary'
out_has 'libraries: zstd '

# A parsing error opens no file.
run 2 'clc-filter --nonsense in.clct -o out.clct'
err_has 'unknown option'
no_more_files in.clct expected

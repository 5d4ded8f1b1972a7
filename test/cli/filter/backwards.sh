# The clock run backwards, and both ways: laws, formats, reports, damage.
clc-tracegen halo -n 8 --seed 3 --events 6000 --truth true.clct -o run.clct
run 0 'clc-filter --backwards --no-provenance run.clct -o back.clct'
run 0 'clc-filter --combine mean --no-provenance run.clct -o mean.clct'
run 0 'clc-filter --no-provenance run.clct -o forth.clct'

# The judge finds the direction in the provenance, or is given it.
run 0 'clc-filter --backwards run.clct -o noted.clct; clc-check run.clct noted.clct'
out_has 'The clock ran backwards: events become earlier'
out_has 'law 1 clock condition: ok'
out_has 'law 2 nothing after its recorded time: ok'
out_has 'law 3 order and distinctness in each process: ok'
out_has 'records identical apart from time: ok'
out_has 'corrected trace sorted by time: ok'
out_has 'events moved, largest -'
run 0 'clc-filter --combine mean run.clct -o noted.clct; clc-check run.clct noted.clct'
out_has 'law 1 clock condition: ok'
out_has 'law 2 nothing before its recorded time: does not apply, the results forwards and backwards are combined'
out_has 'law 3 order and distinctness in each process: ok'
run 0 'clc-check --direction backwards run.clct back.clct'
run 1 'clc-check run.clct back.clct'
out_has 'law 2 nothing before its recorded time: BROKEN'
run 1 'clc-check --direction backwards run.clct forth.clct'
out_has 'law 2 nothing after its recorded time: BROKEN'
run 0 'clc-check --direction both run.clct mean.clct'
run 2 'clc-check --direction both run.clct'
err 'clc-check: --direction needs a corrected trace*'

# The mean, record by record, and with half of the large corrections at the start.
run 0 'for f in run forth back mean; do grep -v ^% $f.clct | sort -s -n -k2,2 | cut -d" " -f1 >$f; done
  paste forth back mean | awk "{ m = (\$1 + \$2) / 2; if (\$3 != int(m) || \$3 > m) print }" | head -3'
out ''
largest() { clc-check --direction "$1" run.clct "$2" --truth true.clct | awk '/offsets, us, after/ { print $8 }'; }
run 0 'echo "$(largest both mean.clct) $(largest forwards forth.clct)" | awk "{ print (\$1 < 0.6 * \$2) }"'
out 1
# Right clocks stay, and a second run changes nothing.
run 0 'clc-filter --backwards --no-provenance true.clct | cmp - true.clct'
run 0 'clc-filter --combine mean --no-provenance true.clct | cmp - true.clct'
run 0 'clc-filter --backwards --regulators none --no-provenance back.clct | cmp - back.clct'

# Lost records are reported in the order of time, not in that of a table whose key differs from run to run.
clc-tracegen random -n 6 --events 4000 --seed 3 --lose-burst 20 --offset 1000 -o lossy.clct
for option in --backwards '--combine mean' '--from 0'; do
  run 0 "clc-filter -q $option lossy.clct --dry-run --report - --report-format json |
    python3 -c 'import json, sys
losses = json.load(sys.stdin)[\"losses\"]
keys = (\"other_end_ticks\", \"sender\", \"receiver\", \"communicator\", \"tag\")
print(len(losses) > 9, losses == sorted(losses, key=lambda loss: [loss[key] for key in keys]))'"
  out 'True True'
done

# Formats, pipes, threads; no files are left.
mkdir temporary
export TMPDIR=$PWD/temporary
run 0 'cat run.clct | clc-filter --backwards --no-provenance | cmp - back.clct'
run 0 'clc-filter --backwards --no-provenance --threads 3 -z run.clct | zstd -dc | cmp - back.clct'
run 0 'clc-filter --no-correction --no-provenance -F binary run.clct | clc-filter --backwards --no-provenance -F text | cmp - back.clct'
run 0 'clc-filter --no-correction -F paje run.clct -o run.trace; clc-filter --backwards run.trace -o back.trace && clc-check --direction backwards run.trace back.trace'
out_has 'law 1 clock condition: ok (3,'
out_has 'records identical apart from time: ok'
run 0 'clc-filter --backwards --keep-original --no-provenance run.clct | grep -v ^% | sed "s/.*@=//" | sort -n | cmp - <(grep -v ^% run.clct | cut -d" " -f1)'
run 0 'ls temporary | wc -l'
out 0
run 1 'TMPDIR=/nowhere clc-filter --backwards <(head -c 200000 /dev/zero) -o none'
err_has 'clc-filter: '
unset TMPDIR
if clc-filter --version | grep -q libotf2; then
  clc-tracegen collectives -n 8 --seed 5 --start 1000000 --events 4000 -F otf2 -o archive
  for option in --backwards '--combine mean'; do
    run 0 "clc-filter $option archive -o corrected.d && clc-check archive corrected.d"
    out_has 'law 1 clock condition: ok'
    out_has 'law 3 order and distinctness in each process: ok'
    out_has 'records identical apart from time: ok'
    run 0 "cmp <(clc-filter $option -F text archive | grep -v ^%provenance | sort) <(clc-filter --no-correction -F text corrected.d | grep -v ^%provenance | sort)"
    rm -r corrected.d
  done
  # Times below 0 are raised, and read back.
  clc-tracegen halo -n 4 --seed 5 --events 2000 -F otf2 -o early
  run 0 'clc-filter --backwards early -o early.d && clc-check early early.d'
  out_has 'law 2 nothing after its recorded time: ok'
fi

# Mapped clocks: nothing after its mapped time.
if clc-sync --help >/dev/null 2>&1; then
  run 0 'clc-filter --estimate --backwards run.clct -o noted.clct && clc-check run.clct noted.clct'
  out_has 'law 2 nothing after its mapped time: ok'
fi

# The report.
run 0 'clc-filter --backwards --dry-run --report - run.clct'
out_has ' --backwards'
out_has 'largest correction -'
out_has 'Violations left in the output: 0'
run 0 'clc-filter --backwards --dry-run --report - --report-format json run.clct | grep -c "\"largest_us\": -"'
out 1
run 0 'clc-filter --backwards --dry-run --report - run.clct | sed -n "s/.*moved, by at most //p; s/.*largest correction -\(.*\), process.*/\1/p" | uniq -d | grep -c .'
out 1
run 0 'diff <(clc-filter --dry-run --report - run.clct | grep "violated (") <(clc-filter --backwards --dry-run --report - run.clct | grep "violated (")'
run 0 'clc-filter --backwards --max-shift 1 --dry-run run.clct'
err_has 'events were moved by more than --max-shift'

# Records without partner order nothing, and are counted.
run 0 'awk "!/^[0-9]+ 3 R/ || ++n != 5" run.clct >lost.clct; clc-filter --backwards --dry-run lost.clct'
err 'clc-filter: warning: 1 send was never received'
# Damage: what can be read is corrected.
run 1 '{ head -2000 run.clct; echo nonsense; } | clc-filter --backwards -o cut.clct'
err_has 'clc-filter: standard input:2001: '
run 0 'clc-check --direction backwards <(head -2000 run.clct) cut.clct'
# What is refused.
run 2 'clc-filter --backwards --online run.clct'
err 'clc-filter: --backwards keeps the trace in a temporary file, which --online cannot*'
run 2 'clc-filter --combine mean --match resync run.clct'
err 'clc-filter: --combine mean keeps the trace in a temporary file, and finds lost records before that; leave out --match, or give --match fifo*'
run 2 'clc-filter --backwards --no-correction run.clct'
err 'clc-filter: --backwards makes no sense with --no-correction*'
run 2 'clc-filter --combine median run.clct'
err_has '--combine'
# Real traces.
for trace in "$CLC_SOURCE"/data/eztrace-ring.clct.zst "$data"/cloverleaf-drift.clct.zst "$data"/stencil4d-32.clct.zst; do
  [ -e "$trace" ] || continue
  for option in --backwards '--combine mean'; do
    run 0 "clc-filter -q $option -mmd 0.5 -cldiff 50000 '$trace' -o real.clct && clc-check -q '$trace' real.clct"
    out_has 'law 1 clock condition: ok'
    out_has 'law 3 order and distinctness in each process: ok'
  done
done

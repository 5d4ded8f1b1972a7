# Methods compared on simulated runs.
not_under_valgrind 'minutes'
run 0 'clc-sync --compare --runs 1 -o table; cat table'
out_has '1 run per row, seeds from 1'
out_has 'none   smooth     line     duda jezequel  hofmann  hof-hil variable'
out_has '16 processes, sudden jumps'
run 0 'awk "length > 100" table'
out ''
# The clock repairs what any estimate leaves.
run 0 'sed -n "/^\.\.\. followed by the controlled logical clock, %$/,/^$/p" table | tail -n +3 | cut -c29- | tr -d " 0*\n-"'
out ''
run 0 'clc-sync --compare --runs 1 --report-format json -o table.json'
# The same figures as from the programs, one after the other, by the judge.
figure() { python3 -c "
import json, sys
table = json.load(open('table.json'))
demand = next(d for d in table['demands'] if d['demand'] == '$1')
method = next(m for m in demand['methods'] if m['method'] == '$2')
print(' '.join('%.6g' % method[side]['mean_delay_error_us'] for side in ('alone', 'with_clock')), method['with_clock']['violated'])
"; }
judged() { clc-check "$@" --truth truth --report-format json | python3 -c "
import json, sys
check = json.load(sys.stdin)
print('%.6g' % check['truth_errors']['message_delays']['after']['mean'], check['edges_corrected']['messages']['violated'])
"; }
clc-tracegen halo -n 16 --events 100000 --duration 20 --offset 5000 --drift 20 --seed 1 --truth truth -o run
for method in smooth duda hofmann-hilgers; do
  clc-sync --method $method run >offsets
  clc-filter -q --offsets offsets run -o both
  run 0 "figure constant_rates $method | cut -d' ' -f 2,3"
  out "$(judged run both)"
done
clc-filter -q run -o both
run 0 "figure constant_rates none | cut -d' ' -f 2,3"
out "$(judged run both)"
# What has no solution has no figures.
run 0 'python3 -c "
import json
table = json.load(open(\"table.json\"))
ring = next(d for d in table[\"demands\"] if d[\"demand\"] == \"one_way\")
for method in ring[\"methods\"]:
    if method[\"solved\"] == 0: print(method[\"method\"], method[\"alone\"], method[\"with_clock\"])
"'
out 'duda None None
jezequel None None
hofmann None None'
# On a trace: what each method leaves to the clock, as clc-sync and clc-filter say one after the other.
run 0 'clc-sync --compare run -o table; cat table'
out_has 'none '
out_has 'hofmann-hilgers '
run 0 'awk "length > 100" table'
out ''
run 0 'clc-sync --compare --report-format json run -o table.json'
of_table() { python3 -c "
import json
row = next(m for m in json.load(open('table.json'))['methods'] if m['method'] == '$1')
print(row['violated'], row['moved'])
"; }
of_report() { python3 -c "
import json
report = json.load(open('report.json'))
print(report['violations']['messages']['violated'], report['corrections']['moved'])
"; }
for method in smooth duda variable; do
  clc-filter "--estimate=$method" --dry-run --report report.json --report-format json run
  run 0 "of_table $method"
  out "$(of_report)"
done
run 0 'python3 -c "
import json
for method in json.load(open(\"table.json\"))[\"methods\"]: print(method[\"method\"], end=\";\")"'
out 'none;smooth;line;duda;jezequel;hofmann;hofmann-hilgers;variable;'
# Where records are missing, matched as clc-filter does it, also from a pipe.
run 0 'clc-tracegen halo -n 6 --events 10000 --seed 3 --lose-sends 2 -o lossy; clc-sync --compare --report-format json lossy -o table.json'
run 0 'python3 -c "import json; print(json.load(open(\"table.json\"))[\"unmatched\"] > 50)"'
out True
for method in none smooth hofmann; do
  option=
  [ $method = none ] || option=--estimate=$method
  clc-filter -q $option --dry-run --report report.json --report-format json lossy 2>/dev/null
  run 0 "of_table $method"
  out "$(of_report)"
done
run 0 'clc-sync --compare --report-format json - <lossy -o piped.json; cmp <(grep -v -e cpu_ns -e trace table.json) <(grep -v -e cpu_ns -e trace piped.json)'
run 0 'clc-sync --compare lossy'
out_has 'sends and receives lack their other end'
run 0 'clc-sync - <lossy >/dev/null'
err 'clc-sync: warning: standard input: records are missing, and this input can be read only once: messages may be matched wrongly; copy it to a file and name that'
run 0 'clc-sync lossy >/dev/null'
# From a pipe, in any format, and with measured offsets.
clc-tracegen ring -n 4 --seed 3 --bursts 5 --events 4000 -o ring
run 0 'clc-filter --no-correction -F binary ring | clc-sync --compare -'
out_has 'measured '
out_has 'jezequel has no solution: too few messages in one direction between processes 0 and 1'
run 1 'clc-sync --compare missing'
err 'clc-sync: missing: *'
run 2 'clc-sync --compare --runs 0'
err_has '--runs'

# The report, as text and as JSON; what goes to standard error; strict.
small_trace >in.clct
# The last lines are about time and speed of the run.
run 0 'clc-filter -mmd 0.1 --dry-run --report - in.clct | sed "/^Run/,\$d; 1s/clc-filter [0-9.]*/clc-filter VERSION/"'
out_like small.report.txt
run 0 'clc-filter -mmd 0.1 --dry-run --report - --report-format json in.clct | sed "/\"run\": {/,\$d; s/\"program_version\": .*/\"program_version\": VERSION/"'
out_like small.report.json
run 0 'clc-filter -q -mmd 0.1 -mmd node=0.05 -mmd 1:0=0.2 -mmd 0:1=3 --dry-run --report - --report-format json in.clct | sed -n "/\"parameters\"/,/\"max_error/p"'
out '  "parameters": {
    "min_delay_us": 0.1,
    "node_delay_us": 0.05,
    "pair_delays": [
      {
        "from": 1,
        "to": 0,
        "us": 0.2
      },
      {
        "from": 0,
        "to": 1,
        "us": 3
      }
    ],
    "max_error_percent": 0.5,'
run 0 'clc-filter -mmd 0.1 in.clct -o out.clct --report report; clc-filter -mmd 0.1 in.clct --dry-run --report - | diff <(sed "/^Run/,\$d" report) <(sed "/^Run/,\$d" /dev/stdin)'
no_more_files in.clct out.clct report
run 0 'clc-filter -mmd 0.1 -v in.clct -o out.clct'
err_has 'Violations left in the output: 0'
if command -v python3 >/dev/null; then
  run 0 'clc-filter -mmd 0.1 --dry-run --report - --report-format json in.clct | python3 -m json.tool >/dev/null'
fi

run 0 'clc-filter -q --delta 0.2 --delta 1=0.5 --delta 1=3 --dry-run --report - --report-format json in.clct | sed -n "/\"delta_us\"/,/\"match/p"'
out '    "delta_us": 0.2,
    "process_deltas": [
      {
        "process": 1,
        "us": 0.5
      },
      {
        "process": 1,
        "us": 3
      }
    ],
    "match": "resync",'

# Dry run writes no trace.
run 0 'clc-filter --dry-run -q -mmd 0.1 in.clct -o never.clct; test ! -e never.clct'
run 2 'clc-filter -v --report-format json in.clct'
err 'clc-filter: --report-format json: expected --report FILE with it; -v prints text*'
out ''
run 0 'clc-filter --dry-run -q -mmd 0.1 <in.clct'
out ''

# The corrected trace has no violations any more.
run 0 'clc-filter --dry-run --report - -mmd 0.1 out.clct'
out_has 'messages     0 of 2 violated'
out_has '0 of 13 events moved'

# Cases: one short line a kind, unless -q.
{ small_trace; echo '9600 0 S 1 4 5 6'; echo '9700 0 S 1 4 5 6'; echo '9800 1 R 0 4 99 6'; } >odd.clct
run 0 'clc-filter -mmd 0.1 --dry-run odd.clct'
err_has 'clc-filter: warning: 2 sends were never received'
err_has 'clc-filter: warning: 1 receive was released without its send'
err_has 'clc-filter: records are missing; correcting again with --match whole'
run 0 'clc-filter -mmd 0.1 --dry-run odd.clct 2>&1 | wc -l'
out 3
run 0 'clc-filter -mmd 0.1 --dry-run -q odd.clct'
run 3 'clc-filter -mmd 0.1 --strict odd.clct -q -o out.clct; s=$?; tail -1 out.clct; exit $s'
out_has ' 1 R 0 4 99 6'
err 'clc-filter: --strict: 3 cases stayed unresolved; see --report'
run 0 'clc-filter -mmd 0.1 --strict in.clct -o out.clct'
# Of the intervals one changed by 0.2 %.
run 0 'clc-filter -mmd 0.1 --strict --max-local-error 0.21 in.clct -o out.clct'
run 3 'clc-filter -mmd 0.1 --strict --max-local-error 0.1 -q in.clct -o out.clct'
err_has 'clc-filter: --strict: an interval changed by 0.2 %, more than --max-local-error; see --report'
run 0 'clc-filter -mmd 0.1 --max-local-error 0.1 in.clct -o out.clct'
err_has 'clc-filter: warning: an interval changed by 0.2 %, more than --max-local-error'
run 2 'clc-filter --no-correction --max-local-error 5 in.clct -o out.clct'
err_has 'make no sense with --no-correction'

# What came too late, and what helps.
run 0 "printf '%%clc-trace 1\n%%process 0 a\n%%process 1 b\n%%group 0 0 1\n0 1 R 0 0 5 8\n9000000 0 S 1 0 5 8\n' >late.clct; clc-filter --wait-limit 0.001 --dry-run late.clct"
err_has 'clc-filter: warning: 1 send came after its receive had been released; use a longer --wait-limit'
run 0 'clc-filter --wait-limit 0.01 --dry-run late.clct && rm late.clct'

# Large corrections.
run 0 'clc-filter -mmd 0.1 --max-shift 0.05 --dry-run in.clct'
err 'clc-filter: warning: * events were moved by more than --max-shift'
run 3 'clc-filter -mmd 0.1 --max-shift 0.05 --strict -q --dry-run in.clct'
err 'clc-filter: --strict: 7 events were moved by more than --max-shift; see --report'
run 0 'clc-filter -mmd 0.1 --max-shift 0.05 --max-shift off --max-local-error off --strict -q --dry-run in.clct'
run 3 'clc-filter -mmd 0.1 --max-shift 0.05 --strict -q --dry-run odd.clct'
err 'clc-filter: --strict: 3 cases stayed unresolved, 8 events were moved by more than --max-shift; see --report'
# The largest correction is the limit: that is not beyond it.
run 0 'clc-filter -mmd 0.1 --dry-run in.clct --report - | grep "largest correction"'
out_has 'largest correction 0.900 us'
run 0 'clc-filter -mmd 0.1 --max-shift 0.9 --dry-run in.clct --report -'
out_has '  0 events moved by more than --max-shift 0.9 us'
# A pair of which one process is not in the trace, whichever.
for pair in 0:9 9:0; do
  run 0 "clc-filter -mmd $pair=1 --dry-run in.clct"
  err "clc-filter: warning: -mmd $pair: the trace has no process 9"
done
run 0 'clc-filter -mmd 0.1 --max-shift 10 --strict --dry-run in.clct'
run 0 'clc-filter -mmd 0.1 --max-shift 10 --dry-run in.clct --report -'
out_has '0 events moved by more than --max-shift 10 us'

# A last line that may have been cut off.
{ small_trace; printf '9600 0 S 1 4 5 102'; } >cut.clct
run 0 'clc-filter --no-correction cut.clct | tail -n 1'
out '9600 0 S 1 4 5 102'
err 'clc-filter: warning: cut.clct:20: the last line has no newline and may be truncated; it was read anyway'
run 0 'zstd -qc cut.clct | clc-filter -mmd 0.1 --dry-run'
err_has 'clc-filter: warning: standard input:20: the last line has no newline and may be truncated; it was read anyway'
run 0 'clc-filter -q --dry-run cut.clct'
run 0 'clc-view --text cut.clct'
err 'clc-view: warning: cut.clct:20: the last line has no newline and may be truncated; it was read anyway'

# A damaged trace is reported up to the damage.
{ cat in.clct; echo '9600 9 I x'; } >damaged.clct
run 1 'clc-filter -mmd 0.1 --dry-run --report - damaged.clct'
out_has 'ENDED EARLY: damaged.clct:20: process 9 is not defined'
out_has '13 events of 2 processes'
err 'clc-filter: damaged.clct:20: process 9 is not defined*'
run 1 'clc-filter -q -mmd 0.1 --dry-run --report - --report-format json damaged.clct'
out_has '"ended_early": "damaged.clct:20: process 9 is not defined'
err 'clc-filter: damaged.clct:20: process 9 is not defined*'

# Records that may follow the damage are not called lost.
clc-tracegen halo -n 64 --events 2000 --seed 1 -o whole.clct
run 1 '{ head -300 whole.clct; echo damage; } | clc-filter --dry-run --report -'
err_has 'clc-filter: standard input:301: found "damage" as time'
err_has ' sends were never received in the part that was read'
out_has ' sends were never received in the part that was read'
out_has 'ENDED EARLY: standard input:301'
! grep -q 'are records or processes missing' "$logs/out" "$logs/err" || fail 'asks for lost records'
run 1 '{ head -300 whole.clct; echo damage; } | clc-check -'
err_has 'clc-check: standard input:301: found "damage" as time'
! grep -q 'are records or processes missing' "$logs/out" "$logs/err" || fail 'asks for lost records'
run 0 'head -300 whole.clct | clc-filter --dry-run'
err_has ' sends were never received
'
run 0 'head -300 whole.clct | clc-check - | grep "records or processes missing"'
out_has 'sends were never received; are records or processes missing?'

# Operations of a single process are not counted.
printf '%%clc-trace 1\n%%process 0 a\n%%process 1 b\n%%group 0 0 1\n%%group 1 0\n10 0 B\n20 0 X barrier 1 - 0 0\n30 0 B\n30 1 B\n5000 0 X barrier 0 - 0 0\n5000 1 X barrier 0 - 0 0\n' >alone.clct
run 0 'clc-filter -q --dry-run --report - --report-format json alone.clct | grep \"collective_operations\"'
out_has '"collective_operations": 1'
run 0 'clc-check --report-format json alone.clct | grep \"operations\"'
out_has '"operations": 1,'

# Advice is about messages with the delay of their processes, not about those with a delay of their own.
ping_pong() {
  printf '%%clc-trace 1\n%%resolution 1000000000\n%%process 0 a\n%%process 1 b\n%%group 0 0 1\n%%group 1 0 1 min-delay=100\n'
  awk 'BEGIN {
    for (t = 0; t < 20; ++t) {
      printf "%d 0 S 1 0 0 8\n%d 1 R 0 0 0 8\n%d 1 S 0 0 0 8\n%d 0 R 1 0 0 8\n", 1000000 * t + 100000, 1000000 * t + 120000,
        1000000 * t + 130007, 1000000 * t + 150007
      printf "%d 0 S 1 1 0 8\n%d 1 R 0 1 0 8\n%d 1 S 0 1 0 8\n%d 0 R 1 1 0 8\n", 1000000 * t + 200000, 1000000 * t + 200200,
        1000000 * t + 210000, 1000000 * t + 210200
    }
  }'
}
run 0 'ping_pong | clc-filter --dry-run --report -'
out_has 'the 1 us of this run could be larger: -mmd 16'
run 0 'ping_pong | clc-filter -q -mmd 30 --dry-run --report - | grep -A1 "ADVICE.*mmd"'
out_has 'use -mmd 16'
out_has 'the 30 us of this run are too large'

# Nothing to report is a report, too.
run 0 'head -5 in.clct | clc-filter --dry-run --report -'
out_has '0 events of 2 processes'

# ---- sends are missing: clocks seem to differ by what messages are shifted, which is no advice
run 0 'clc-tracegen halo -n 16 --seed 1 --lose-sends 1 -o lacking && clc-filter -q --match fifo --report - --dry-run lacking | grep -i advice'
out '  No advice: records are missing, so messages may be matched wrongly'

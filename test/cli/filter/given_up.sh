# Clocks further apart than the wait limit: what is given up counts as violated, as clc-check counts it.
figures() {  # of a trace, by clc-check: messages and pairs of collective operations
  clc-check --report-format json "$1" | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(*[report[kind][figure] for kind in ("messages", "collectives") for figure in ("edges", "violated", "backwards")])'
}
# What came late is no lost record.
run 0 'clc-tracegen halo -n 4 --events 4000 --seed 3 --offset 2e7 -o original'
run 0 'clc-filter original --dry-run --report report --report-format json 2>said; cat said'
out_has 'sends came after their receive had been released; use a longer --wait-limit'
run 1 'grep "records are missing" said'
run 0 'python3 -c "import json; print(len(json.load(open(\"report\"))[\"losses\"]))"'
out 0
# Where memory was the reason, the remedy says so.
run 0 'clc-tracegen halo -n 16 --events 60000 --seed 4 --offset 2000000 --finish-early 3:0.5 -o original'
run 0 'clc-filter --max-memory 1M --dry-run original 2>said; cat said'
out_has 'waits were given up to limit memory; use a larger --max-memory'
run 1 'grep -e --wait-limit said'
# The mean of both directions keeps what both directions keep.
run 0 'clc-tracegen halo -n 4 --duration 5 --rate 1000 --steps 1:40000000 --set-back --seed 3 -o original'
run 3 'clc-filter -q --combine mean --strict original -o corrected --report report --report-format json 2>/dev/null'
read -r _ violated _ _ pairs_violated _ <<<"$(figures corrected)"
left=$(python3 -c 'import json; print(json.load(open("report"))["violations"]["left"])')
[ $((violated + pairs_violated)) -gt 0 ] || fail 'the mean violates nothing'
[ "$left" -ge $((violated + pairs_violated)) ] || fail "clc-check finds $violated + $pairs_violated, more than $left"

for scenario in halo ring pairs master-worker random collectives; do
  run 0 "clc-tracegen $scenario -n 6 --events 3000 --offset 60000000 --seed 3 -o original"
  run 0 "clc-filter -q original -o corrected --report report --report-format json"
  run 0 "python3 -c '
import json
violations = json.load(open(\"report\"))[\"violations\"]
print(*[violations[kind][figure] for kind in (\"messages\", \"collectives\")
        for figure in (\"edges\", \"violated\", \"backwards\")])
print(violations[\"left\"])'"
  read -r messages violated backwards pairs pairs_violated pairs_backwards <"$logs/out"
  left=$(tail -n 1 "$logs/out")
  [ "$left" -gt 0 ] || fail "$scenario: nothing is left"
  expected="$messages $violated $backwards $pairs $pairs_violated $pairs_backwards"
  [ "$(figures original)" = "$expected" ] || fail "$scenario: clc-check finds $(figures original), expected $expected"
  read -r _ violated _ _ pairs_violated _ <<<"$(figures corrected)"
  [ $((violated + pairs_violated)) = "$left" ] || fail "$scenario: clc-check finds $violated + $pairs_violated, not $left"
done

# More receives are given up than are remembered one by one: those behind one that is not remembered are not either.
awk 'BEGIN {
  print "%clc-trace 1"
  for (i = 0; i < 4; ++i) print "%process", i
  print "%group 0 0 1 2 3"
  for (i = 0; i < 131072; ++i) print 10 + i, 1, "R 0 0 0 8"
  print "11000000000 1 R 2 0 5 8"
  print "22000000000 3 E a"
  print "22000000001 0 S 1 0 0 8"
  for (i = 0; i < 20000; ++i) printf "%.0f 3 E a\n", 22000001000 + i * 1000000
  print "42000002000 1 R 2 0 5 8"
  print "62000001000 3 E a"
  for (i = 0; i < 3; ++i) printf "%.0f 2 S 1 0 5 8\n", 62000002000 + i
  for (i = 0; i < 20000; ++i) printf "%.0f 3 E a\n", 62000002003 + i * 1000000
}' >many
run 0 'clc-filter -q --match fifo many -o out --report report'
grep -q '3 sends came after their receive had been released' report || fail 'the late sends are not told'
[ "$(grep -c '^[0-9]' out)" = "$(grep -c '^[0-9]' many)" ] || fail 'records are missing'
rm many out

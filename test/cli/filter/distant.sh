# Numbers of clocks that are far apart, and of times near the ends of 64 bits.

# One clock counts from 1970, the other from its start: round trips keep their nanoseconds.
cat >round.clct <<'END'
%clc-trace 1
%min-delay 50
%process 0 a
%process 1 b
%group 0 0 1
1000 1 R 0 0 0 8
2000 1 S 0 0 0 8
1700000000000000900 0 S 1 0 0 8
1700000000000002100 0 R 1 0 0 8
END
run 1 'clc-check round.clct --report-format json | grep -o "smallest_half_round_trip_us.*"; exit ${PIPESTATUS[0]}'
out 'smallest_half_round_trip_us": 0.1,'
run 0 'clc-filter --dry-run -q --wait-limit 1e10 round.clct --report - --report-format json | grep -A 2 "message_delay"'
out_has '"smallest_us": 0.1,'

# clc-filter and clc-check agree on the edges that rounding leaves violated, here by a tick, and where times end.
same_left() {
  run 0 "clc-filter -q $3 --wait-limit 1e9 $2 -o corrected.clct --report - --report-format json | grep -c '\"left\": $1\$'"
  run 1 "clc-check $2 corrected.clct --report-format json >judged.json"
  run 0 "grep -c '\"violations\": $1\$' judged.json"
}
cat >rounded.clct <<'END'
%clc-trace 1
%resolution 1000000000
%min-delay 5
%process 0 p0
%process 1 p1
%group 0 0 1
-99891 0 R 1 0 0 8
-99889 0 S 1 0 0 8
-99882 0 R 1 0 0 8
33888941405633909 1 S 0 0 0 8
33888941405633914 1 R 0 0 0 8
33888941405633916 1 S 0 0 0 8
END
cat >cut_off.clct <<'END'
%clc-trace 1
%min-delay 1000
%process 0 a
%process 1 b
%group 0 0 1
9223372036854770000 1 R 0 0 0 8
9223372036854775000 0 S 1 0 0 8
9223372036854775001 1 S 0 0 0 8
9223372036854775800 0 R 1 0 0 8
END
for order in events epochs; do
  same_left 1 rounded.clct "--order $order"
  same_left 2 cut_off.clct "--order $order"
done
run 3 'clc-filter -q --strict --wait-limit 1e9 rounded.clct -o corrected.clct'
err '*--strict: 1 violation is left, the verdict is bad; see --report'

# Times that are mapped to beyond 64 bits are counted, and --strict fails.
cat >mapped.clct <<'END'
%clc-trace 1
%process 0 a
%process 1 b
%group 0 0 1
9000000000000000000 1 I x
9000000000001000000 1 I x
9000000000002000000 1 I x
9000000000010000000 0 I x
END
echo '%offset 1 9000000000000000000 300000000000000000' >far.off
run 3 'clc-filter -q --strict --offsets far.off mapped.clct -o corrected.clct --report - --report-format json'
out_has '"time_saturated": 3'
err_has '--strict: 3 cases stayed unresolved, the verdict is bad; see --report'
run 3 'clc-filter -q --strict --backwards --offsets far.off mapped.clct -o corrected.clct'
err_has '--strict: 3 cases stayed unresolved'
echo '%offset 1 9000000000000000000 200000000000000000.33333333333333333333' >near.off
run 0 'clc-filter -q --offsets near.off mapped.clct -o corrected.clct --report - --report-format json'
out_has '"time_saturated": 0'

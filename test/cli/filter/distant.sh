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

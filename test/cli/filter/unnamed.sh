# Messages whose ends do not name each other, and communicators with a minimum delay of their own.
trace() {
  cat <<'END'
%clc-trace 1
%process 0 a
%process 1 b
%process 2 c
%group 1 0 1 2 min-delay=10
%group 2 0 1 2
END
}
trace >trace.clct
cat >>trace.clct <<'END'
1000 1 R - 1 5 0
1100 0 S - 1 5 0
1200 0 R - 1 6 0
1300 2 S - 1 6 0
2000 0 B
2100 0 X barrier 1 - 0 0
2200 1 B
2300 1 X barrier 1 - 0 0
2400 2 B
2500 2 X barrier 1 - 0 0
9000 0 S - 2 5 0
9500 1 R - 2 5 0
9900 1 S - 2 7 0
END
run 0 'clc-filter -mmd 1 --no-amortization --regulators none --no-provenance --strict trace.clct --report report'
out "$(trace)
1100 0 S - 1 5 0
1110 1 R - 1 5 0
1300 2 S - 1 6 0
1310 0 R - 1 6 0
2110 0 B
2310 1 B
2400 2 B
2410 0 X barrier 1 - 0 0
2410 1 X barrier 1 - 0 0
2500 2 X barrier 1 - 0 0
9310 0 S - 2 5 0
10310 1 R - 2 5 0
10710 1 S - 2 7 0"
# Nobody is missing where nobody was named; which processes a message has is known once it is matched.
run 0 'grep -A1 -e "^  messages violated" -e "^Minimal message delay" -e "never received" report'
out_has 'no pair has counted messages in both directions'
out_has '1 send that names no receiver was never received'
run 0 'clc-filter -mmd 1 --dry-run --report - --report-format json trace.clct | tr -d " \n" | grep -o "\"pairs\":\[[^]]*"'
out '"pairs":[{"sender":0,"receiver":1,"messages":1,"violated":1,"smallest_delay_us":0.5,"margin_us":-0.5}'
run 1 'clc-check -mmd 1 trace.clct'
out_has '0 a -> 1 b         1         0         1          0.5      0.5         0.5'
# Their delay is that of their processes, whichever end comes first; one of the communicator goes before it.
two_ways() {
  trace | sed -E 's/^(%process [01] .)/\1 node=n/'
  printf '%s\n' '5000 0 S - 2 8 1000' '5100 1 R - 2 8 1000' '8000 0 R - 2 9 0' '8100 1 S - 2 9 0' '8200 2 R - 1 8 0' \
    '8300 0 S - 1 8 0'
}
two_ways >two-ways.clct
receives() { clc-filter --no-amortization --regulators none --no-provenance "$@" two-ways.clct | grep ' R '; }
run 0 'receives -mmd 0.2 -mmd 0:1=3 -mmd 1:0=4'
out '8000 1 R - 2 8 1000
15000 0 R - 2 9 0
15310 2 R - 1 8 0'
run 0 'receives -mmd 0.2 -mmd 0:1=0.05 -mmd node=1.5 --bandwidth 1000'
out '6050 1 R - 2 8 1000
10550 0 R - 2 9 0
10860 2 R - 1 8 0'
run 0 'clc-filter -q -mmd 0.2 -mmd 0:1=3 -mmd 1:0=4 -F binary two-ways.clct -o two-ways.clcb'
run 0 'clc-check -mmd 0.2 -mmd 0:1=3 -mmd 1:0=4 two-ways.clct two-ways.clcb'
out_has 'law 1 clock condition: ok (3 edges)'
run 1 'clc-check -mmd 0.2 -mmd 0:1=3 -mmd 1:0=4.1 two-ways.clcb'
out_has 'VIOLATED (1 of 3 edges)'
run 0 'clc-filter -q -mmd 0.2 --dry-run --report - two-ways.clct | grep -A2 -e "^Minimal message delay" -e ADVICE'
out_has 'min = 0.000 us'
run 1 'clc-check -mmd 1 trace.clct'
out_has 'messages                       3         2         3'
run 0 'clc-filter -mmd 1 -F binary trace.clct | clc-check -mmd 1 -'
out_has 'Clock condition: holds (9 edges)'
out_has 'sends that name no receiver, never received  1'
run 0 'clc-filter -mmd 1 trace.clct -o corrected.clct && clc-check -mmd 1 trace.clct corrected.clct'

# A receive that nobody sends is released; one behind it of the same process is no message.
run 0 'printf "%s\n" "%clc-trace 1" "%process 0 a" "%group 1 0" "5 0 R - 1 2 0" "6 0 S - 1 3 0" "7 0 R - 1 3 0" |
  clc-filter --dry-run --report - --report-format json | grep -e receive_without_send -e self_message'
out '    "receive_without_send": 1,
    "self_message": 1,'
err '*: 1 receive was released without its send'

# The correction may change the order in which several processes send: what was recorded says which ends match.
several() {
  printf '%s\n' '%clc-trace 1' '%process 0' '%process 1' '%process 2' '%process 3' '%group 0 0 1 2 3' '8 3 S 0 0 5 8' \
    '8 0 R 3 0 5 8' '14 0 S - 0 1 8' "17 2 R - 0 1 8$1" '30 1 S - 0 1 8' '40 2 R - 0 1 8' '9000 2 E'
}
for overtakes in '' ' overtakes=1'; do
  several "$overtakes" >several.clct
  run 0 'clc-filter -q several.clct -o several.out.clct; grep " S - " several.out.clct | cut -d" " -f2'
  out '1
0'
  run 0 'clc-check -q several.clct several.out.clct'
  out_has 'law 1 clock condition: ok (3 edges)'
  # The same figures of the recorded times as without the correction.
  clc-check -q several.clct >alone || true
  recorded=$(awk '/^  messages /{ print $2, $3, $4, $5 }' alone)
  run 0 "clc-check -q several.clct several.out.clct | awk '/^  messages, recorded/{ print \$3, \$4, \$5, \$6 }'"
  out "$recorded"
  run 0 'clc-view --text --before several.clct several.out.clct | grep "^Faster than" | grep -o "[0-9]* *[0-9]*\$" | tr -s " "'
  out '3 0'
done

# Clocks count as quartz until the trace proves that they are not.
not_under_valgrind 'takes too long'

# make SEED SCENARIO OPTION...: in.clcb and its true times.
make() {
  clc-tracegen "$2" --seed "$1" -n 8 --offset 200 --delay 5 --jitter 2 --no-min-delay -F binary --truth truth.clcb \
    -o in.clcb "${@:3}"
}
# errors OPTION...: errors of the delays of messages, mean and 99 %, mean error of local intervals, and whether clocks
# count as quartz at the end.
errors() {
  clc-filter -q -mmd 1 -maxerr 0.5 -cldiff 1000 "$@" --report report --report-format json -F binary in.clcb |
    clc-check -mmd 1 --truth truth.clcb in.clcb - |
    awk '/^  message delays, us, after/ { printf "%s %s ", $6, $8 }
         /^  local intervals, us, after/ { printf "%s ", $6 }'
  sed -n 's/^    "quartz": \([a-z]*\),$/\1/p' report
}

# What another program that knows the slopes in advance reaches with three seeds, microseconds: mean and 99 %.
quartz() {
  for seed in 1 2 3; do
    make "$seed" halo --duration 100 --rate 1600 "${@:3}"
    errors
  done | awk -v mean="$1" -v most="$2" '{ m += $1; q += $2; n += $4 == "true" }
    END { print m / NR <= mean && q / NR <= most && n == 3 ? "ok" : "mean " m / NR ", 99 % " q / NR ", quartz " n }'
}
run 0 'quartz 5.4 9.8 --drift 1'
out ok
run 0 'quartz 5.5 10.6 --drift 1 --wander 0.3'
out ok
run 0 'quartz 5.3 10.2 --drift 1 --temperature 1:60'
out ok
run 0 'quartz 5.1 11.5 --drift 10 --ntp 16:100'
out ok

# A ring: messages one way only, so that their delays are not known, but intervals keep their length. As in the thesis
# regulator C asks for gamma_D where D is the sum of several differences.
run 0 'make 1 ring --duration 100 --rate 1600 --drift 1; (errors; errors --regulators-as thesis) |
  awk "{ error[NR] = \$3; quartz[NR] = \$4 } END { print error[1] * 8.7 < error[2], quartz[1], quartz[2] }"'
out '1 true false'
run 0 'make 1 pairs --duration 100 --rate 1600 --drift 1; errors | awk "{ print \$1 <= 5.4, \$2 <= 9.8, \$4 }"'
out '1 1 true'

# Clocks that are set, or tick coarsely: it is seen, and from there on all is as in the thesis.
for clock in '--resync 1:50' '--tick 100' '--tick 1000'; do
  for scenario in halo ring pairs random collectives; do
    run 0 "make 4 $scenario --events 20000 --duration 10 $clock"' && (errors; errors --regulators-as thesis) |
      awk "{ error[NR] = \$(NF - 1); quartz[NR] = \$NF }
           END { print error[1] < 1.25 * error[2] ? \"ok\" : error[1] \" \" error[2], quartz[1], quartz[2] }"'
    out 'ok false false'
  done
done
run 0 'grep not_quartz report; errors | wc -l; grep -A 2 not_quartz report'
out '    "not_quartz": null,
1
    "not_quartz": {
      "time_ticks": 48486282,
      "proof": "all processes ahead"'
# Few steps need not be seen, where no circle of messages gains by them.
for scenario in halo ring pairs random collectives; do
  run 0 "make 4 $scenario --events 20000 --duration 10 --steps 5:1000"' && (errors; errors --regulators-as thesis) |
    awk "{ error[NR] = \$(NF - 1) } END { print error[1] < 1.25 * error[2] ? \"ok\" : error[1] \" \" error[2] }"'
  out ok
done

# What was given holds from the first event on.
run 0 'make 1 halo --events 2000; for option in "--gamma-min 0.9999" "--regulators-as thesis" "--regulators ABC"; do errors $option | sed "s/.* //"; done'
out 'false
false
false'
run 0 'errors --gamma-max 0.5 | sed "s/.* //"; grep -m 2 gamma_m report'
out 'true
    "gamma_max": 0.5,
    "gamma_min": 0.5,'
run 2 'clc-filter --regulators-as quartz in.clcb'
err_has "--regulators-as: expected evidence or thesis, found 'quartz'"

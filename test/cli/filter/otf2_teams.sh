# With --clock-of location, threads order each other only as far as the records of a team fit together. All clocks but one
# are right here, so that whatever is matched wrongly would move events.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
command -v otf2-print >/dev/null || skip 'no otf2-print (otf2-tools)'
look=$CLC_SOURCE/test/cli/otf2_text.py

# unmoved ODD EDGES FOUND [WARNING]: an archive with that in it stays as it is; so many edges are judged.
unmoved() {
  run 0 "clc-test-otf2-archive teams '$1' $1 && \$look threads 10 '$1'/traces.otf2"
  out "$3"
  run 0 "clc-check --clock-of location -mmd 1 '$1'"
  out_has "Clock condition: holds ($2 edges)"
  [ -n "${4:-}" ] && err "clc-check: warning: $1/traces.otf2: $4"
  run 0 "clc-filter --clock-of location -mmd 1 --no-provenance '$1' -o '$1.out' --report report && diff -r -x traces.otf2 '$1' '$1.out'"
  [ -n "${4:-}" ] && err "clc-filter: warning: $1/traces.otf2: $4"
  run 0 "grep -o '0 of .* ordered pairs violated' report"
  out "0 of $2 ordered pairs violated"
}

# Where all fits, the slow clock shows, and is corrected.
run 0 'clc-test-otf2-archive teams slow slow && $look threads 10 slow/traces.otf2'
out '18 barriers, 6 violated; 6 forks, 3 violated; 6 joins, 0 violated'
run 0 'clc-filter --clock-of location -mmd 1 -cldiff 20 slow -o slow.out && $look threads 10 slow.out/traces.otf2'
out '18 barriers, 0 violated; 6 forks, 0 violated; 6 joins, 0 violated'
run 0 'clc-check --clock-of location -mmd 1 slow slow.out'
out_has 'Verdict: good'
out_has 'law 1 clock condition: ok (30 edges)'
# What is added to order threads is not counted as events.
events() { clc-filter -q --dry-run "$@" --report - --report-format json | grep -m 1 '"events"'; }
run 0 'events slow --clock-of location -mmd 1 -cldiff 20'
out "$(events slow)"
run 0 'clc-filter -q --no-correction --clock-of location slow -F text | grep -vc ^%'
[ "$(cat "$logs/out")" -gt "$(events slow | tr -cd 0-9)" ] || fail 'no events were added'

# A barrier of another paradigm, and a team of another paradigm within a barrier, are none of the team's business.
whole='18 barriers, 0 violated; 6 forks, 0 violated; 6 joins, 0 violated'
unmoved foreign 30 "$whole"
unmoved nested 30 "$whole"
# One barrier more: which of them belong together is unknown, in that region only.
unmoved barrier 24 '12 barriers, 0 violated; 6 forks, 0 violated; 6 joins, 0 violated' \
  '4 barriers of threads order nothing, because members of the team recorded different numbers of them in the same parallel region'
# One region more, or a record less: who was in which region is unknown.
team='times a thread entered a team whose members recorded different parallel regions; such a team orders nothing'
for odd in 'region 10' 'end 9' 'join 9' 'begin 8'; do
  set -- $odd
  run 0 "clc-test-otf2-archive teams $1 $1 && \$look threads 10 $1/traces.otf2"
  out ''
  run 0 "clc-check --clock-of location -mmd 1 $1"
  out_has 'Clock condition: holds (0 edges)'
  err "clc-check: warning: $1/traces.otf2: $2 $team"
  run 0 "clc-filter --clock-of location -mmd 1 --no-provenance $1 -o $1.out && diff -r -x traces.otf2 $1 $1.out"
  err_has "clc-filter: warning: $1/traces.otf2: $2 $team"
  err_has 'verdict doubtful: no messages or collective operations between 3 processes'
done
# A location that ends within a region is even with the others until then.
run 0 'clc-test-otf2-archive teams cut cut && $look threads 10 cut/traces.otf2'
out '12 barriers, 0 violated; 5 forks, 0 violated; 4 joins, 0 violated'
run 0 'clc-check --clock-of location -mmd 1 cut'
out_has 'Clock condition: holds (18 edges)'
out_has 'collective operations not finished by all members  4'
run 0 'clc-filter --clock-of location -mmd 1 --no-provenance cut -o cut.out && diff -r -x traces.otf2 cut cut.out'
err_has '4 collective operations were never finished by all members'
# By default the threads share a clock, and nothing is read ahead.
run 0 'clc-filter -q -mmd 1 --no-provenance barrier -o default && diff -r -x traces.otf2 barrier default'

# What is given up so that memory stays bounded: counted, and the clock condition holds all the same.
not_under_valgrind 'is about memory'

# Shorter intervals than asked for.
run 0 'clc-tracegen halo --seed 1 --events 300000 --rate 6.4M --offset 200 --drift 100 --jitter 0.05 -F binary -o dense'
run 1 'clc-filter -mmd 1 dense --report report -o usual; grep -c "to limit memory" report'
out 0
run 0 'clc-filter -mmd 1 --max-memory 8M dense --report report -o bounded && grep "to limit memory" report'
[[ $(cat "$logs/out") =~ ^\ *[1-9][0-9]*,[0-9]*\ events\ were\ finalized\ early\ to\ limit\ memory$ ]] ||
  fail "the report says: $(cat "$logs/out")"
run 0 'clc-check -mmd 1 bounded'
out_has 'Clock condition: holds (150,016 edges)'

# Channels whose sends are never received: 200,000 tags, of which only the newest of those that wait are remembered.
tags() {
  awk 'BEGIN {
    print "%clc-trace 1\n%resolution 1000000000\n%process 0 a\n%process 1 b\n%group 0 0 1"
    for (i = 0; i < 200000; ++i) printf "%d 0 S 1 0 %d 64\n", i * 1000, i
    print "200000000 1 R 0 0 5 64\n200000001 1 R 0 0 199999 64"
  }'
}
run 0 'tags | clc-filter -mmd 1 -cldiff 5 --wait-limit 0.001 --report report --no-provenance >out; tags | cmp - out'
err_has 'were never received'
run 0 'grep -E "forgotten|[0-9] sends were never received$|without (their|its) send|, 1 message," report'
out 'standard input (text): 200,002 events of 2 processes, 1 message, 0 collective operations
  199,999 sends were never received
  1 receive was released without its send
  123,928 channels with unmatched messages were forgotten to limit memory'

# Records that are larger than a page of a queue, behind a violation.
large() {
  local text
  text=$(head -c 200000 /dev/zero | tr '\0' x)
  printf '%%clc-trace 1\n%%process 0 a\n%%process 1 b\n%%group 0 0 1\n'
  printf '1000 1 I %s\n2000 1 R 0 0 7 64\n3000 0 I %s\n4000 0 S 1 0 7 64\n5000 1 I %s\n' "$text" "$text" "$text"
}
run 0 "large | clc-filter -mmd 1 --no-amortization --no-provenance | awk '!/^%/ { print \$1, \$2, \$3, length }'"
out '1000 1 I 200009
3000 0 I 200009
4000 0 S 17
5000 1 R 17
7999 1 I 200009'

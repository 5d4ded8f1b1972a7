# Processes that are defined while events of others wait: the result is the same as with all definitions ahead.
# Each process sends to the next one, which receives 1 tick too early, so that corrections pile up.
trace() {
  awk -v late="$1" '
  function define(p) {
    print "%process " p
    if (p > 0) print "%group " p " " p - 1 " " p
  }
  BEGIN {
    print "%clc-trace 1"
    if (!late) for (p = 0; p < 200; ++p) define(p)
    for (p = 0; p < 200; ++p) {
      if (late) define(p)
      printf "%d %d I begin\n", p * 1000, p
      if (p > 0) printf "%d %d R %d %d 7 64\n", p * 1000 + 1, p, p - 1, p
      if (p > 0) printf "%d %d S %d %d 7 64\n", p * 1000 + 2, p - 1, p, p
    }
  }'
}
run 0 'trace "" >early; trace 1 >late; clc-filter -q -mmd 1 early -o early.out; clc-filter -q -mmd 1 late -o late.out'
run 0 'diff <(grep -v ^% early.out) <(grep -v ^% late.out) && grep -c ^%process late.out'
out 200
run 0 'clc-check -mmd 1 late.out'
out_has 'Clock condition: holds (199 edges)'
run 1 'clc-check -mmd 1 late'
out_has 'VIOLATED (199 of 199 edges)'

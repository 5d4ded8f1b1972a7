# From maps of the clocks 0 and 1, lines "process s us" in order, their difference: lines "METHOD s us". The mapped times
# are those of one clock, so C_0 - C_1 is the second offset less the first.
#
# Usage: awk -v method=M -f scripts/clock_difference.awk
function at(clock, time, i) {
  for (i = 1; i + 1 < count[clock] && x[clock, i] < time; ++i) {}
  if (count[clock] == 1) return y[clock, 0]
  return y[clock, i - 1] + (y[clock, i] - y[clock, i - 1]) * (time - x[clock, i - 1]) / (x[clock, i] - x[clock, i - 1])
}
{ x[$1, count[$1] + 0] = $2; y[$1, count[$1] + 0] = $3; ++count[$1] }
END {
  for (i = 0; i < count[0]; ++i) print method, x[0, i], at(1, x[0, i]) - at(0, x[0, i])
}

# Scenario 2 of the thesis [R 5.3], as a trace of clc-trace(5) in ticks of 1 ns: C_0 = t, C_1 = t (1 + rho) - D, both
# 0.2 s later, so that no time is negative; messages of delay 0 both ways every tau, which follows from f [R eq. 5.28].
# To be sorted by time.
#
# Usage: awk -v f=F -v rounds=N -f scripts/scenario_2.awk
BEGIN {
  rho = 1e-4; gamma_max = 1 - 2e-5; behind = 1e8; start = 2e8
  excess = rho - (1 - gamma_max) * (1 + rho); gain = gamma_max * (1 + rho)
  tau = f * behind / sqrt(excess * gain)
  print "%clc-trace 1\n%resolution 1000000000\n%process 0 exact\n%process 1 behind\n%group 0 0 1"
  # All records are sorted by recorded time: those of process 1 are D behind.
  for (j = 0; j <= rounds; ++j) {
    t = sprintf("%.0f", start + j * tau); late = sprintf("%.0f", start + j * tau * (1 + rho) - behind)
    printf "%s 1 S 0 0 0 8\n%s 0 R 1 0 0 8\n%s 0 S 1 0 0 8\n%s 1 R 0 0 0 8\n", late, t, t, late
  }
}

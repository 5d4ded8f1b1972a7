# What the messages of two processes tell of the difference of their clocks, C_0 - C_1 [R eq. 7.2, 7.3]: C_0(send) -
# C_1(receive) is below it, by the delay, and C_0(receive) - C_1(send) above it. Reads a trace in text of ticks of 1 ns.
# Writes lines "0-to-1 s us" and "1-to-0 s us".
#
# Usage: awk -f scripts/clock_bounds.awk TRACE
/^%/ || ($3 != "S" && $3 != "R") || ($2 > 1) || ($4 > 1) { next }
{
  sender = ($3 == "S") ? $2 : $4
  channel = sender " " $6
  if ($3 == "S") sent[channel, sends[channel]++] = $1
  else received[channel, receives[channel]++] = $1
  channels[channel] = sender
}
END {
  for (sender = 0; sender <= 1; ++sender)
    for (channel in channels) {
      if (channels[channel] != sender) continue
      for (i = 0; i < sends[channel] && i < receives[channel]; ++i) {
        s = sent[channel, i]; r = received[channel, i]
        if (sender == 0) print "0-to-1", s / 1e9, (s - r) / 1e3
        else print "1-to-0", r / 1e9, (r - s) / 1e3
      }
    }
}

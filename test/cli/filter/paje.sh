# Paje: corrected with nothing changed but times; converted; read wrongly where it is wrong.
# Two processes on two machines; the clock of the second is 300 us behind.
paje_head() {
  cat <<'END'
#This file was written by a test
%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 2
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineLinkType 4
%       Alias string
%       Type string
%       StartContainerType string
%       EndContainerType string
%       Name string
%EndEventDef
%EventDef PajeCreateContainer 6
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajeDestroyContainer 7
%       Time date
%       Type string
%       Name string
%EndEventDef
%EventDef PajePushState 12
%       Time date
%       Type string
%       Container string
%       Value string
%EndEventDef
%EventDef PajePopState 13
%       Time date
%       Type string
%       Container string
%EndEventDef
%EventDef PajeStartLink 15
%       Time date
%       Type string
%       Container string
%       Value string
%       StartContainer string
%       Key string
%       Size int
%EndEventDef
%EventDef PajeEndLink 16
%       Time date
%       Type string
%       Container string
%       Value string
%       EndContainer string
%       Key string
%EndEventDef
0 M 0 Machine
0 P M Process
2 S P State
4 L 0 P P Message
6 0.000000 m0 M 0 "machine 0"
6 0.000000 m1 M 0 "machine 1"
6 0.000000 a P m0 "rank 0"
6 0.000000 b P m1 "rank 1"
END
}
events() { # CLOCK-OF-B: how many us it is behind
  awk -v behind="$1" 'BEGIN {
    for (i = 0; i < 200; ++i) {
      t = 1000 * i + 1000
      printf "%d 12 %.6f S a work\n", t, t / 1e6
      printf "%d 15 %.6f L 0 PTP a k%d 64\n", t + 50, (t + 50) / 1e6, i
      printf "%d 13 %.6f S a\n", t + 60, (t + 60) / 1e6
      b = t + 200 - behind
      printf "%d 16 %.6f L 0 PTP b k%d  # received\n", b, b / 1e6, i
      printf "%d 12 %.6f S b work\n", b + 10, (b + 10) / 1e6
      printf "%d 13 %.6f S b\n", b + 300, (b + 300) / 1e6
    }
    printf "%d 7 %.6f P b\n", 300000, 0.3
    printf "%d 7 %.6f P a\n", 300000, 0.3
    printf "%d 7 %.6f M m1\n", 300000, 0.3
    printf "%d 7 %.6f M m0\n", 300000, 0.3
  }' | sort -s -n -k1,1 | cut -d' ' -f2-
}
{ paje_head; events 0; } >good
{ paje_head; events 300; } >bad

run 0 'clc-filter --strict good | cmp - good'
run 0 'clc-filter --strict -z9 <good | clc-filter -z0 | cmp - good'
run 1 'clc-check bad'
out_has 'VIOLATED (200 of 200 edges)'
run 0 'clc-filter -mmd 20 bad -o corrected --report report; cat report'
out_has 'bad (paje): 1,208 events of 4 processes, 200 messages'
out_has '200 of 200 violated'
out_has 'Violations left in the output: 0'
run 0 'clc-check -mmd 20 bad corrected'
out_has 'law 1 clock condition: ok (200 edges)'
out_has 'law 3 order and distinctness in each process: ok'
out_has 'records identical apart from time: ok'
# Line by line: the same but for the second field, in the order of each container.
lines() { sed -n '/^6 /,$p' "$1" | sed -E 's/^([0-9]+) [-0-9.]+/\1 T/' | sort; }
run 0 'diff <(lines bad) <(lines corrected)'
run 0 'diff <(sed "/^6 /,\$d" bad) <(sed "/^6 /,\$d" corrected)'
run 0 'tail -3 corrected | cut -d" " -f1,3-; sed -n "/^6 /,\$p" corrected | awk "\$2 < last { exit 1 } { last = \$2 }"'
out '7 M m0
7 P b
7 M m1'
run 0 'clc-filter -q -mmd 20 corrected | cmp - corrected'

# To other formats and back: the same messages.
run 0 'clc-filter -q -mmd 20 -F binary bad | clc-filter --no-correction -F paje | clc-check -mmd 20 -'
out_has 'Clock condition: holds (200 edges)'
run 0 'clc-filter -q --no-correction -F text bad | grep -c "^[0-9]* [0-9]* S - 0 .* 64 key=k"'
out 200
run 0 'clc-tracegen finite-elements --seed 3 | clc-filter -mmd 5 -F paje --keep-original | clc-check -mmd 5 - | grep Clock'
out_has 'Clock condition: holds'
run 0 'clc-tracegen halo --seed 3 --events 3000 -F paje | clc-check - | grep -c "messages  *1,"'
# A message has the same key wherever its ends stand: in the true times, in a correction, in a trace without one.
run 0 'clc-tracegen ring --seed 1 --events 1000 -F paje -o run --truth truth; clc-filter run -o corrected-run; clc-check run corrected-run --truth truth'
out_has 'records identical apart from time: ok'
out_has 'messages, corrected'
run 0 'clc-tracegen halo --seed 1 --events 1000 -o halo; clc-filter --no-provenance --no-correction halo -F paje -o recorded; clc-filter --no-provenance halo -F paje -o corrected-halo; clc-check recorded corrected-halo | grep identical'
out_has 'records identical apart from time: ok'
run 0 'clc-filter --no-correction --no-provenance -F binary recorded | clc-filter --no-correction -F paje | grep "^9" | cut -d" " -f7 | sort | uniq -d'
out ''
if clc-filter --version | grep -q libotf2; then
  run 0 'clc-filter -q -mmd 20 -F otf2 bad -o archive; clc-filter -q --no-correction -F text archive | grep -c " S .* 64 "'
  out 200
fi

# Links name only their own end; delays for pairs apply all the same, and the pairs are told apart.
run 0 'clc-tracegen pairs --seed 1 -n 2 --events 4000 -F paje -o pairs; clc-check -mmd 1 pairs | grep " -> [01] "'
run 0 'clc-filter -q -mmd 1 -mmd 1:0=300 pairs -o slow --report report; grep " -> .* of " report'
out '    1 rank1 -> 0 rank0  1,000 of 1,000, smallest delay -60.197 us'
run 0 'clc-check -mmd 1 -mmd 1:0=300 pairs slow'
out_has 'law 1 clock condition: ok'
run 0 'clc-filter -q -mmd 1 pairs --dry-run --report - | grep -E "ADVICE.*-mmd|could be larger: -mmd"'
run 1 'clc-filter -q -mmd 1 pairs -o fast; clc-check -mmd 1 -mmd 1:0=300 pairs fast'

# The unit of time: 20 us are 0.02 units of a trace in milliseconds.
run 0 'clc-filter --paje-unit ms --dry-run --report - -mmd 20 good | grep resolution'
out 'resolution 1000000000 ticks/s, minimum message delay 20.000 us'
run 0 'clc-filter --paje-unit ns --dry-run -q --report - -mmd 20 good'
out_has '200 of 200 violated'
run 2 'clc-filter --paje-unit min good'
err 'clc-filter: --paje-unit: expected s, ms, us or ns, found *'
run 2 'clc-filter --keep-original good -o out'
err 'clc-filter: --keep-original: the lines of a Paje trace have no field for a second time; use another output format*'

# Damage: everything before it is processed.
run 1 '(head -n 500 bad; echo "13 x S b"; cat bad) | clc-filter -q -mmd 20 >out'
err 'clc-filter: standard input:501: found "x" as time of PajePopState, expected a decimal number; correct or remove the line'
run 0 'wc -l <out'
out 500
run 1 '(head -n 500 bad; printf "13 0.9 S") | clc-filter -q -mmd 20 >out'
err 'clc-filter: standard input:501: found no Container of PajePopState, expected a container * (the last line has no newline: the file may be truncated)'
# An end of a link without its start.
run 3 'grep -v "k9 64" bad | clc-filter --strict -mmd 20 >out'
err_has 'clc-filter: warning: 1 receive was released without its send'
err_has 'clc-filter: --strict: 1 case stayed unresolved'
# So much ahead of the first time that the resolution is settled without it: the usual one.
run 0 '(sed "/^0 M 0/,\$d" bad; yes "# long" | head -n 2500000; sed -n "/^0 M 0/,\$p" bad) | clc-filter -q -mmd 20 -F text --no-provenance >late'
run 0 'grep -vx "#paje # long" late | diff - <(clc-filter -q -mmd 20 -F text --no-provenance bad | grep -v %resolution)'
out ''
# Several types of links: the same messages whichever comes first, in the parts of a trace and in its correction.
two_types() { # PROCESS...: 50 messages each way, of two types; the clock of b is 300 us behind
  paje_head | sed '/^4 L/a 4 N 0 P P Notice'
  for i in $(seq 50); do
    printf '%d a 15 %.6f N 0 x a k%d 8\n' $((1000 * i + 10)) "$((1000 * i + 10))e-6" "$i"
    printf '%d b 16 %.6f N 0 x b k%d\n' $((1000 * i - 200)) "$((1000 * i - 200))e-6" "$i"
    printf '%d b 15 %.6f L 0 x b l%d 8\n' $((1000 * i - 500)) "$((1000 * i - 500))e-6" "$i"
    printf '%d a 16 %.6f L 0 x a l%d\n' $((1000 * i + 500)) "$((1000 * i + 500))e-6" "$i"
  done | sort -n -s -k1,1 | grep -E "^[0-9]+ ($1) " | cut -d' ' -f3-
}
run 0 'mkdir parts; two_types a >parts/a.trace; two_types b >parts/b.trace; two_types "a|b" >whole; clc-check -q whole | grep Clock; clc-check -q parts | grep Clock'
out 'Clock condition: VIOLATED (50 of 100 edges)
Clock condition: VIOLATED (50 of 100 edges)'
# L comes first, and after the correction N.
{
  paje_head | sed '/^4 L/a 4 N 0 P P Notice'
  printf '6 0.000000 %s P m0 "rank %s"\n' c 2 d 3
  printf '16 0.000010 L 0 x a k\n15 0.000020 N 0 x b k 8\n16 0.000030 N 0 x c k\n15 0.000050 L 0 x d k 8\n'
} >swap
run 0 'clc-filter -q swap -o swap.corrected; grep "^1[56]" swap.corrected | cut -d" " -f3 | uniq; clc-check -q swap swap.corrected'
out_has 'N
L'
# Where processes move to earlier times, the containers around them are created before them all the same.
for how in --auto --backwards '--combine mean'; do
  case $how in --auto) can_estimate || continue ;; esac
  run 0 "clc-filter -q -mmd 5 $how bad -o earlier; clc-filter --strict --dry-run earlier"
  run 0 'lines bad | diff - <(lines earlier)'
  run 0 'sed -n "/^6 /,\$p" earlier | awk "NR > 1 && \$2 < last { exit 1 } { last = \$2 }"'
done

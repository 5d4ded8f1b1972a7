# Archives made of other formats: read again by clc-filter and, independently, through otf2-print.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
command -v otf2-print >/dev/null || skip 'no otf2-print (otf2-tools)'
look=$CLC_SOURCE/test/cli/otf2_text.py
copy='clc-filter --no-correction --no-provenance'
by_process='sort -s -n -k 2,2'

# Text to archive to text is the same byte by byte, and what otf2-print sees is the same in each location.
for scenario in halo finite-elements ring pairs master-worker random collectives coarse-clock scenario2; do
  more=
  case $scenario in
    halo | finite-elements | ring) more='--regions --nodes 2' ;;
    collectives) more='--nonblocking 30 --lose-members 5' ;;
  esac
  run 0 "clc-tracegen $scenario --seed 3 --events 3000 --start 20000000 $more -o a.clct"
  # Tags below 0 are known to this program only.
  run 0 "sed -i '/ [SR] /s/ -1 / 5 /' a.clct"
  run 0 "$copy -F otf2 a.clct -o a --overwrite"
  run 0 "$copy -F text a | cmp a.clct -"
  run 0 "$look records a/traces.otf2 | sort -s -n -k 2,2 | cmp <(grep -v ^% a.clct | $by_process) -"
  # Made at once, and of binary, it is the same archive.
  run 0 "$copy -F binary -z a.clct | $copy -F otf2 -o b"
  run 0 'diff -r -x traces.otf2 a b'
  out ''
  run 0 'rm -r b'
done
run 0 'clc-tracegen halo --seed 3 --events 3000 --start -3000000 --no-provenance | tee a.clct | '"$copy"' -F otf2 -o a --overwrite'
run 0 'clc-tracegen halo --seed 3 --events 3000 --start -3000000 --no-provenance -F otf2 -o b --truth truth'
run 0 'diff -r -x traces.otf2 a b'
out ''
# Times below 0.
run 0 'grep -q "^-" a.clct'
run 0 "$copy -F text b | cmp a.clct -"
run 0 'otf2-print -I b/traces.otf2 | grep -A 1 CLC::'
out_has 'CLC::TIME_SHIFT'
run 0 'clc-filter -q --no-provenance b -o c && clc-filter -q --no-provenance a.clct -o c.clct'
# Events at one time may stand in another order, but not those of a process.
run 0 "$copy -F text c | $by_process | cmp <($by_process c.clct) -"
run 0 'clc-check -mmd 5 b c --truth truth'
out_has 'truth'

# Corrected on the way, and judged independently.
run 0 'clc-filter -q --no-provenance -mmd 5 a.clct -F otf2 -o d'
run 0 "$look violations 5000 d/traces.otf2"
out_has ' 0 violated'
run 0 'clc-check -mmd 5 d'
out_has 'Clock condition: holds'
run 0 "clc-filter -q --no-provenance -mmd 5 a.clct | $by_process | cmp - <($copy -F text d | $by_process)"
run 0 'otf2-print d/traces.otf2 | grep -c BUFFER_FLUSH; true'
out 0

# What was done to an archive stands in it, the newest first, and goes into other formats and back.
run 0 'clc-tracegen ring -n 3 --seed 3 --events 300 -F otf2 -o p && clc-filter -q -mmd 2 p -o p2 && clc-filter -q -mmd 3 p2 -o p3'
run 0 "$copy -F text p3 | tee p3.clct | grep ^%provenance | cut -d' ' -f2,4-5"
out 'clc-filter -mmd 3
clc-filter -mmd 2
clc-tracegen ring --processes'
run 0 "$copy -F otf2 p3.clct -o p4 && $copy -F text p4 | cmp - p3.clct"
run 0 'rm -r p p2 p3 p4'

# Numbers of attributes have no gap, of which otf2-print would warn.
run 0 'clc-filter -q --keep-original a.clct -F otf2 -o k && otf2-print k/traces.otf2 >/dev/null && rm -r k'

# A name that does not fit into a chunk of definitions of the usual size.
run 0 '{ printf "%%clc-trace 1\n%%resolution 1000000000\n%%process 0 a\n1000 0 E "; head -c 600000 /dev/zero | tr "\\0" x; echo; } >wide-name.clct'
run 0 "$copy -F otf2 wide-name.clct -o wide-name && $copy -F text wide-name | grep -v ^% | cmp - <(grep -v ^% wide-name.clct) && rm -r wide-name*"

# Events at one time that get several: their files cannot be copied with the times replaced.
run 0 'clc-tracegen halo --seed 3 --events 3000 --tick 20 --regions --no-provenance | tee t.clct | '"$copy"' -F otf2 -o t'
run 0 'clc-filter -q --no-provenance --report-format json --report report t -o t.out'
run 0 'grep -q "\"stretched_ties\": [1-9]" report'
run 0 "$look compare t/traces.otf2 t.out/traces.otf2"
out_has 'events of 64 locations'
run 0 "$copy -F text t.out | $by_process | cmp - <(clc-filter -q --no-provenance t.clct | $by_process)"

# All that a record can be, and what an archive cannot carry.
cat >w.clct <<'END'
%clc-trace 1
# ahead of the first record
%resolution 1000000
%min-delay 7
%process 18446744073709551614 a:b node=n1
%process 5 :x
%process 6 plain node=n0
%process 7
%process 8 node=n1
%process 9 clock=5
%group 4 5 6
%group 99999999999 5 6 18446744073709551614
%group 7 min-delay=5
-92233720368547750 5 E some region here
-50 5 S 6 4 -1 8
-40 5 S 18446744073709551614 99999999999 1 18446744073709551615 more fields @=-41
-30 6 R 5 4 -1 8
-20 18446744073709551614 R 5 99999999999 1 8
-10 5 B call=-1 x
-10 6 B call=-9223372036854775808
-9 5 X bcast 99999999999 2 1 1 call=-1
-9 6 X allreduce 99999999999 - 1 1 call=-9223372036854775808 field
0 6 S - 7 1 0
1 5 R - 7 1 0
1 6 I @=7
2 6 L
3 6 I some text @=9
4 6 anything else
END
run 0 "$copy w.clct -F otf2 -o w"
err 'clc-filter: warning: w: 2 messages have a tag beyond 32 bits, *'
run 0 "$copy w -F text | diff w.clct -"
out ''
cat >>w.clct <<'END'
# behind the first record
%offset 5 0 0 1.5
%group 4 6 5
5 5 B
6 5 X barrier 4 - 0 0
6 5 S 6 4 3 3
6 6 S 18446744073709551614 7 3 3
7 6 R 5 4 3 3
END
run 0 "$copy w.clct -F otf2 -o w --overwrite"
err_has 'w: 1 comments or other notes after the first record are lost'
err_has 'w: 1 communicators got a new number'
err_has 'w: 5 messages were moved to a communicator of all processes'
run 0 "$copy -F text w | grep -e ^# -e ^%offset"
out '# ahead of the first record
%offset 5 0 0 1.5'
# What it cannot hold is not held against it, but what it can is.
run 0 "clc-tracegen halo -n 4 --events 300 --seed 1 -o n.clct; sed -i -e '20a # a comment' -e '60a # another one' n.clct"
run 0 'clc-filter -q n.clct -F otf2 -o n && clc-check n.clct n | grep identical'
out_has 'records identical apart from time: ok'
run 1 "sed '5i # ahead' n.clct | clc-check - n | grep -A 1 identical; exit \${PIPESTATUS[1]}"
out_has "first: line '# ahead' is missing in the corrected trace"
run 0 "sed '60i %process 1 renamed node=other' n.clct >renamed.clct; clc-filter renamed.clct -F otf2 -o renamed"
err_has 'renamed: 1 processes changed their name or node after their first record'
run 0 'clc-check renamed.clct renamed | grep identical'
out_has 'records identical apart from time: ok'
run 1 "clc-check renamed.clct n | grep -A 1 identical; exit \${PIPESTATUS[0]}"
out_has "first: line '%process 1 renamed node=other' is missing in the corrected trace"
rm -r n n.clct renamed renamed.clct
{ cat w.clct && printf '%s\n' '%process 5 moved node=elsewhere' '%process 5 moved node=elsewhere'; } >moved.clct
run 0 "$copy moved.clct -F otf2 -o moved --overwrite"
err_has 'moved: 1 processes changed their name or node after their first record; the archive has only the last one'
run 0 "clc-filter -q --no-correction w.clct -F otf2 -o w --overwrite && $copy -F text w | grep -c ' [SR] '"
out 9
run 0 'otf2-print w/traces.otf2 2>/dev/null | grep -c "^MPI_.*UNDEFINED\|^MPI_.*NONE"'
out 3
run 0 'clc-filter -q -mmd 1 --no-provenance --keep-original w -F text >by-archive; clc-filter -q -mmd 1 --no-provenance --keep-original w.clct >by-text; grep -c @= by-archive'
out 20
run 0 'diff <(grep -o "@=.*" by-archive | sort) <(grep -o "@=.*" by-text | sort)'
out ''
run 0 'small_trace | clc-filter -q -mmd 1 --keep-original -F otf2 -o kept && '"$copy"' -F text kept | grep -c "@="'
out 13
# A communicator that only gets another delay.
cat >delays.clct <<'END'
%clc-trace 1
%process 0 a
%process 1 b
%group 4 0 1 min-delay=100
1000 0 B
1000 1 B
1200 0 X barrier 4 - 0 0
1200 1 X barrier 4 - 0 0
%group 4 0 1 min-delay=300
2000 0 B
2000 1 B
2200 0 X barrier 4 - 0 0
2200 1 X barrier 4 - 0 0
END
run 0 "$copy delays.clct -F otf2 -o delays"
err '*delays: 1 communicators got a new number*'
run 0 "$copy -F text delays | grep -e %group -e X"
out '%group 4 0 1 min-delay=100
%group 0 0 1 min-delay=300
1200 0 X barrier 4 - 0 0
1200 1 X barrier 4 - 0 0
2200 0 X barrier 0 - 0 0
2200 1 X barrier 0 - 0 0'
run 0 'clc-filter -q delays --dry-run --report - --report-format json | grep -A 3 "\"collectives\": {"'
out_has '"violated": 2,'
# A delay within nodes is kept, also by a correction of the archive.
cat >nodes.clct <<'END'
%clc-trace 1
%resolution 1000000000
%min-delay 5000 node=100
%process 0 a node=n
%process 1 b node=m
%process 2 c node=n
%group 0 0 1 2
100 0 S 1 0 1 8
100 1 R 0 0 1 8
20000 0 S 2 0 1 8
20000 2 R 0 0 1 8
END
run 0 "$copy nodes.clct -F otf2 -o nodes && $copy -F text nodes | diff nodes.clct -"
out ''
run 0 'clc-filter --no-provenance --no-amortization -F text nodes | grep " R "'
out '5100 1 R 0 0 1 8
20100 2 R 0 0 1 8'
run 0 "clc-filter nodes -o nodes.out && $copy -F text nodes.out | grep min-delay && clc-check -q nodes nodes.out"
out_has '%min-delay 5000 node=100'
# The place of definitions among other notes is not.
run 0 "sed '/^%resolution/i # ahead' nodes.clct | sed '/^%min-delay/a # behind' >noted.clct; clc-filter noted.clct -F otf2 -o noted && clc-check -q noted.clct noted"
run 0 "sed -i /^%resolution/d noted.clct; clc-check -q noted.clct noted"
# A delay of 0 is one tick.
printf '%%clc-trace 1\n%%min-delay 100\n%%process 0 a\n%%process 1 b\n%%group 5 0 1 min-delay=0\n1000 0 S 1 5 0 0\n1050 1 R 0 5 0 0\n' >zero.clct
run 0 "$copy zero.clct -F otf2 -o zero && for trace in zero.clct zero; do clc-filter --no-provenance -F text \$trace | tail -n 1; done"
out '1050 1 R 0 5 0 0
1050 1 R 0 5 0 0'
# Additional fields of definitions are not kept.
run 0 "printf '%s\n' '%clc-trace 1' '%resolution 5 x' '%min-delay 5 node=1 x=1' '%process 0 a node=n x=2' '%process 1 b clock=0' '%group 0 0 1 min-delay=3 x=3' | $copy -F otf2 -o fields"
err '*: fields: 4 definitions lost additional fields, because an archive cannot hold them'
# More different texts than it holds.
run 0 "long_trace 300000 | $copy -F otf2 -o texts"
err '*: 86225 records lost their text or name, because there are more than 16 MiB of distinct ones'

# Many locations, few open files; beyond 32 MiB in a temporary file.
run 0 '(ulimit -n 32; clc-tracegen ring -n 400 --seed 1 --events 20000 --no-provenance --start 1000000 -F otf2 -o many)'
run 0 "clc-tracegen ring -n 400 --seed 1 --events 20000 --no-provenance --start 1000000 | cmp - <($copy -F text many)"
run 0 'mkdir tmp && TMPDIR=$PWD/tmp clc-tracegen halo --seed 1 --events 3000000 -F otf2 -o large && rmdir tmp'
run 0 'clc-filter -q --no-correction -F binary large | clc-check - | head -n 2'
out_has '3,'

# What a record of many locations holds beside its peer, from there: roots, receives that overtake others.
{
  echo '%clc-trace 1'
  seq -f '%%process %g p' 0 79
  echo "%group 0 $(seq -s ' ' 0 79)"
  echo '10 0 S 1 0 5 8
20 0 S 1 0 5 8
30 1 R 0 0 5 8 overtakes=1
40 1 R 0 0 5 8'
  seq -f '100 %g B' 0 79
  seq -f '200 %g X bcast 0 3 8 8' 0 79
  seq -f '300 %g B' 0 79
  seq -f '400 %g X reduce 0 3 8 8' 0 79
} >rooted.clct
figures() { clc-filter -q -mmd 1 --dry-run --report - --report-format json "$1" | sed -n '/"violations"/,/"processes"/p'; }
run 0 "$copy rooted.clct -F otf2 -o rooted && figures rooted.clct"
out_has '"violated": 158,'
run 0 'diff <(figures rooted.clct) <(figures rooted)'
out ''

# Messages of a communicator that changes its members, or between others, keep its delay; not when that changes.
changing() {
  printf '%%clc-trace 1\n%%process 0 a\n%%process 1 b\n%%process 2 c\n%%group 5 0 1 min-delay=100\n'
  printf '1000 0 S 1 5 0 8\n1010 1 R 0 5 0 8\n2000 0 S 2 5 0 8\n2010 2 R 0 5 0 8\n%%group 5 0 2 min-delay=%d\n' "$1"
  printf '3000 0 S 2 5 0 8\n3010 2 R 0 5 0 8\n'
}
run 0 "changing 100 | $copy -F otf2 -o changing"
err_has '6 messages were moved to a communicator of all processes, because their own one changed, or does not contain both'
run 0 "$copy -q -F text changing | clc-filter -q --no-provenance --no-amortization | grep R"
out '1100 1 R 0 1 0 8
2100 2 R 0 1 0 8
3100 2 R 0 1 0 8'
run 0 "changing 300 | $copy -F otf2 -o changing2"
err_has '6 of these messages lost the minimum delay of their communicator, because it changed'

# Folders and refusals.
run 1 'small_trace | clc-filter -q -F otf2 -o d'
err 'clc-filter: d: already exists; *'
run 2 'small_trace | clc-filter -q -F otf2'
err '*an OTF2 archive is a folder; name a new one with -o *'
run 2 'clc-tracegen halo --seed 1 -F otf2'
err '*an OTF2 archive is a folder; name a new one with -o *'
run 1 'clc-tracegen halo --seed 1 -F otf2 -o d'
err 'clc-tracegen: d: already exists; *'
run 2 'clc-tracegen halo --seed 1 -F otf2 -o e --truncate 5'
err '*--truncate: an archive is a folder*'
run 2 'small_trace | clc-filter -F otf2 -z -o e'
err '*-z: an OTF2 archive is not compressed with zstd*'
run 2 'cp d/traces.otf2 x.clct; small_trace >d/x.clct; clc-filter d/x.clct -F otf2 -o d --overwrite'
err '* d holds the input; *'
run 0 "clc-filter -q -mmd 1 --keep-original w -o w.kept && $copy -F text w.kept | grep -c @="
out 20
run 1 'echo "%clc-trace 1" | clc-filter -F otf2 -o e'
err '*e: found a trace without processes, expected at least one; *'
run 1 'printf "%%clc-trace 1\n%%resolution 1000000000\n%%process 0 a\n-9223372036854775807 0 I\n5 0 I\n" | clc-filter -F otf2 -o e'
err '*e: found times from -9223372036854775807 to 5, expected a span below 2^63 ticks *'
run 1 'printf "%%clc-trace 1\n%%process 0 a\n-9223372036854775808 0 I\n" | clc-filter -F otf2 -o e'
err '*e: found time -9223372036854775808, expected later ones in an OTF2 archive; choose *'
run 1 'printf "%%clc-trace 1\n%%process 18446744073709551615 a\n" | clc-filter -F otf2 -o e'
err '*e: found process 18446744073709551615, expected lower numbers *'
# No room: nothing is left, nothing replaced.
run 1 '(ulimit -f 8; trap "" XFSZ; clc-tracegen halo --seed 1 -F otf2 -o e)'
err 'clc-tracegen: e: cannot write the events of a location (libotf2: File is too large: *); check room and permissions'
run 1 '(ulimit -f 8; trap "" XFSZ; clc-filter -q --no-correction large -o e)'
err 'clc-filter: e: cannot write the events of a location: File too large; check room and permissions'
run 0 'ls -A | grep -e "^e" -e tmp; true'
out ''

# Other readers find what Score-P writes: a machine, a node above each process, paradigms and roles.
run 0 'clc-tracegen collectives --seed 1 --regions --events 3000 --nodes 2 -F otf2 -o like --overwrite && otf2-print -G like/traces.otf2 | sed "s/ <[0-9]*>//g; s/  */ /g" | grep -E "^(SYSTEM|LOCATION_GROUP 0|PARADIGM|REGION)" | sed "s/ (Aka.*Role/ Role/; s/, Flags.*//"'
for line in 'SYSTEM_TREE_NODE 0 Name: "machine", Class: "machine", Parent: UNDEFINED' \
  'SYSTEM_TREE_NODE_DOMAIN System Tree Node: "machine::machine", Domain: MACHINE' \
  'SYSTEM_TREE_NODE 2 Name: "node1", Class: "node", Parent: "machine::machine"' \
  'SYSTEM_TREE_NODE_DOMAIN System Tree Node: "node::node1", Domain: SHARED_MEMORY' \
  'LOCATION_GROUP 0 Name: "rank0", Type: PROCESS, Parent: "node::node0", Creator: UNDEFINED' \
  'PARADIGM 4 MPI, Name: "MPI", Class: PROCESS' \
  'Name: "MPI_Barrier" Role: BARRIER, Paradigm: "MPI"' 'Name: "MPI_Bcast" Role: COLL_ONE2ALL, Paradigm: "MPI"' \
  'Name: "MPI_Gather" Role: COLL_ALL2ONE, Paradigm: "MPI"' 'Name: "MPI_Allreduce" Role: COLL_ALL2ALL, Paradigm: "MPI"' \
  'Name: "MPI_Exscan" Role: COLL_OTHER, Paradigm: "MPI"' 'Role: FUNCTION, Paradigm: USER'; do out_has "$line"; done
run 1 'otf2-print -G like/traces.otf2 | grep -E "Role: UNKNOWN|Paradigm: UNKNOWN|unknown node"'
run 0 'printf "%%clc-trace 1\n%%resolution 1000000000\n%%process 0 a\n%%process 1 b node=n\n%%group 1 0 1\n1 0 E MPI_Isend\n2 0 E MPI_Put\n3 0 L MPI_Put\n4 0 L MPI_Isend\n5 0 E MPI_Iallreduce\n6 0 E MPI_Init\n" >nodeless.clct; clc-filter -q --no-correction --no-provenance nodeless.clct -F otf2 -o nodeless; otf2-print -G nodeless/traces.otf2 | sed "s/ <[0-9]*>//g; s/  */ /g" | grep -E "^(SYSTEM|LOCATION_GROUP|REGION)" | sed "s/ (Aka.*Role/ Role/; s/, Flags.*//"'
out 'SYSTEM_TREE_NODE 0 Name: "machine", Class: "machine", Parent: UNDEFINED
SYSTEM_TREE_NODE_DOMAIN System Tree Node: "machine::machine", Domain: MACHINE
SYSTEM_TREE_NODE 1 Name: "n", Class: "node", Parent: "machine::machine"
SYSTEM_TREE_NODE_DOMAIN System Tree Node: "node::n", Domain: SHARED_MEMORY
SYSTEM_TREE_NODE 2 Name: "clc unknown node", Class: "node", Parent: "machine::machine"
LOCATION_GROUP 0 Name: "a", Type: PROCESS, Parent: "node::clc unknown node", Creator: UNDEFINED
LOCATION_GROUP 1 Name: "b", Type: PROCESS, Parent: "node::n", Creator: UNDEFINED
REGION 0 Name: "MPI_Isend" Role: POINT2POINT, Paradigm: "MPI"
REGION 1 Name: "MPI_Put" Role: RMA, Paradigm: "MPI"
REGION 2 Name: "MPI_Iallreduce" Role: COLL_ALL2ALL, Paradigm: "MPI"
REGION 3 Name: "MPI_Init" Role: FUNCTION, Paradigm: "MPI"'
# The node that is none is none when it is read again.
run 0 'clc-filter -q --no-correction --no-provenance nodeless -F text | cmp - nodeless.clct'

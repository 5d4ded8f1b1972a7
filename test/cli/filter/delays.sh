# Minimum delays that stand in the trace: none at all, and a process that goes to another node. Minimum distances.
# What an event causes comes a tick later, even where messages may take no time.
cat >none.clct <<'END'
%clc-trace 1
%resolution 1000000000
%min-delay 0
%process 0 a
%process 1 b
%group 0 0 1
1000 0 S 1 0 0 8
1000 1 R 0 0 0 8
END
run 0 'clc-filter none.clct | tail -n 1'
out '1001 1 R 0 0 0 8'
run 1 'clc-check none.clct'
out_has '0.001 us (1 tick)'
run 0 'clc-filter none.clct | clc-check -'

# A delay within nodes counts as long as both processes are on one.
cat >moves.clct <<'END'
%clc-trace 1
%resolution 1000000000
%process 0 a node=x
%process 1 b node=x
%group 0 0 1
10000 0 S 1 0 0 8
10100 1 R 0 0 0 8
%process 1 b node=y
20000 0 S 1 0 0 8
20100 1 R 0 0 0 8
END
run 0 'clc-filter -mmd 3 -mmd node=1 --no-amortization --no-provenance moves.clct | grep " R "'
out '11000 1 R 0 0 0 8
23000 1 R 0 0 0 8'

# The trace itself may name a delay within nodes; one from the user replaces both.
sed 's/^%resolution.*/&\n%min-delay 3000 node=1000/' moves.clct >named.clct
run 0 'clc-filter --no-amortization named.clct >corrected.clct; grep " R " corrected.clct'
out '11000 1 R 0 0 0 8
23000 1 R 0 0 0 8'
run 0 'grep -c "provenance clc-filter .* -mmd 3 -mmd node=1 " corrected.clct; clc-check -q corrected.clct >/dev/null'
out 1
run 1 'clc-check named.clct'
out_has 'inside a node 1 us'
run 0 'clc-filter -mmd 2 --no-amortization --no-provenance named.clct | grep " R "'
out '12000 1 R 0 0 0 8
22000 1 R 0 0 0 8'
run 0 'clc-filter --no-correction -F binary named.clct | clc-filter --no-correction -F text --no-provenance - | grep min-delay'
out '%min-delay 3000 node=1000'

# A distance for one process leaves the others alone.
cat >dense.clct <<'END'
%clc-trace 1
%resolution 1000000000
%process 0 a
%process 1 b
1000 0 I
1000 1 I
1500 0 I
1500 1 I
2600 0 I
END
run 0 'clc-filter --delta 0=1 --delta 9=1 --no-provenance dense.clct | sed "/^%/d"'
out '1000 0 I
1000 1 I
1500 1 I
2000 0 I
3099 0 I'
err_has 'clc-filter: warning: --delta 9=: the trace has no such process'
run 0 'clc-filter -q --delta 1 --delta 0=0 --no-provenance dense.clct | sed "/^%/d"'
out '1000 0 I
1000 1 I
1500 0 I
2000 1 I
2600 0 I'

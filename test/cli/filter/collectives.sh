# Collective operations as in the paper on the extended clock: an allreduce of three processes, gamma constant.
# [L eq. 3.3, 3.4]: the end of each member is at least mu behind the latest begin; in between the clock runs at gamma.
cat >in <<'EOF'
%clc-trace 1
%process 0 a
%process 1 b
%process 2 c
%group 0 0 1 2
0 1 I
1000 1 B
2000 2 B
3000 1 X allreduce 0 - 8 8
3500 1 I
5000 0 B
5200 2 X allreduce 0 - 8 8
7000 0 X allreduce 0 - 8 8
8000 1 I
9000 2 I
EOF
times() { for process in 0 1 2; do awk -v p=$process '!/^%/ && $2 == p { printf "%s ", $1 } END { print "" }' out; done; }
options='-mmd 1 --delta 0.001 --regulators A --gamma-max 0.99'
run 0 "clc-filter in -q -o out $options --no-amortization"
run 0 times
out '5000 7000 
0 1000 6000 6495 10950 
2000 6000 9762 '
# The jump of 3000 ns at the end of process 1 is spread over the time before it, that of 800 ns of process 2, too.
run 0 "clc-filter in -q -o out $options -maxerr 100 -cldiff 10"
run 0 times
out '5000 7000 
3000 4000 6000 6495 10950 
2800 6000 9762 '

# Members of a collective operation that send nothing, or receive nothing, are waited for by nobody, or wait for nobody.
header='%clc-trace 1
%process 0 a
%process 1 b
%process 2 c
%group 0 0 1 2
%group 1 0 1'

# Process 2 sends nothing to the root, and has a message from it before the operation.
cat >gatherv.clct <<END
$header
500 2 R 0 0 0 8
1000 0 B
1000 1 B
1000 2 B
2000 2 X gatherv 0 0 0 0
5000 0 X gatherv 0 0 8 16
5100 1 X gatherv 0 0 8 0
6000 0 S 2 0 0 8
20000 1 I x
END
run 0 'clc-filter -mmd 1 --strict gatherv.clct -o corrected.clct && clc-check -mmd 1 gatherv.clct corrected.clct'
run 0 'grep " R " corrected.clct'
out '7000 2 R 0 0 0 8'

# Process 1 receives nothing, and has gone on before process 0 comes.
cat >alltoallv.clct <<END
$header
500 0 R 1 1 0 8
1000 0 B
1500 1 B
2000 1 X alltoallv 1 - 8 0
3000 1 S 0 1 0 8
6000 0 X alltoallv 1 - 0 8
END
run 0 'clc-filter -mmd 1 --strict alltoallv.clct -o corrected.clct && clc-check -mmd 1 alltoallv.clct corrected.clct'
run 0 'grep " R " corrected.clct'
out '4000 0 R 1 1 0 8'

# Collective operations whose members disagree on what they were.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'

# Collective operations of MPI: one location calls one more than the others. From there on each meets others of another
# kind, and none of them counts; neither do those with several roots.
run 0 'clc-test-otf2-archive disagree disagree'
run 0 'clc-check -mmd 1 disagree'
out_has 'Clock condition: holds (6 edges)'
out_has 'collective calls that record a different operation or root than other members; such operations order nothing  6'
err_has 'a different number of events'
run 0 'clc-filter -mmd 1 --match fifo disagree -o disagree.out --report report'
err_has '6 collective calls disagree with the other members on the operation or its root'
run 0 'grep -e "ordered pairs" -e "Violations left" -e "^  [0-9].* events moved" report'
# The end of a bcast only waits for the root: the second location's was bound before the third was read.
out '  collectives  0 of 6 ordered pairs violated (0.0 %), 0 received before sent
Violations left in the output: 0
  10 of 32 events moved (31.2 %)'
run 0 'clc-check -mmd 1 disagree disagree.out'
out_has 'law 4 unchanged where nothing is violated: does not apply, members disagree on collective operations'
err_has 'a different number of events'
# In text it is the same.
run 0 'clc-filter -q --no-correction -F text disagree 2>/dev/null >text && clc-filter -mmd 1 --match fifo text >corrected'
err_has '6 collective calls disagree'
run 0 'clc-filter -q -mmd 1 --match fifo -F text disagree 2>/dev/null | grep -v ^% | cmp - <(grep -v ^% corrected)'
# By default the call that is one too many is found: the others missed it. Those with several roots still order nothing.
run 0 'clc-filter -mmd 1 disagree -o found.out --report report'
err_has 'correcting again with --match whole'
err_has '2 collective calls disagree with the other members on the operation or its root'
run 0 'grep -e "ordered pairs" -e "Violations left" report'
out '  collectives  0 of 14 ordered pairs violated (0.0 %), 0 received before sent
Violations left in the output: 0'
run 0 'clc-check -q -mmd 1 disagree found.out'
out_has 'law 1 clock condition: ok'

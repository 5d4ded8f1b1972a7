# What is refused, and how.
small_trace >run.clct
run 2 'clc-sync --method best run.clct'
err "clc-sync: --method: *smooth, line*variable*best*"
run 2 'clc-sync --method variable --intervals 0 run.clct'
err_has '--intervals'
run 2 'clc-sync run.clct -o run.clct'
err 'clc-sync: run.clct is the input; write to another file*'
run 1 'clc-sync missing.clct'
err 'clc-sync: missing.clct: *'
run 1 '(small_trace; echo nonsense) | clc-sync -o map'
err 'clc-sync: standard input:*nonsense*'
run 1 'clc-sync run.clct -o missing/map'
err_has 'missing/map'
# Options that would have no effect.
for option in --seed=2 --runs=2 '--report-format json'; do
  run 2 "clc-sync $option run.clct"
  err "clc-sync: ${option%=2} makes no sense without --compare *"
done
for option in --seed=2 --runs=2; do
  run 2 "clc-sync --compare $option run.clct"
  err "clc-sync: ${option%=2} makes no sense with INPUT: only simulated programs have runs *"
done
run 0 'clc-sync --report-format text run.clct'
for option in --intervals=2 --burst=near -mmd=2 --bandwidth=100; do
  run 2 "clc-sync --compare $option"
  err "clc-sync: ${option%=*} makes no sense with --compare unless INPUT is named *"
done
run 2 'clc-sync --compare --method line run.clct'
err 'clc-sync: --method makes no sense with --compare, which runs all methods *'
run 2 'clc-sync --intervals 4 run.clct'
err 'clc-sync: --intervals makes no sense with --method smooth; give --method hofmann, hofmann-hilgers or variable *'
run 2 'clc-sync --method duda --burst near run.clct'
err 'clc-sync: --burst makes no sense with --method duda; give --method measured *'
# Methods that have no solution name a pair of processes, and write nothing.
clc-tracegen halo -n 4 --seed 3 --wander 5 --events 4000 --duration 20 -o varies.clct
run 1 'clc-sync --method duda varies.clct -o map'
err 'clc-sync: varies.clct: --method duda has no solution: no straight line lies between the messages of processes ? and ?, as the rate of a clock varies; use method smooth'
run 1 'clc-filter --estimate=duda varies.clct -o corrected'
err 'clc-filter: varies.clct: --estimate=duda has no solution: no straight line lies between the messages of processes ? and ?, *'
run 1 'clc-sync --method hofmann-hilgers --intervals 1 varies.clct -o map'
err 'clc-sync: varies.clct: --method hofmann-hilgers has no solution: the messages of processes ? and ? contradict each other, directly or through others; use method smooth'
clc-tracegen ring -n 4 --seed 3 --events 400 -o ring.clct
run 1 'clc-sync --method jezequel ring.clct -o map'
err '*: too few messages in one direction between processes 0 and 1, directly or through others; use method smooth'
no_more_files run.clct varies.clct ring.clct

# What is refused, and how.
small_trace >run.clct
run 2 'clc-sync --method best run.clct'
err "clc-sync: --method: *line*smooth*best*"
run 2 'clc-sync run.clct -o run.clct'
err 'clc-sync: run.clct is the input; write to another file*'
run 1 'clc-sync missing.clct'
err 'clc-sync: missing.clct: *'
run 1 '(small_trace; echo nonsense) | clc-sync -o map'
err 'clc-sync: standard input:*nonsense*'
run 1 'clc-sync run.clct -o missing/map'
err_has 'missing/map'
no_more_files run.clct

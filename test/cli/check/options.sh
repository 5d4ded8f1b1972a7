# Misspellings and misuse, help and version.
small_trace >in.clct
run 2 'clc-check'
err 'clc-check: expected a trace to check*'
run 2 'clc-check -mmd'
err 'clc-check: -mmd needs a value*'
run 2 'clc-check -mmd x in.clct'
err "clc-check: -mmd: expected a number of microseconds, found 'x'*"
run 2 'clc-check -mmd 1:=2 in.clct'
err "clc-check: -mmd: expected US, FROM:TO=US or node=US, found '1:=2'*"
run 2 'clc-check -mmd 1=2 in.clct'
err 'clc-check: -mmd: expected *'
run 2 'clc-check -mmd -1 in.clct'
err "clc-check: -mmd: expected 0 or more microseconds, found '-1'*"
run 2 'clc-check -mmd 0:1=-1 in.clct'
err 'clc-check: *'
run 2 'clc-check --bandwidth 0 in.clct'
err "clc-check: --bandwidth: expected more than 0 MB/s, found '0'*"
run 2 'clc-check --truht in.clct in.clct'
err 'clc-check: unknown option --truht, did you mean --truth?*'
run 2 'clc-check --truth in.clct in.clct'
err 'clc-check: --truth needs a corrected trace in addition to the recorded one*'
run 1 'clc-check -mmd 0:9=5 -mmd node=1 in.clct'
err_has 'clc-check: warning: -mmd node: the trace names no nodes'
err_has 'clc-check: warning: -mmd 0:9: the trace has no process 9'
run 2 'clc-check --wait-limit 1 in.clct'
err 'clc-check: --wait-limit needs a corrected trace in addition to the recorded one*'
run 2 'clc-check --wait-limit -1 in.clct in.clct'
err 'clc-check: --wait-limit: expected seconds, 0 or more, found -1*'
run 2 'clc-check --report-format xml in.clct'
err 'clc-check: --report-format: expected text or json*'
run 2 'clc-check -f tape in.clct'
err "clc-check: --format: expected text, binary, otf2 or paje, found 'tape'*"
run 2 'clc-check - -'
err 'clc-check: only one of the traces can come from standard input*'
run 2 'clc-check in.clct in.clct in.clct'
err "clc-check: unexpected operand 'in.clct'*"

run 0 'clc-check --help'
out_has 'Usage: clc-check'
run 0 'clc-check --help | awk "length > 79"'
out ''
run 0 'clc-check --version | head -1'
out_has 'clc-check'
no_more_files in.clct

# A reader that has seen enough ends the program silently, as other filters end: by SIGPIPE.
long_trace 300000 >long.clct
run 0 'clc-filter long.clct | head -1'
out '%clc-trace 1'
run 141 'clc-filter long.clct | head -1 >/dev/null; exit ${PIPESTATUS[0]}'
run 141 'clc-filter -F binary -z long.clct | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}'
run 141 'clc-filter --no-correction long.clct | head -1 >/dev/null; exit ${PIPESTATUS[0]}'
run 141 'trap "" PIPE; clc-filter long.clct | head -1 >/dev/null; exit ${PIPESTATUS[0]}'
run 141 'cat long.clct | clc-filter | head -1 >/dev/null; exit ${PIPESTATUS[1]}'
run 141 'mkfifo pipe; exec 4<>pipe 5>pipe 4>&-; rm pipe; clc-filter --help >&5'
# The report beside it does not appear half.
run 141 'clc-filter long.clct --report report | head -1 >/dev/null; exit ${PIPESTATUS[0]}'
no_more_files long.clct

# The launcher of the recorder: options and refusals.
run 0 'clc-record --help'
out_has 'Usage: clc-record [OPTION...] COMMAND'
run 0 'clc-record --version'
out_has 'clc-record '
for option in --help --version; do
  for to in '/dev/full' '&-'; do
    run 1 "clc-record $option >$to"
    err 'clc-record: standard output: cannot be written'
  done
done
run 2 'clc-record'
err 'clc-record: expected a command*'
run 2 'clc-record --outputt x true'
err 'clc-record: unknown option --outputt*'
run 2 'clc-record -o'
err 'clc-record: -o needs a value*'
run 2 'clc-record --stamp=sun true'
err "clc-record: --stamp: expected counter or clock, found 'sun'*"
run 2 'clc-record --buffer 1.2.3 true'
err "clc-record: --buffer: expected a number, found '1.2.3'*"
run 2 'clc-record --sync-every 0.1 true'
err 'clc-record: --sync-every: expected at least 0.15 seconds, because measurements need a pause between them, found 0.1*'
run 1 'clc-record true'
err 'clc-record: nothing was recorded; is true an MPI program*'
run 7 'clc-record -q sh -c "exit 7"'
err 'clc-record: nothing was recorded; *'
run 1 'mkdir -p old; : >old/rank0.clcb; clc-record -o old true'
err 'clc-record: old: holds traces already; *'
# All options are in the manual page, and the reverse.
page=$CLC_SOURCE/man/clc-record.1
clc-record --help | grep -oE '^  -.*' | grep -oE -- '(^| )--?[a-z-]+' | tr -d ' ' | sed 's/^-*//' | sort -u >help
grep '^\.It Fl' "$page" | grep -oE 'Fl -?[a-z-]+' | sed 's/Fl -*//' | sort -u >man
run 0 'diff help man'

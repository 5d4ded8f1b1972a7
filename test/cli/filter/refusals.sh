# What clc-filter will not do, in one line each, leaving nothing behind.
small_trace >in.clct
run 2 'clc-filter in.clct -o in.clct'
err 'clc-filter: in.clct is the input; write to another file and rename it (see clc-filter --help)'
run 2 'ln in.clct hard.clct; clc-filter in.clct -o ./hard.clct'
err 'clc-filter: ./hard.clct is the input*'
run 2 'clc-filter <in.clct -o in.clct'
err 'clc-filter: in.clct is the input*'
run 2 'clc-filter in.clct 1<>in.clct'
err 'clc-filter: standard output is the input*'
run 2 'clc-filter in.clct --dry-run --report in.clct'
err 'clc-filter: --report: in.clct is the input*'
run 2 'clc-filter in.clct -o out --report out'
err 'clc-filter: --report: out is the output*'
run 2 'clc-filter in.clct -o out --report ./out'
err 'clc-filter: --report: ./out is the output*'
run 2 'clc-filter in.clct --report /dev/stdout'
err 'clc-filter: --report: /dev/stdout is the output*'
run 2 'clc-filter --dry-run --report - in.clct >>in.clct'
err 'clc-filter: --report: standard output is the input*'
run 2 'clc-filter in.clct -o out --report - >>in.clct'
err 'clc-filter: --report: standard output is the input*'
run 2 'clc-filter in.clct --sweep-mmd 1:10 >>in.clct'
err 'clc-filter: standard output is the input*'
run 2 'mkdir set && ln in.clct set/a.clct; clc-filter set >>set/a.clct'
err 'clc-filter: standard output is the input*'
run 0 'clc-filter -q set --dry-run --report - >set/report && rm set/report'
run 2 'clc-check in.clct >>in.clct'
err 'clc-check: standard output is the input in.clct*'
run 2 'clc-check in.clct set >>in.clct'
err 'clc-check: standard output is the input in.clct*'
run 2 'clc-view --text in.clct >>in.clct'
err 'clc-view: standard output is an input*'
run 0 'small_trace | cmp - in.clct'
rm -rf hard.clct set
# Nor the offsets of its clocks.
echo '%offset 1 0 5' >offsets
for way in '-o offsets' '-o out --report ./offsets' '-F binary >>offsets'; do
  run 2 "clc-filter --offsets offsets in.clct $way"
  err_has 'offsets'
done
run 2 'clc-sync --method measured --offsets offsets in.clct -o offsets'
err 'clc-sync: offsets is the file of --offsets*'
run 0 'cat offsets && rm offsets'
out '%offset 1 0 5'
if clc-filter --version | grep -q libotf2; then
  run 0 'clc-filter -q in.clct -F otf2 -o a && cp -r a b'
  for file in a/traces.def a/traces.otf2 a/traces/0.evt; do
    run 2 "clc-filter a --dry-run --report $file"
    err "clc-filter: --report: $file is the input*"
    run 2 "clc-filter a -F text -o $file"
    err "clc-filter: $file is the input*"
    run 2 "clc-filter a -F text >>$file"
    err 'clc-filter: standard output is the input*'
  done
  run 2 'ln a/traces.def a/linked; clc-filter a -F text >>a/traces.def'
  err 'clc-filter: standard output is the input*'
  run 0 'rm a/linked; cd a && clc-filter -q traces.otf2 -F text >traces.clct && cp traces.clct traces.text && clc-filter -q traces.otf2 -F text -o traces.text && cmp traces.clct traces.text && rm traces.clct traces.text'
  run 0 'diff -r a b && rm -r a b'
fi
# What is open already is written where it is.
run 0 'echo earlier >log; clc-filter -q in.clct -o /dev/stdout >>log; { clc-filter -q in.clct --report /dev/fd/3 -o /dev/null; echo later >&3; } 3>>log; sed -n "1p; \$p" log; wc -l <log; rm log'
out_has 'earlier
later'
run 0 'clc-filter --dry-run in.clct -o in.clct -q'  # nothing is written

run 1 'clc-filter missing.clct -o out.clct'
err 'clc-filter: missing.clct: cannot be opened: No such file or directory*'
run 1 'mkdir empty; clc-filter empty -o out.clct; status=$?; rmdir empty; exit $status'
err 'clc-filter: empty: is a directory without traces*'
run 1 'clc-filter in.clct -o nowhere/out.clct'
err 'clc-filter: nowhere/out.clct: cannot be created: No such file or directory*'
run 1 'clc-filter in.clct -o .'
err 'clc-filter: .: is a directory*'
run 1 'clc-filter in.clct -o out.clct --report nowhere/report'
err 'clc-filter: nowhere/report: cannot be created: No such file or directory*'
if ! under_valgrind; then  # whose messages another user cannot write
  program=clc-filter
  if [ "$(id -u)" = 0 ]; then
    chmod 777 .
    cp "$(command -v clc-filter)" program
    program='setpriv --reuid 65534 --regid 65534 --clear-groups ./program'
  fi
  run 1 "cp in.clct secret.clct; chmod 0 secret.clct; $program secret.clct"
  err 'clc-filter: secret.clct: cannot be opened: Permission denied*'
  run 1 "echo old >kept.clct; chmod 444 kept.clct; $program in.clct -o kept.clct"
  err 'clc-filter: kept.clct: cannot be written: Permission denied; it is write-protected: make it writable, or write to another file'
  run 1 "mkdir closed; chmod 555 closed; $program in.clct -o closed/out.clct"
  err 'clc-filter: closed/out.clct: cannot be created: Permission denied; write to a folder that you may write to'
  run 0 'cat kept.clct; ls -A closed'
  out old
fi
rm -rf secret.clct kept.clct closed program
if [ -c /dev/full ]; then
  run 1 'clc-filter in.clct -q >/dev/full'
  err 'clc-filter: standard output: cannot be written: No space left on device*'
  run 1 'clc-filter --help >/dev/full'
  err 'clc-filter: standard output: cannot be written: No space left on device'
  run 1 'clc-filter in.clct -q -o /dev/full'
  err 'clc-filter: /dev/full: cannot be written: No space left on device*'
  run 1 'clc-filter in.clct -q -F binary -z >/dev/full'
  err 'clc-filter: standard output: cannot be written: No space left on device*'
  run 1 'clc-filter in.clct --dry-run -q --report /dev/full'
  err 'clc-filter: /dev/full: cannot be written: No space left on device*'
  run 1 'clc-filter in.clct --dry-run -q --report - >/dev/full'
  err 'clc-filter: standard output: cannot be written: No space left on device*'
fi
no_more_files in.clct

# Processes can be defined anywhere in a trace: only its end tells that a delay was for nobody.
run 0 'clc-filter -mmd 7:0=1 --dry-run in.clct'
err 'clc-filter: warning: -mmd 7:0: the trace has no process 7'
run 0 'clc-filter -mmd node=1 --dry-run in.clct'
err 'clc-filter: warning: -mmd node: the trace names no nodes'
run 0 'sed "s/rank0/rank0 node=a/" in.clct | clc-filter -mmd node=1 --dry-run'

# A signal removes what is under construction and ends the program by itself.
not_under_valgrind 'kills the program at moments of its run'
mkfifo pipe
for signal in INT:130 TERM:143 HUP:129; do
  run "${signal#*:}" "set -m
    clc-filter pipe -o out.clct --report report &
    exec 3>pipe; long_trace 200000 >&3
    for i in \$(seq 6000); do ls .out.clct.* >/dev/null 2>&1 && break; sleep 0.05; done
    ls .out.clct.* >/dev/null || echo 'no temporary file'
    kill -${signal%:*} \$! ; wait \$! 2>/dev/null"
  out ''
  no_more_files
done

# Binary is not written to a terminal, a terminal is no input.
command -v script >/dev/null || skip 'script(1) is missing'
small_trace >in.clct
on_terminal() { script -qec "$1" /dev/null </dev/null | tr -d '\r'; }
run 0 "on_terminal 'clc-filter -F binary in.clct; echo status \$?'"
out_has 'clc-filter: standard output is a terminal'
out_has 'status 2'
run 0 "on_terminal 'clc-filter -z in.clct; echo status \$?'"
out_has 'clc-filter: standard output is a terminal'
out_has 'status 2'
run 0 "on_terminal 'clc-filter -q in.clct; echo status \$?'"
out_has '%clc-trace 1'
out_has 'status 0'
run 0 "on_terminal 'clc-filter --dry-run; echo status \$?'"
out_has 'clc-filter: standard input is a terminal; name a trace or use a pipe'
out_has 'status 2'
# Progress is asked for and goes away again.
run 0 "on_terminal 'clc-filter --progress --dry-run in.clct'"
out_has 'in.clct: 100 %  '
out_has ' B  13 events  '
# While another program of the pipe shows how far it is, this one does not.
if command -v python3 >/dev/null; then
  cat >other.py <<'END'
import fcntl, subprocess, sys
fcntl.lockf(2, fcntl.LOCK_EX)
sys.exit(subprocess.call(sys.argv[1:]))
END
  run 1 "on_terminal 'python3 other.py clc-filter --progress --dry-run in.clct' | grep events"
fi
run 1 "on_terminal 'clc-filter -q --progress --dry-run in.clct' | grep ."

# An archive that replaces another while others use the folder.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
clc-tracegen ring -n 3 --events 300 --seed 1 -F otf2 -o old || fail 'cannot make an archive'
clc-tracegen ring -n 5 --events 300 --seed 2 >in.clct
clc-filter -q --no-provenance in.clct -F otf2 -o expected
mkfifo trace

# slowly COMMAND...: replaces the archive in out; COMMAND runs while the program waits for its input.
slowly() {
  rm -rf out && cp -rp old out
  clc-filter --no-provenance trace -F otf2 --overwrite -o out &
  local filter=$!
  exec 8>trace
  head -n 100 in.clct >&8
  while [ -z "$(find . -maxdepth 1 -name '.out.*.tmp')" ] && kill -0 $filter; do sleep 0.02; done
  "$@"
  tail -n +101 in.clct >&8
  exec 8>&-
  wait $filter
}
# replaced FILE...: the new archive is there, and these files of the old folder are kept.
replaced() {
  run 0 'diff -rq -x traces.otf2 expected out'
  run 0 'cd out.kept && find . -type f | sort'
  out "$(printf '%s\n' "$@")"
  run 0 'find . -name ".out*"; rm -r out.kept'
  out ''
}
kept='clc-filter: warning: out: files that were added to the replaced folder or changed while the archive was written are kept in out.kept'

run 0 'slowly true; diff -rq -x traces.otf2 expected out && ls -a'
out '.
..
expected
in.clct
old
out
trace'
others() { echo note >out/notes.txt && echo more >out/traces/notes.txt; }
run 0 'slowly others'
err "$kept"
replaced ./notes.txt ./traces/notes.txt
# A file of the archive that was written to.
changed() { echo more >>out/traces/1.evt; }
run 0 'slowly changed'
err "$kept"
replaced ./traces/1.evt
# Another archive that took the place of the one that was there.
another() { cp -r old new && mv out gone && mv new out; }
run 0 'slowly another; rm -r gone'
err "$kept"
run 0 'mkdir -p out.kept/traces; mv out.kept another && diff -r old another && rm -r another && diff -rq -x traces.otf2 expected out'
# Nothing there any more.
removed() { rm -r out; }
run 0 'slowly removed; diff -rq -x traces.otf2 expected out'
# Names of former times are left alone.
run 0 'mkdir out.kept && slowly others'
err "$kept-2"
run 0 'ls out.kept out.kept-2'
out 'out.kept:

out.kept-2:
notes.txt
traces'

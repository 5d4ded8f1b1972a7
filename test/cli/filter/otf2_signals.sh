# A signal removes the folder under construction, with what is in it, and keeps the archive that was to be replaced.
not_under_valgrind 'kills the program at moments of its run'
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
clc-test-otf2-archive ring long 8 80000 && clc-test-otf2-archive ring old 2 10 || fail 'cannot make an archive'
cp -r old out
for signal in INT:130 TERM:143 HUP:129; do
  # While it reads, and while it writes.
  for file in '' '/traces/*.evt'; do
    # It may be done before anybody looks, or before the signal reaches it; with --keep-original it writes for longer.
    run "${signal#*:}" "set -m
      for try in \$(seq 30); do
        rm -rf out; cp -r old out
        nice -n 19 clc-filter long --keep-original -o out --overwrite &
        while kill -0 \$! 2>/dev/null; do
          ls -d .out.*.tmp$file >/dev/null 2>&1 && kill -${signal%:*} \$! && break
          sleep 0.002
        done
        wait \$!
        status=\$?
        [ \$status = 0 ] || break
      done 2>/dev/null
      exit \$status"
    out ''
    run 0 'ls -A && diff -r old out'
    out 'long
old
out'
  done
done
# So does a reader of the report that ends, when all has its name; and one of a trace that is an archive's.
run 141 'clc-filter -q long -o other --report - | true; exit ${PIPESTATUS[0]}'
run 141 'clc-filter -q -F text long | true; exit ${PIPESTATUS[0]}'
run 0 'ls -A'
out 'long
old
other
out'

# Few descriptors: an archive with more locations than files may be open is read all the same; where there are too few
# the message says so, and nothing is left.
not_under_valgrind 'needs descriptors itself'
! grep -q __ubsan_handle "$(command -v clc-filter)" || skip 'sanitizers need descriptors themselves'
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
clc-test-otf2-archive ring ring 64 2000 || fail 'cannot make an archive'
clc-filter -q -mmd 1 --no-provenance ring -o expected || fail 'cannot correct it'
clc-filter -q -mmd 1 --no-provenance ring -F text >expected.clct
few() { (ulimit -n "$1" && shift && exec "$@"); }  # LIMIT COMMAND...
worked=0
for limit in 5 6 7 8 9 10 12 16 24 40 66 70 80; do
  command="with $limit descriptors"
  few $limit clc-filter -q -mmd 1 --no-provenance ring -o out 2>err
  status=$?
  if [ $status = 0 ]; then
    diff -rq -x traces.otf2 expected out || fail 'another result'
    worked=$((worked + 1))
  else
    [[ $status = 1 && $(wc -l <err) = 1 && $(cat err) == *"; at most $limit files may be open at once: raise the limit with ulimit -n" ]] ||
      fail "status $status, standard error is $(cat err)"
    [ ! -e out ] || fail 'there is an output'
    [ $limit -lt 10 ] || fail "10 are not enough: $(cat err)"
  fi
  rm -rf out err
  [ -z "$(find . -name '.*.tmp*')" ] || { fail "left: $(find . -name '.*.tmp*')"; rm -rf .*.tmp*; }
done
[ $worked -ge 8 ] || fail "only $worked runs had a result"
run 0 'few 10 clc-filter -q -mmd 1 --no-provenance --threads 3 ring -F text -o out.clct && cmp out.clct expected.clct'
run 1 'few 10 clc-check -q -mmd 1 ring'
out_has 'Clock condition: VIOLATED (32,000 of 128,000 edges)'
run 0 'few 10 clc-view -q --text -mmd 1 ring | head -n 1'

# A signal that finds all descriptors in use.
mkfifo trace
for limit in 5 6 7 8 9 10 11; do
  (exec 8<>trace && printf '%%clc-trace 1\n%%process 0 a\n1 0 I x\n' >&8 && exec sleep 600) &
  writer=$!
  (ulimit -n $limit && exec clc-filter -q trace -F otf2 -o new) 2>/dev/null &
  filter=$!
  for _ in $(seq 6000); do [ -z "$(find . -name '.new*')" ] && kill -0 $filter 2>/dev/null && sleep 0.05 || break; done
  kill $filter 2>/dev/null
  wait $filter
  kill $writer
  wait $writer
  [ -z "$(find . -name '.new*')" ] || { fail "left with $limit descriptors: $(find . -name '.new*')"; rm -rf .new*; }
done

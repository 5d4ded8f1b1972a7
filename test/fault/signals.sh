# A signal right behind each call that makes a file or folder or gives it its name: nothing temporary is left, and what
# has the name is whole.
[ -n "${CLC_FAULT_LIBRARY:-}" ] || skip 'the library that makes signals come is not part of this build'
clc-tracegen ring -n 3 --events 300 --seed 1 -o in.clct

# each CALL COMMAND: which makes out.
each() {
  local call=$1 total n status
  rm -rf expected out
  CLC_FAULT=$call:signal:999999 CLC_FAULT_COUNT=count LD_PRELOAD=$CLC_FAULT_LIBRARY $2 || fail 'status without signal'
  total=$(cat count)
  [ "$total" -gt 0 ] || fail "no call of $call"
  mv out expected
  for n in $(seq "$total"); do
    command="$2, signal behind $call $n of $total"
    CLC_FAULT=$call:signal:$n LD_PRELOAD=$CLC_FAULT_LIBRARY $2 2>err &
    wait $! 2>/dev/null
    status=$?
    [ "$status" = 143 ] || fail "status $status"
    [ ! -s err ] || fail "standard error is $(cat err)"
    [ ! -e out ] || diff -r -x traces.otf2 -I events/s expected out >&2 || fail 'an output that is not whole'
    rm -rf out err
    [ -z "$(find . -name '*.tmp*')" ] || fail "left: $(find . -name '*.tmp*' -print -exec rm -r {} +)"
  done
}
for threads in 1 3; do
  each open "clc-filter -q --threads $threads --no-provenance in.clct -o out"
  each rename "clc-filter -q --threads $threads --no-provenance in.clct -o out"
done
each open 'clc-filter -q in.clct -o /dev/null --report out'
each rename 'clc-filter -q in.clct -o /dev/null --report out'
if clc-filter --version | grep -q libotf2; then
  for call in open mkdir rename; do each $call 'clc-filter -q --no-provenance in.clct -F otf2 -o out'; done
  clc-filter -q -F otf2 in.clct -o in
  for call in open mkdir rename; do each $call 'clc-filter -q --no-provenance in -o out'; done
fi

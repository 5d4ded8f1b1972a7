# System calls that fail, are short or are interrupted, each of a small run in turn.
[ -n "${CLC_FAULT_LIBRARY:-}" ] || skip 'the library that makes calls fail is not part of this build'
small_trace >in.clct
clc-filter -q --no-provenance --no-correction -F binary in.clct -o in.clcb
clc-filter -q --no-provenance --no-correction -z1 in.clct -o in.zst
for name in in.clct in.clcb in.zst; do
  clc-filter -q --no-provenance "$name" -o "expected.$name"
done
clc-filter -q --no-provenance in.clct --dry-run --report expected.report

# Interrupted, not ready, one byte at a time: the result is as ever.
for how in read:short:0 write:short:0 read:again:0 write:again:0; do
  for name in in.clct in.clcb in.zst; do
    run 0 "CLC_FAULT=$how LD_PRELOAD=$CLC_FAULT_LIBRARY clc-filter -q --no-provenance $name -o out && cmp out expected.$name"
    run 0 "cat $name | CLC_FAULT=$how LD_PRELOAD=$CLC_FAULT_LIBRARY clc-filter -q --no-provenance | cmp - expected.$name"
  done
  run 0 "CLC_FAULT=$how LD_PRELOAD=$CLC_FAULT_LIBRARY clc-check expected.in.zst >/dev/null"
  run 0 "CLC_FAULT=$how LD_PRELOAD=$CLC_FAULT_LIBRARY clc-tracegen ring --events 100 --seed 1 >/dev/null"
  rm -f out
done

# Threads that the system does not give are done without.
for name in in.clct in.clcb in.zst; do
  for when in 0 1 2; do
    run 0 "CLC_FAULT=thread:11:$when LD_PRELOAD=$CLC_FAULT_LIBRARY clc-filter -q --no-provenance --threads 3 $name -o out && cmp out expected.$name"
  done
  run 0 "CLC_FAULT=thread:11:9 CLC_FAULT_COUNT=count LD_PRELOAD=$CLC_FAULT_LIBRARY clc-filter -q --threads 3 $name -o out; cat count"
  out 2
  rm -f out count
done

# each CALL ERROR COMMAND: fails at each such call; what was readable before may still be written.
each() {
  local total n status text out=$4
  rm -f out report
  CLC_FAULT=$1:$2:999999 CLC_FAULT_COUNT=count LD_PRELOAD=$CLC_FAULT_LIBRARY $3 >/dev/null || fail "status without fault: $3"
  total=$(cat count)
  rm -f count out report
  [ "$total" -gt 0 ] || fail "no call of $1: $3"
  for n in $(seq "$total"); do
    command="$1 $n of $total fails with $2: $3"
    CLC_FAULT=$1:$2:$n LD_PRELOAD=$CLC_FAULT_LIBRARY timeout 300 $3 >stdout 2>err
    status=$?
    text=$(cat err)
    if [ "$status" = 1 ]; then
      [[ $(wc -l <err) -eq 1 && $text == *cannot\ be\ * ]] || fail "standard error is $text"
      [ "$out" = kept ] || [ ! -e out ] || cmp -s out "expected.${5:-in.clct}" || fail 'status 1 and part of an output'
    elif [ "$status" = 0 ]; then
      [ ! -s err ] || fail "status 0, standard error is $text"
      [ ! -e out ] || cmp out "expected.${5:-in.clct}" || fail 'status 0 and another result'
    else
      fail "status $status, $text"
    fi
    rm -f out report stdout err
    [ -z "$(find . -name '*.tmp')" ] || fail "files left: $(find . -name '*.tmp' -exec rm {} \; -print)"
  done
}
both='clc-filter -q --no-provenance --threads 1 in.clct -o out --report report'
three='clc-filter -q --no-provenance --threads 3 in.clct -o out --report report'
each read 5 "$both" kept
each read 5 "$three" kept
each read 5 'clc-filter -q --no-provenance in.zst -o out' kept in.zst
each read 21 'clc-check expected.in.clct' kept
each write 28 "$both" none
each write 28 "$three" none
each write 28 'clc-filter -q --no-provenance in.zst -o out' none in.zst
each write 5 'clc-filter -q --no-provenance in.clcb' none
each write 28 'clc-tracegen ring --events 10000 --seed 1 --truth report -o stdout2' none
each open 24 "$both" none
each open 13 'clc-filter -q --no-provenance in.zst -o out' none in.zst
each close 5 "$both" none
each close 5 "$three" none
each close 122 'clc-filter -q --no-provenance in.clcb -F text -o out' none in.clct
each rename 18 "$both" none
each sync 5 "$both" none
each sync 22 "$both" none
each stat 5 "$both" none
# What replaces a private file is private from its first moment on: killed behind any open, it is so.
umask 022
for n in $(seq 12); do
  echo private >out && chmod 600 out
  (CLC_FAULT=open:kill:$n LD_PRELOAD=$CLC_FAULT_LIBRARY clc-filter -q --threads 1 in.clct -o out) 2>/dev/null
  find . -name '*.tmp' -size 0 >>made
  [ -z "$(find . \( -name out -o -name '*.tmp' \) -perm /077)" ] || fail "open $n: $(ls -la)"
  rm -f out .out*.tmp
done
[ -s made ] || fail 'no temporary file was seen'
rm made
no_more_files in.clct in.clcb in.zst expected.in.clct expected.in.clcb expected.in.zst expected.report stdout2

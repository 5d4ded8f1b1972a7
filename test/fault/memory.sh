# Each allocation of a small run fails once; then all from it on. The run ends with one line and status 1 and leaves no
# file, or does without that memory and writes what it always writes.
[ -n "${CLC_FAULT_LIBRARY:-}" ] || skip 'the library that makes calls fail is not part of this build'
small_trace >in.clct
# Some thousand runs: what looks at each of them is done by the shell itself.
shopt -s nullglob

# every_allocation COMMAND [STEP]: it reads in.*, writes to out, and to report where it wants to. STEP: each so-manieth
# allocation only.
every_allocation() {
  command=$1
  rm -rf out report expected
  CLC_FAULT=memory:12:999999999 CLC_FAULT_COUNT=count LD_PRELOAD=$CLC_FAULT_LIBRARY bash -c "exec $1" || fail 'status without fault'
  mv out expected
  rm -f report
  local total when status words left
  total=$(cat count)
  rm count
  [ "$total" -gt 100 ] || fail "only $total allocations were seen"
  for when in $(seq 1 "${2:-1}" "$total") $(seq 1 "$((12 * ${2:-1}))" "$total" | sed 's/$/+/'); do
    CLC_FAULT=memory:12:$when LD_PRELOAD=$CLC_FAULT_LIBRARY $1 2>err
    status=$?
    if [ "$status" = 0 ]; then
      cmp -s out expected || fail "allocation $when: status 0 and another result"
    elif [ "$status" = 1 ]; then
      mapfile -t words <err
      [ ${#words[@]} = 1 ] || fail "allocation $when: standard error is $(cat err)"
      [[ ${words[*]} =~ 'out of memory'|'Cannot allocate memory' ]] || fail "allocation $when: standard error is $(cat err)"
      [ ! -e out ] || cmp -s out expected || fail "allocation $when: status 1 and part of an output"
    else
      fail "allocation $when of $total: status $status, $(tail -3 err)"
    fi
    [ ! -e out ] && [ ! -e report ] || rm -f out report
    left=(.out* .*.tmp *.tmp)
    [ ${#left[@]} = 0 ] || { fail "allocation $when: files left: ${left[*]}"; rm -f "${left[@]}"; }
  done
  rm -f expected err
}

every_allocation 'clc-filter --no-provenance --threads 1 in.clct -o out --report report'
every_allocation 'clc-filter --no-provenance --threads 3 in.clct -o out --report report'
clc-filter -q -F binary -z1 in.clct -o in.clcb.zst
every_allocation 'clc-filter --no-provenance in.clcb.zst -F binary -z1 -o out' 3
every_allocation 'clc-filter --no-provenance --sort-window 1 in.clcb.zst -F text -z0 -o out' 3
every_allocation 'clc-tracegen ring --events 200 --seed 1 -o out' 5

# The laws, judged from outside: generated traces through clc-filter, original and correction through clc-check.
#   CLC_TRACES=N   number of seeds (1000)        CLC_SEED=N   this seed only
traces=${CLC_TRACES:-1000}
first=1
if [ -n "${CLC_SEED:-}" ]; then
  first=$CLC_SEED
  traces=$CLC_SEED
fi

choose() {  # variable = a word of the list, by the seed (no subshell: it would not advance RANDOM)
  local -n chosen=$1
  shift
  shift $((RANDOM % $#))
  chosen=$1
}

failed=0
for ((seed = first; seed <= traces; seed++)); do
  RANDOM=$seed
  choose scenario halo ring pairs master-worker random collectives
  choose processes 2 4 6 8 14 24 64
  choose events 300 700 1500
  choose offset 0 20 300 5000
  choose drift 0 1 50
  choose jitter 0.1 5 50
  choose tick '' '' '--tick 1' '--tick 100'
  choose jumps '' '' '--steps 3:500' '--resync 0.01:30' '--wander 1'
  choose start '' '' '--start epoch' '--start -5000000' '--resolution 2500001159'
  choose lost '' '' '--lose-receives 3'
  [ "$scenario" != collectives ] || lost=  # there are no messages
  choose filter '' '--regulators A' '--norm 16 --gamma-min 0' '-cldiff 5' '-maxerr 5' '--no-amortization'
  choose format text binary
  options="-n $processes --events $events --seed $seed --offset $offset --drift $drift --jitter $jitter"
  options+=" $tick $jumps $start $lost"
  command="clc-tracegen $scenario $options -F $format -o original"
  command+=" && clc-filter -q $filter original -o corrected && clc-check original corrected"
  rm -f original corrected
  [ -n "${CLC_VERBOSE:-}" ] && echo "$command" >&2
  if ! (eval "$command") >"$logs/out" 2>"$logs/err"; then
    printf 'CLC_SEED=%s: %s\n' "$seed" "$command" >&2
    grep -h -e BROKEN -e clc- "$logs/out" "$logs/err" | head -3 >&2
    failed=$((failed + 1))
  fi
done
[ "$failed" = 0 ] || fail "$failed of $traces traces break a law"

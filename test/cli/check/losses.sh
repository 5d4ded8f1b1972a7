# A trace with lost sends: messages are matched as the correction matched them, and what is lost is found.
run 0 'clc-tracegen halo -n 8 --seed 3 --events 40000 --offset 200 --lose-sends 0.05 -o lossy.clct'
run 0 'clc-filter -q --match resync lossy.clct -o resync.clct --report-format json --report filter.json'
run 0 'clc-filter -q --match fifo lossy.clct -o fifo.clct'

# They are looked for without being told.
run 0 'clc-filter -q lossy.clct | cat >default.clct; cmp default.clct resync.clct'
run 3 'clc-filter -q --strict lossy.clct -o default.clct; s=$?; cmp default.clct resync.clct; exit $s'
err_has 'clc-filter: --strict: 10 cases stayed unresolved'
# A correction that does not say how it matched is one by first in, first out.
sed "2s/ --match fifo//" fifo.clct >old.clct
run 0 'clc-check -q lossy.clct old.clct | grep "^Lost"; true'
out ''

# By default as the correction did.
run 0 'clc-check -q lossy.clct resync.clct'
out_has 'law 1 clock condition: ok'
out_has '  lost send: process '
run 0 'clc-check -q lossy.clct fifo.clct | grep "^Lost"; true'
out ''

# The wrong rule: other partners.
run 1 'clc-check -q --match fifo lossy.clct resync.clct'
out_has 'law 1 clock condition: BROKEN'
# A wrong correction is told with the right rule, too: the trace as it was is none.
run 1 'clc-check -q --match resync lossy.clct lossy.clct'
out_has 'law 1 clock condition: BROKEN'

# The losses are those that the filter reports.
clc-check -q --report-format json lossy.clct resync.clct >check.json
losses filter.json >by_filter
losses check.json >by_check
run 0 'test -s by_check; cmp by_filter by_check'
run 0 'clc-check -q --match fifo --report-format json lossy.clct fifo.clct | tr -d "\n " | grep -o "\"match\":\"fifo\",\"losses\":\[\]"; true'
out '"match":"fifo","losses":[]'

# Mapped clocks, where the order of the records changes.
if can_estimate; then
  run 0 'clc-tracegen pairs --seed 101 --events 60000 --offset 200 --lose-receives 0.1 -o pairs.clct'
  run 0 'clc-filter -q --match resync --estimate pairs.clct -o mapped.clct --report-format json --report filter.json'
  run 0 'clc-check -q --report-format json pairs.clct mapped.clct >check.json'
  losses filter.json >mapped_by_filter
  losses check.json >mapped_by_check
  run 0 'test -s mapped_by_check; cmp mapped_by_filter mapped_by_check'
fi

# Collective calls that members have missed are found by default, and no member is waited for.
run 0 'clc-tracegen collectives --events 20000 --seed 5 --offset 200 --lose-calls 20 -o missed.clct'
run 0 'clc-filter missed.clct -o by_default.clct --report-format json --report filter.json'
err_has 'correcting again with --match whole'
run 0 'grep collective_given_up filter.json | tr -d " "'
out '"collective_given_up":0,'
run 0 'clc-check -q missed.clct by_default.clct'
out_has 'law 1 clock condition: ok'
out_has ', the first of the others ends at '
calls() { listed lost_calls "$1"; }
clc-check -q --report-format json missed.clct by_default.clct >check.json
calls filter.json >calls_by_filter
calls check.json >calls_by_check
run 0 'wc -l <calls_by_filter; cmp calls_by_filter calls_by_check'
out 20
run 0 'clc-filter -q --match fifo missed.clct -o fifo.clct --report fifo.txt; grep "lost" fifo.txt; clc-check -q missed.clct fifo.clct | grep "^Lost"; true'
out ''
if can_estimate; then
  run 0 'clc-filter -q --auto missed.clct -o auto.clct --report-format json --report auto.json; calls auto.json | wc -l'
  out 20
  run 0 'clc-check -q missed.clct auto.clct'
fi

# Clocks that are set back: a trace that lacks nothing is judged by its messages, for which the clock uses C^.
for set_back in 'ring 15' 'pairs 12' 'halo 36'; do
  set -- $set_back
  run 0 "clc-tracegen $1 --processes 6 --events 2000 --steps 3:5000 --set-back --seed $2 -o back.clct && clc-filter -q back.clct -o back.corrected.clct"
  run 0 'clc-check -q back.clct back.corrected.clct | grep -c "^law 1 clock condition: ok"'
  out 1
done

# One trace: as it says, or as told.
clc-check -q --match resync --report-format json lossy.clct >alone.json || true
losses alone.json >by_check
run 0 'cmp by_filter by_check'
run 0 'clc-check -q resync.clct'
out_has 'Lost records'

# What can be read only once says the same.
clc-check -q --match resync lossy.clct >alone || true
run 1 'clc-check -q --match resync - <lossy.clct | sed "s/standard input/lossy.clct/" | diff - alone; exit ${PIPESTATUS[0]}'
out ''
clc-check -q lossy.clct resync.clct >both
run 0 'cat lossy.clct | clc-check -q - resync.clct | sed "s/standard input/lossy.clct/" | diff - both'
run 0 'clc-check -q lossy.clct <(cat resync.clct) | sed "s|/dev/fd/[0-9]*|resync.clct|" | diff - both'
run 0 'cat resync.clct | clc-check -q lossy.clct - | sed "s/standard input/resync.clct/" | diff - both'
run 2 'clc-check --match lifo lossy.clct'
err "clc-check: --match: expected fifo, resync or whole, found 'lifo'*"

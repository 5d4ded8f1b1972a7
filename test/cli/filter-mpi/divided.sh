# Locations whose neighbours have distant numbers are divided by who sends messages to whom: few items are exchanged, and
# the archive is that of clc-filter.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"

scattered() {
  awk '
    function at(process) { return process * 27 % 64 }
    /^%group/ { for (i = 3; i <= NF; i++) $i = at($i) }
    /^%process/ { names[at($2)] = $3; if (++known == 64) for (i = 0; i < 64; i++) print "%process", i, names[i] }
    /^%/ { if ($1 != "%process") print; next }
    { $2 = at($2) }
    $3 == "S" || $3 == "R" { $4 = at($4) }
    { print }'
}
items() { mpi 4 -q --dry-run --report - --report-format json "$1" | grep -o '"items_exchanged": [0-9]*' | tr -dc 0-9; }
run 0 'clc-tracegen halo -n 64 --events 20000 --offset 100 --seed 3 -F otf2 -o ordered'
run 0 'clc-tracegen halo -n 64 --events 20000 --offset 100 --seed 3 | scattered >scattered.clct'
run 0 'clc-filter --no-correction -q scattered.clct -F otf2 -o in'
numbers="2 7"
same in
if ldd "$(command -v clc-filter-mpi)" | grep -q libscotch; then
  run 0 'test "$(items in)" -gt 0 && test "$(items in)" -le "$((2 * $(items ordered)))"'
fi

# Real archives, which are not part of the project: see otf2_real.sh of clc-filter.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
[ -e "$data/otf2-cloverleaf-drift.tar.xz" ] || skip "no real archives in $data"
for archive in "$data"/otf2-*.tar.xz; do tar -xf "$archive"; done

numbers="1 2 5"
in_depth || numbers=5
same cloverleaf-first-offset-only -mmd 1
same traces-32 -mmd 1
same ring-plain -mmd 1
# Clocks are 30 ms apart there: -cldiff grows.
same stencil-plain -mmd 1
same stencil-plain -mmd 1 --regulators AD -cldiff 40000
run 0 'mpi 3 -q -mmd 1 stencil-plain --dry-run --report - --report-format json | python3 -c "import json, sys; r = json.load(sys.stdin); print(r[\"clock_difference\"][\"used_us\"] > 25000)"'
out True
same 10_scorep_mpi_tags -mmd 1

# Real archives, which are not part of the project: see otf2_real.sh of clc-filter.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
[ -e "$data/otf2-cloverleaf-drift.tar.xz" ] || skip "no real archives in $data"
for archive in "$data"/otf2-*.tar.xz; do tar -xf "$archive"; done

numbers="1 2 5"
same cloverleaf-first-offset-only -mmd 1
same traces-32 -mmd 1
same ring-plain -mmd 1
# Clocks are 30 ms apart there: -cldiff would grow in clc-filter.
same stencil-plain -mmd 1 -cldiff 40000
run 0 'mpi 3 -mmd 1 stencil-plain --dry-run 2>&1 | grep larger'
out 'clc-filter-mpi: warning: 4 jumps are larger than -cldiff allows, so intervals may change by more than -maxerr; use a larger -cldiff'
same 10_scorep_mpi_tags -mmd 1

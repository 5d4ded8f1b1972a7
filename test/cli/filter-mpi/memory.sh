# --max-memory: what each process may hold.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
in_depth || numbers="1 3"
run 0 'clc-tracegen halo -n 9 --events 200000 --allreduce 3 --offset 200 --seed 3 -F otf2 -o in'

# ---- nearly all packed events are in temporary files then
for options in '' $auto; do
  run 0 "serial -q --no-provenance $options in -o expected"
  for processes in $numbers; do
    run 0 "mpi $processes -q --no-provenance $options --max-memory 16M in -o found && diff -r -x '*.otf2' expected found"
    rm -r found
  done
  rm -r expected
done

# ---- the replay needs more: the run ends, and names what is too large
wide='-cldiff 100000 -maxerr 0.01 -mmd 5'
run 1 "mpi 1 in $wide --max-memory 1M -o out"
err 'clc-filter-mpi: events, messages and collective operations under way take @(1.[1-9]|[2-9].[0-9]) MiB, more than --max-memory leaves (1.0 MiB), most of it events within the interval of amortization, -cldiff / -maxerr, or waiting for other processes; use more processes, or a larger --max-memory'
run 1 "mpi 3 in $wide --max-memory 1M -o out"
err 'clc-filter-mpi: events, messages and collective operations under way take @(1.[1-9]|[2-9].[0-9]) MiB, more than --max-memory leaves (1.0 MiB), most of it events within the interval of amortization, -cldiff / -maxerr, or waiting for other processes; use more processes, or a larger --max-memory'
[ ! -e out ] || fail 'left: out'
rm -rf .out.*
run 0 "mpi 1 in -q $wide --dry-run"

# ---- as in clc-filter
for value in 1023K 0 -1 x; do
  run 2 "clc-filter in --dry-run --max-memory $value"
  text=$(sed 's/^clc-filter:/clc-filter-mpi:/; s/(see clc-filter /(see clc-filter-mpi /' "$logs/err")
  err '*'
  run 2 "mpi 3 in --dry-run --max-memory $value"
  err "$text"
done
rm -r in

# ---- lost records are looked for within it
run 0 'clc-tracegen halo -n 6 --events 60000 --lose-receives 1 --seed 7 --offset 200 -F otf2 -o in'
run 2 'mpi 3 in --dry-run --match whole --max-memory 1M'
err 'clc-filter-mpi: --match whole: in: more sends, receives and calls than --max-memory holds; use a larger --max-memory, or --match fifo (see clc-filter-mpi --help)'
run 0 'mpi 3 in --dry-run --max-memory 1M 2>&1 | grep "find out which"'
out 'clc-filter-mpi: warning: records are missing, but there are more sends, receives and calls than --max-memory holds to find out which; messages match first in, first out; use a larger --max-memory'
rm -r in

# ---- definitions are kept, whatever they take
run 0 'clc-test-otf2-archive halves in 4000 1000'
run 0 'mpi 3 in --dry-run --max-memory 1M 2>&1 | grep -c "^clc-filter-mpi: warning: definitions and the tables of clocks and channels take [1-9]\.[0-9] MiB, more than --max-memory (1.0 MiB); they are kept, and only 1.0 MiB is left for events; use more processes, --max-memory [48]M or more, or remove definitions that no record uses$"'
out 1
rm -r in

# Processes whose threads all call MPI: the archive and the warnings of clc-filter.
. "$CLC_SOURCE/test/cli/filter-mpi/mpi.bash"
numbers="1 2"
in_depth || numbers=2
for what in receives collective requests window between group epochs notified cuda spawned orphan crowded offsets; do
  for slow in 0 50000; do
    rm -rf in
    clc-test-otf2-archive hybrid in "$what" "$slow" || fail 'cannot make an archive'
    same in
  done
done
for what in crowded offsets; do
  rm -rf in out
  clc-test-otf2-archive hybrid in "$what" || fail 'cannot make an archive'
  run 0 'serial in -o out'
  text=$(sed 's/^clc-filter:/clc-filter-mpi:/' "$logs/err")
  err '*'
  run 0 'mpi 2 in -o out --overwrite'
  err "$text"
done

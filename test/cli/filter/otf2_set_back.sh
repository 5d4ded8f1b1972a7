# Archives whose clocks are set back, by their clock offsets or in the bytes of their files: read with the times as they
# are, corrected as the same trace in text.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
cat >in.clct <<'END'
%clc-trace 1
%resolution 1000000000
%process 0 rank:thread node=n0
%process 1 rank:thread node=n0
%group 0 0 1
100000 0 E main loop
110000 1 E main loop
1000000 0 S 1 0 1 8
900000 0 L main loop
950000 0 S 1 0 2 8
1001000 1 R 0 0 1 8
990000 1 R 0 0 2 8
995000 1 L main loop
1010000 0 E main loop
1020000 1 E main loop
END
run 0 'clc-filter in.clct --no-provenance -mmd 5 --keep-original -o expected.clct --report expected.txt; grep "set back" expected.txt'
out '  2 times a clock was set back between two events of a process
    process 0 rank:thread set back by 100.000 us: tick 900000 follows tick 1000000
    process 1 rank:thread set back by 11.000 us: tick 990000 follows tick 1001000'
for how in offsets bytes 'offsets long' 'bytes long'; do
  rm -rf run out
  # shellcheck disable=SC2086  # two words
  clc-test-otf2-archive set-back run $how || fail 'cannot make an archive'
  run 0 'clc-filter run --no-correction --no-provenance -F text | grep "^[0-9]" | cut -d" " -f1-7 | diff - <(grep "^[0-9]" in.clct)'
  run 0 'clc-filter run --no-provenance -mmd 5 --keep-original -F text --report report.txt | grep "^[0-9]" | diff - <(grep "^[0-9]" expected.clct)'
  run 0 'grep "set back" report.txt | diff - <(grep "set back" expected.txt)'
  # Also where locations are read one after the other.
  under_valgrind || run 0 '(ulimit -n 9; clc-filter run --no-provenance -mmd 5 --keep-original -F text) | grep "^[0-9]" | diff - <(grep "^[0-9]" expected.clct)'
  for options in '' --keep-original; do
    rm -rf out
    run 0 "clc-filter run -mmd 5 $options -o out && clc-check -mmd 5 run out"
    out_has 'law 1 clock condition: ok'
    out_has 'law 3 order and distinctness in each process: ok'
    run 0 'clc-filter out --no-correction --no-provenance -F text | grep "^[0-9]" | sed "s/ @=.*//" | diff - <(grep "^[0-9]" expected.clct | sed "s/ @=.*//")'
  done
  run 1 'clc-check -mmd 5 run'
  out_has 'Clocks set back: 2 times; first process 0 rank:thread at 900000 '
  # An archive cannot hold such times.
  run 1 'clc-filter run --no-correction -o same'
  err 'clc-filter: same: found time 900000 after time 1000000 in location 0, expected times in order; an OTF2 archive cannot hold others, choose text or binary with -F'
  [ ! -e same ] || fail 'there is an output'
  run 1 'clc-filter run --offsets <(echo "%offset 0 0 5") --write-offsets -o same'
  err 'clc-filter: same: *'
  [ ! -e same ] || fail 'there is an output'
done

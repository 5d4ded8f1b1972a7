# Real archives: facts of them were measured independently of this program. They are other people's data and not part
# of the project: looked for in CLC_DATA, else in ../shared/data beside the source.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
command -v otf2-print >/dev/null || skip 'no otf2-print (otf2-tools)'
[ -e "$data/otf2-cloverleaf-drift.tar.xz" ] || skip "no real archives in $data"
look=$CLC_SOURCE/test/cli/otf2_text.py
for archive in "$data"/otf2-*.tar.xz; do tar -xf "$archive"; done

# What is read is what was read independently.
same_records() { # FOLDER TEXT
  run 0 "clc-filter -q --no-correction --no-provenance -F text $1 | sed 's/BUFFER FLUSH/BUFFER_FLUSH/; s/EZTrace finalize/EZTrace_finalize/' | grep -v ^% >ours"
  run 0 "zstd -dcq '$data/$2' | grep -v ^% | cmp - ours"
}
same_records cloverleaf-first-offset-only cloverleaf-drift.clct.zst
same_records traces-32 stencil4d-32.clct.zst
same_records ring-plain eztrace-ring.clct.zst

# CloverLeaf: two processes with an accelerator and metrics each.
run 0 '$look violations 2500 cloverleaf-first-offset-only/traces.otf2'
out '302 messages, 12 violated; 104 collective operations, 188 pairs, 71 violated'
run 0 'clc-filter -mmd 1 -cldiff 1000 -maxerr 0.5 cloverleaf-first-offset-only -o clover --report report'
run 0 '$look violations 2500 clover/traces.otf2'
out '302 messages, 0 violated; 104 collective operations, 188 pairs, 0 violated'
run 0 '$look compare cloverleaf-first-offset-only/traces.otf2 clover/traces.otf2'
out '137954 events of 6 locations; times differ in 2 locations, by 0 to 94842 ticks'
run 0 '$look order cloverleaf-first-offset-only/traces.otf2 clover/traces.otf2'
out '0 within a location, 0 within a group'
# Every way to the same times: those of accelerators, too.
for format in text chrome; do
  run 0 "clc-filter -q -mmd 1 cloverleaf-first-offset-only -F $format -o clover.$format --report report; grep 'events moved' report"
  out_has '65,568 of 137,954 events moved'
done
run 0 'clc-filter -q -mmd 1 cloverleaf-first-offset-only --dry-run --report - | grep "events moved"'
out_has '65,568 of 137,954 events moved'
run 0 'clc-filter --no-correction cloverleaf-first-offset-only -F text -o raw.clct'
run 0 'clc-filter --no-correction raw.clct -F binary | clc-filter -mmd 1 -F text | grep -v ^% >a; grep -v ^% clover.text | cmp - a'
# Corrected as archive and converted afterwards: records of one time may stand in another order.
run 0 'clc-filter -q -mmd 1 cloverleaf-first-offset-only -o clover-corrected'
run 0 'clc-filter -q --no-correction clover-corrected -F text | grep -v ^% | sort | cmp - <(sort a)'

# EZTrace: group 0 twice, wrong numbers of events; each is named once.
run 0 'clc-filter -mmd 1 ring-plain -o ring'
err_has 'warning: ring-plain/eztrace_log.otf2: group 0 is defined more than once'
err_has 'warning: ring-plain/eztrace_log.otf2: 4 locations have a different number of events than their definition says'
err_has 'warning: 240 sends were never received'
run 0 '$look violations 1000 ring-plain/eztrace_log.otf2'
out '12000 messages, 5996 violated; 301 collective operations, 3612 pairs, 1794 violated'
run 0 '$look violations 1000 ring/eztrace_log.otf2'
out '12000 messages, 0 violated; 301 collective operations, 3612 pairs, 0 violated'
run 0 '$look compare ring-plain/eztrace_log.otf2 ring/eztrace_log.otf2'
out_has '78760 events of 4 locations; times differ in 4 locations'
run 0 'clc-filter -q -mmd 1 stencil-plain -o stencil'
run 0 '$look compare stencil-plain/eztrace_log.otf2 stencil/eztrace_log.otf2'
run 0 '$look violations 1000 stencil/eztrace_log.otf2'
out_has ' 0 violated; 250 collective operations, 1830 pairs, 0 violated'

# Archives without violation: with the clock offsets left alone, their events come out byte by byte.
for archive in traces-32 2_cuda_simple 10_scorep_mpi_tags; do
  run 0 "clc-filter -mmd 1 $archive -o out"
  run 0 "$look compare $archive/traces.otf2 out/traces.otf2"
  out_has 'times differ in 0 locations, by 0 to 0 ticks'
  run 0 'otf2-print -C out/traces.otf2 | grep -c ^CLOCK_OFFSET; true'
  out 0
  run 0 "clc-filter -q --no-correction --ignore-clock-offsets $archive -o raw"
  # Files of locations that the archive does not define are left out.
  run 0 "for file in raw/traces/*.evt; do cmp \$file $archive/traces/\$(basename \$file); done"
  run 0 'rm -r out raw'
done
if can_estimate; then
  run 0 'clc-filter -q --auto --dry-run --report - 10_scorep_mpi_tags | grep ^Clocks'
  out_has 'recorded 0 %, worst 0 us; mapped 0 %, worst 0 us; nothing is mapped'
fi
run 0 'clc-check -mmd 1 traces-32'
out_has '4,324 events of 32 processes'

# An archive that scripts/record-mpi-trace has recorded, corrected and judged by otf2-print.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
command -v otf2-print >/dev/null || skip 'no otf2-print (otf2-tools)'
look=$CLC_SOURCE/test/cli/otf2_text.py
zstd -dcq "$CLC_SOURCE/data/otf2-exchange.tar.zst" | tar -x
run 0 '$look violations 500 exchange/eztrace_log.otf2'
out '1200 messages, 695 violated; 120 collective operations, 680 pairs, 328 violated'
run 0 'clc-filter -q --strict -mmd 0.5 -cldiff 44433 exchange -o corrected'
run 0 '$look violations 500 corrected/eztrace_log.otf2'
out '1200 messages, 0 violated; 120 collective operations, 680 pairs, 0 violated'
run 0 '$look compare exchange/eztrace_log.otf2 corrected/eztrace_log.otf2'
out_has 'events of 4 locations; times differ in '
run 0 '$look order exchange/eztrace_log.otf2 corrected/eztrace_log.otf2'
out '0 within a location, 0 within a group'
run 1 'clc-check -q -mmd 0.5 exchange'
out_has 'VIOLATED (1,023 of 1,880 edges)'
# Through text and back into an archive: corrected alike.
run 0 'clc-filter -q --no-correction -F text exchange | clc-filter -q -mmd 0.5 -cldiff 44433 -F otf2 -o through-text'
run 0 '$look violations 500 through-text/traces.otf2'
out '1200 messages, 0 violated; 120 collective operations, 680 pairs, 0 violated'

# A page of a million events under the wheel: it is drawn, frame by frame, and the console stays silent.
not_under_valgrind 'is about the page in a browser'
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || skip "there is no chromium"
run 0 'clc-tracegen halo -n 512 --regions --events 1000000 --seed 5 -F binary | clc-filter -q -mmd 5 --keep-original -F binary | clc-view -o page.html; timeout 1400 python3 "$CLC_SOURCE/test/bench/page_pace.py" "$browser" page.html 4 | tee pace'
out_has '; 0 messages of the console'
# How fast is a matter of test/bench/RESULTS.md: another machine may be slower.
run 0 'sed -n "s/^first paint [0-9.]* s of CPU.* ms of CPU a frame.*/drawn/p" pace'
out drawn

# How fast the page is, in the trace that the browser writes of itself: CPU time, which a busy machine does not change much.
not_under_valgrind 'is about the page in a browser'
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || skip "there is no chromium"
run 0 'clc-tracegen halo -n 512 --regions --events 1000000 --seed 5 -F binary | clc-filter -q -mmd 5 --keep-original -F binary | clc-view -o page.html; timeout 120 python3 "$CLC_SOURCE/test/bench/page_pace.py" "$browser" page.html 4 | tee pace'
out_has '; 0 messages of the console'
# First paint within 2 s, frames that allow 30 of them a second.
run 0 'sed -n "s/^first paint \([0-9.]*\) s of CPU.*, \([0-9.]*\) ms of CPU a frame.*/\1 \2/p" pace | awk "{ print (NF == 2 && \$1 < 2 && \$2 < 33) }"'
out 1

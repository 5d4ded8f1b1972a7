# JSON for Perfetto: against the documented fields of the format, and with known figures.
command -v python3 >/dev/null || skip 'no python3'
look=$CLC_SOURCE/test/cli/chrome_json.py
small_trace >in.clct
run 0 'clc-filter -mmd 0.1 --no-provenance -F chrome in.clct -o small.json; cat small.json'
out_like small.json
run 0 '$look small.json'
out '2 processes, 2 threads, 8 slices, 0 open
2 messages, 0 backwards
0 ends alone, 1 instants
corrections to 0.9 us'
# Both clocks: the message of -100 ticks is backwards on the recorded one.
run 0 'clc-filter -mmd 0.1 --keep-original -F chrome in.clct >both.json; $look both.json'
out '2 processes, 4 threads, 16 slices, 0 open
4 messages, 1 backwards on recorded
0 ends alone, 2 instants
corrections to 0.9 us'
run 0 'grep -c "receive (before its send).*\"delay_us\":-0.1}" both.json'
out 1
run 0 'tail -1 both.json | grep -c "\"provenance\":\"clc-filter .* -mmd 0.1 .*\"}}"'
out 1

# As many messages as the filter matches, from all formats.
run 0 'clc-tracegen halo --seed 2 --events 20000 | clc-filter -mmd 5 -F chrome -z | zstd -dc >halo.json; $look halo.json | sed -n 2p'
out '10240 messages, 0 backwards'
run 0 'clc-filter -q -mmd 0.5 -cldiff 50000 --keep-original -F chrome -z0 "$CLC_SOURCE/data/eztrace-ring.clct.zst" -o ring.json; $look ring.json | sed -n 2,3p'
out '24000 messages, 5996 backwards on recorded
480 ends alone, 496 instants'
run 0 'clc-tracegen ring --seed 1 --events 2000 -F paje | clc-filter -q -mmd 5 -F chrome >paje.json; $look paje.json | sed -n 2p'
out_has ' messages, 0 backwards'
run 0 'clc-tracegen ring --seed 1 --events 2000 -F chrome -o made.json; $look made.json'
out_has ' processes, '

# Damaged input: the JSON holds what is before the damage, and is whole.
for size in 10 60 100 150 200 250 300; do
  run 1 "(head -c $size in.clct; printf '\n7 x') | clc-filter -q -F chrome -o cut.json; status=\$?; [ ! -e cut.json ] || $look cut.json; rm -f cut.json; exit \$status"
  err '*'
done
run 1 '(cat in.clct; echo "9600 1 E $(printf "bad \\377 name")"; echo x) | clc-filter -q -F chrome >odd.json'
err '*:21: found "x" as time*'
run 0 '$look odd.json'
out_has '2 processes, 2 threads, 9 slices, 1 open'

run 2 'clc-filter -f chrome small.json'
err "clc-filter: -f: expected text, binary, otf2 or paje, found 'chrome'*"
run 1 'clc-filter small.json'
err '*: is a Chrome trace, which can only be written'
# The last time of all, with the coarsest clock.
run 0 'printf "%%clc-trace 1\n%%resolution 1\n%%process 0 a\n0 0 E x\n9223372036854775806 0 L\n" | clc-filter -q --no-correction -F chrome'
out_has '"ts":9223372036854775806000000}'

# Several traces as one.
not_under_valgrind 'many runs'
records() { grep -v '^[%#]' | sort -k1,1n -k2,2n -s; }
split() { mkdir -p "$2" && awk -v folder="$2" -v same="${3:-0}" -f "$CLC_SOURCE/test/cli/filter/split.awk" "$1"; }

# ---- law: merging the parts of a trace gives the trace, in all formats, with few descriptors, corrected and estimated
for seed in 1 2 3; do
  scenario=$(echo halo master-worker random | cut -d' ' -f$seed)
  run 0 "clc-tracegen $scenario -n 13 --events 4k --seed $seed --regions --tick 1 -o all.clct"
  rm -rf parts mixed same
  split all.clct parts
  split all.clct same 1
  records <all.clct >expected
  run 0 'clc-filter --no-correction parts | records | cmp - expected'
  mkdir mixed
  count=0
  for part in parts/*.clct; do
    name=$(basename "$part" .clct)
    count=$((count + 1))
    case $((count % 4)) in
      0) clc-filter --no-correction "$part" -F binary -o "mixed/$name.clcb" ;;
      1) clc-filter --no-correction "$part" -z -o "mixed/$name.clct.zst" ;;
      2) clc-filter --no-correction "$part" -F binary -z -o "mixed/$name.clcb.zst" ;;
      *) cp "$part" mixed/ ;;
    esac
  done
  run 0 'clc-filter --no-correction -z0 -F text mixed/* | records | cmp - expected'
  run 0 'ls mixed/* | sort -R >list; ulimit -n 24; clc-filter --no-correction -z0 -F text --files-from list | records | cmp - expected'
  run 0 'ls mixed/* | tail -n +2 | clc-filter --no-correction -z0 -F text --files-from - "$(ls mixed/* | head -n 1)" | records | cmp - expected'
  run 0 'clc-filter -q all.clct | records >corrected; clc-filter -q parts | records | cmp - corrected'
  ! can_estimate || run 0 'clc-filter -q --auto all.clct 2>/dev/null | records >corrected; clc-filter -q --auto same | records | cmp - corrected'
done
run 0 'clc-check -q same >folder.txt; clc-check -q all.clct >file.txt; diff <(grep -v all.clct file.txt) <(grep -v same folder.txt)'

# ---- natural order decides for equal times
run 0 'mkdir order; for i in 1 2 10; do printf "%%clc-trace 1\n%%process $i p\n5 $i I\n" >order/r$i.clct; done; clc-filter -q --no-provenance order | records | cut -d" " -f2 | tr "\n" " "'
out '1 2 10 '

# ---- definitions
part() { printf '%%clc-trace 1\n%s\n' "$2" >"$1"; }
part a.clct $'%process 0 zero\n%process 1 one\n%group 7 0 1\n10 0 S 1 7 1 8'
part b.clct $'%process 1\n%process 0\n%group 7\n20 1 R 0 7 1 8'
run 0 'clc-filter --no-provenance b.clct a.clct'
out '%clc-trace 1
%resolution 1000000000
%process 1
%process 0
%group 7
%process 0 zero
%process 1 one
%group 7 0 1
10 0 S 1 7 1 8
1010 1 R 0 7 1 8'
part c.clct $'%process 1 uno\n30 1 I'
run 1 'clc-filter -q a.clct c.clct'
err 'clc-filter: c.clct: found process 1 as "uno", expected "one" as in a.clct; give different processes different numbers*'
part c.clct $'%process 1 one node=n\n30 1 I'
run 1 'clc-filter -q a.clct c.clct'
err '*: c.clct: found process 1 as "one node=n", expected "one" as in a.clct*'
# Clocks.
part k0.clct $'%process 0 a\n%process 2 c\n%process 1 b node=n clock=0\n1 0 I\n2 1 I'
part k1.clct $'%process 2 c\n%process 0 a\n%process 1 b node=n clock=2\n3 2 I'
part k2.clct $'%process 1 b node=n\n%process 2 c\n3 2 I'
part k3.clct $'%process 2 c\n%process 0 a\n%process 1 b node=n clock=0\n%process 1\n3 2 I'
part k4.clct $'%process 2 c clock=2\n%process 0 a\n%process 1\n3 2 I'
contradicts() {
  run 1 "clc-filter -q $1 $2"
  err "clc-filter: $2: found process 1 as \"$3\", expected \"$4\" as in $1; name the same clock in all traces; *"
}
contradicts k0.clct k1.clct 'b node=n clock=2' 'b node=n clock=0'
contradicts k1.clct k0.clct 'b node=n clock=0' 'b node=n clock=2'
contradicts k0.clct k2.clct 'b node=n' 'b node=n clock=0'
contradicts k2.clct k0.clct 'b node=n clock=0' 'b node=n'
for pair in 'k0.clct k3.clct' 'k3.clct k0.clct' 'k0.clct k4.clct' 'k2.clct k4.clct' 'k4.clct k2.clct' '--clock-of node k0.clct k3.clct' \
  '--clock-of location k0.clct k1.clct' '--clock-of location k2.clct k0.clct'; do
  run 0 "clc-filter -q $pair | grep -o '^%process 1.*' | sort -r | head -n 1"
  out_has '%process 1 b node=n'
done
run 1 'clc-filter -q k4.clct k0.clct >/dev/null'
err 'clc-filter: k0.clct: found process 1 on the clock of process 0 although it was defined on another, *'
part c.clct $'%process 1 one\n%group 7 1\n30 1 I'
run 1 'clc-filter -q a.clct c.clct'
err '*: c.clct: found communicator 7 with other members or another minimum delay than in a.clct*'
part c.clct $'%resolution 1000000\n%process 1 one\n30 1 I'
run 1 'clc-filter -q a.clct c.clct'
err '*: c.clct: found a resolution of 1000000 ticks per second, expected 1000000000 as in a.clct*'
# A trace may replace its own definition.
part d.clct $'%process 2 two\n%process 3 three\n%group 8 2\n5 2 I\n%group 8 2 3\n30 2 S 3 8 1 8'
run 0 'clc-filter -q --no-provenance a.clct d.clct | tail -n 4'
out '5 2 I
10 0 S 1 7 1 8
%group 8 2 3
30 2 S 3 8 1 8'
# The same number for two processes.
part e.clct $'%process 1 one\n%process 0 zero\n10 1 I\n30 1 I'
part f.clct $'%process 1 one\n20 1 I\n40 1 I'
run 0 'clc-filter e.clct f.clct >/dev/null'
err 'clc-filter: warning: e.clct: records of process 1 alternate with records in f.clct; they are merged by time, but *'
run 0 'mkdir small large; printf "%%clc-trace 1\n%%min-delay 700\n%%process 1 one\n" >small/a.clct; printf "%%clc-trace 1\n%%min-delay 300\n%%process 1 one\n5 1 I\n" >small/b.clct; clc-filter small | grep min-delay'
out '%min-delay 300'

# Within nodes, too, where a trace without one has the same as between them.
run 0 'printf "%%clc-trace 1\n%%min-delay 900 node=500\n%%process 2 two\n" >small/c.clct; clc-filter -q --no-provenance small | grep min-delay'
out '%min-delay 300 node=300'
run 0 'sed -i "s/delay 300/delay 600/" small/b.clct; clc-filter -q --no-provenance small | grep min-delay'
out '%min-delay 600 node=500'

# ---- a single trace in a folder or list is that trace: nothing changes but what has to, in any format
mkdir single
for format in text binary paje; do
  run 0 "clc-tracegen ring --seed 1 --events 200 --no-provenance -F $format -o single/s.trace"
  run 0 'clc-filter -q single/s.trace >expected; clc-filter -q single | cmp - expected'
  run 0 'echo single/s.trace | clc-filter -q --files-from - | cmp - expected'
  run 0 'echo single/s.trace | clc-filter -q --files-from - -o set/ && cmp set/s.trace expected; rm -r set'
  run 0 'clc-filter -q single -o set/ && cmp set/s.trace expected; rm -r set'
  run 0 'clc-filter --no-correction --no-provenance single | cmp - single/s.trace'
done
run 2 'clc-filter single -o single/out.trace'
err 'clc-filter: single/out.trace: lies in the input folder*'
run 1 'clc-filter -q --files-from <(echo missing.trace)'
err 'clc-filter: missing.trace: cannot be opened: *'
run 2 'clc-filter --online single'
err 'clc-filter: --online: several traces cannot be live input*'
# Several Paje traces are converted, with a warning.
run 0 'cp single/s.trace single/t.trace; clc-filter single >/dev/null'
err_has 'clc-filter: warning: merging Paje traces loses '
run 0 'for how in "-F binary" --dry-run "-o set/"; do clc-filter single $how 2>&1 >/dev/null | grep -c converted | cat; done'
out '0
0
0'
rm -r set

# ---- damage
printf '%%clc-trace 1\n%%process 5 five\n15 5 I first\n16 5 S\n' >bad.clct
run 1 'clc-filter -q --no-provenance a.clct bad.clct b.clct'
out_has '15 5 I first'
err 'clc-filter: bad.clct:4: *; with --keep-going the other traces are read'
run 1 'clc-filter -q --no-provenance --keep-going a.clct bad.clct missing.clct b.clct'
out_has '1010 1 R 0 7 1 8'
err 'clc-filter: missing.clct: cannot be opened: *; 1 other trace cannot be read whole: bad.clct:4'
run 1 'clc-filter --keep-going missing.clct gone.clct'
err 'clc-filter: missing.clct: cannot be opened: *; no trace of 2 can be read'
printf '%%clc-trace 1\n%%process 5 five\n%%process 6 six\n15 5 I\n14 6 I\n' >unsorted.clct
run 1 'clc-filter -q a.clct unsorted.clct >/dev/null'
err 'clc-filter: unsorted.clct:5: found time 14 after time 15*'
run 0 'clc-filter -q --sort-window 1 a.clct unsorted.clct >/dev/null'

# ---- traces that can be read only once are kept where they are read twice
first=$(ls parts/* | head -n 1)
second=$(ls parts/* | sed -n 2p)
third=$(ls parts/* | sed -n 3p)
for how in '--match whole' $auto ${auto:+--estimate}; do
  run 0 "clc-filter -q $how $first $second $third >expected 2>/dev/null"
  run 0 "cat $second | clc-filter -q $how $first - $third 2>/dev/null | cmp - expected"
  run 0 "clc-filter -q $how <(cat $first) - <(zstd -qc $third) <$second 2>/dev/null | cmp - expected"
  run 0 "printf '%s\n' - $second $third >list; cat $first | clc-filter -q $how --files-from list 2>/dev/null | cmp - expected"
done
run 0 "echo - >list; clc-filter -q --match whole $first >expected; cat $first | clc-filter -q --match whole --files-from list | cmp - expected"
run 2 'echo a.clct | clc-filter --match whole --files-from -'
err 'clc-filter: standard input: expected a file, because the list is read twice*'
run 1 'echo x | clc-filter --match whole a.clct -'
err 'clc-filter: standard input: found "x*" at the start, expected a trace *'
run 1 'echo x | clc-filter -q --keep-going --match whole a.clct - | grep -c "^10 0 S"; exit ${PIPESTATUS[1]}'
out 1
err 'clc-filter: standard input: found "x*" at the start, *'

# ---- refusals
run 2 'clc-filter a.clct b.clct -o a.clct'
err 'clc-filter: a.clct is the input; *'
run 2 'clc-filter small -o small/out.clct'
err 'clc-filter: small/out.clct: lies in the input folder*'
run 2 'clc-filter --online a.clct b.clct'
err 'clc-filter: --online: expected one INPUT, found several*'
run 1 'clc-filter a.clct a.clct'
err 'clc-filter: a.clct: is named twice*'
mkdir again
cp a.clct b.clct again/
for other in ./a.clct again/../a.clct; do
  run 1 "clc-filter a.clct $other"
  err "clc-filter: $other: is the same file as a.clct, expected each trace once; remove one of them"
done
run 1 'clc-filter - a.clct <a.clct'
err 'clc-filter: a.clct: is the same file as standard input, *'
for how in 'ln -s a.clct' 'ln again/a.clct'; do
  run 1 "rm -f again/c.clct; $how again/c.clct; clc-filter again"
  err 'clc-filter: again/c.clct: is the same file as again/a.clct, *'
  run 1 'clc-check again'
  err 'clc-check: again/c.clct: is the same file as again/a.clct, *'
done
rm again/c.clct
run 0 'clc-filter -q a.clct again/b.clct >/dev/null'
# zstd keeps what it compresses.
run 1 'clc-filter -q --no-correction -z again/b.clct -o again/b.clct.zst; clc-filter again'
err 'clc-filter: again/b.clct: found beside again/b.clct.zst, its compressed copy, expected each trace once; remove one of them, or rename it if it is another trace'
# Nor is one left out that another program compressed; subfolders are.
run 0 'mkdir packed && cp a.clct packed && gzip -c b.clct >packed/b.clct.gz'
advice='is compressed, expected a trace uncompressed or as *.zst; decompress it in the folder, or remove it'
for program in 'clc-filter -q' clc-check; do
  run 1 "$program packed"
  err "${program% -q}: packed/b.clct.gz: $advice"
done
run 1 'clc-filter -q --no-provenance --keep-going packed'
out_has '10 0 S 1 7 1 8'
err "clc-filter: packed/b.clct.gz: $advice"
run 1 'rm packed/a.clct; clc-filter packed'
err "clc-filter: packed/b.clct.gz: $advice"
for how in packed '--keep-going packed' '--files-from <(ls packed/*)'; do
  run 1 "cp a.clct b.clct packed; clc-filter $how"
  err 'clc-filter: packed/b.clct: found beside packed/b.clct.gz, by its name a compressed copy, expected each trace once; remove the copy, or decompress it to another name if it is another trace'
done
# By any program, in capitals, too; leftovers of editors and the like are no traces.
rm packed/*
for ending in clct.lzma clct.Z clct.lz clct.zstd clct.zip clct.7z clct.br clct.lzo clct.GZ clcb.Xz trace.ZST clct.zst.gz; do
  run 1 "cp a.clct packed; echo x >packed/b.$ending; clc-filter packed"
  err "clc-filter: packed/b.$ending: $advice"
  rm packed/*
done
run 1 'cp a.clct b.clct packed; echo x >packed/b.clct.GZ; clc-filter packed'
err 'clc-filter: packed/b.clct: found beside packed/b.clct.GZ, by its name a compressed copy, *'
rm packed/b.clct*
for ending in clct~ clct.bak clct.orig clct.old clct.swp clct.tmp clct.part clct.md5 clct.sha256 clct.txt clct.log clct.idx txt.gz; do
  touch "packed/b.$ending"
done
run 0 'clc-filter -q packed >/dev/null'
run 0 'rm packed/b.*; mkdir packed/old.clct.gz packed/old.clct packed/b.clct.gz; clc-filter -q packed >/dev/null'
rm -r packed
run 1 'clc-filter --files-from <(ls -r again/*)'
err 'clc-filter: again/b.clct: found beside again/b.clct.zst, *'
run 0 'rm again/b.clct; clc-filter -q again >/dev/null'
run 1 'printf "a\0b\0" | clc-filter --files-from -'
err 'clc-filter: standard input: found a zero byte, expected one file name per line; *'
run 1 'clc-filter --files-from /dev/null'
err 'clc-filter: /dev/null: names no traces*'
if clc-filter --version | grep -q libotf2; then
  run 0 'clc-filter -q --no-correction a.clct -F otf2 -o archive'
  run 1 'clc-filter -q a.clct archive'
  err 'clc-filter: archive: is an OTF2 archive, expected a trace in one file; convert it with -F binary first'
fi

# Two corrections with the same options are two, of which all traces together have each once.
printf '%%clc-trace 1\n%%process 0 a\n1000 0 I\n' >a.clct
printf '%%clc-trace 1\n%%process 1 b\n2000 1 I\n' >b.clct
run 0 'clc-filter -q a.clct b.clct -o once/ && clc-filter -q once -o twice/ && clc-filter --no-correction twice | grep -c "^%provenance clc-filter .*-mmd"'
out 2

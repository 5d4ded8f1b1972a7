# Several traces, corrected into a folder with the same set of files.
not_under_valgrind 'many runs'
records() { grep -v '^[%#]' | sort -k1,1n -k2,2n -s; }
split() { mkdir -p "$2" && awk -v folder="$2" -f "$CLC_SOURCE/test/cli/filter/split.awk" "$1"; }
# What all files of a folder hold, as text.
all_of() { for file in "$1"/*; do clc-filter -q --no-correction -z0 -F text "$file"; done; }

# ---- laws: files of text stay as they are without correction; the files together are the merged output; each file has
# the records of its input
for seed in 1 2 3; do
  scenario=$(echo halo master-worker random | cut -d' ' -f$seed)
  rm -rf parts mixed copied out
  run 0 "clc-tracegen $scenario -n 13 --events 4k --seed $seed --regions --tick 1 -o all.clct"
  split all.clct parts
  run 0 'clc-filter --no-correction --no-provenance parts -o copied/ && diff -r parts copied'
  run 0 'ulimit -n 24; clc-filter -q parts -o out/; clc-filter -q parts | records >expected; cat out/* | records | cmp - expected'
  run 0 'diff <(ls parts) <(ls out)'
  run 0 'for file in $(ls parts); do diff <(grep -v "^[%#]" parts/$file | cut -d" " -f2-) <(grep -v "^[%#]" out/$file | cut -d" " -f2-) || exit 1; done'
  run 0 'for program in clc-filter clc-tracegen; do grep -c "^%provenance $program" out/* | cut -d: -f2 | sort | uniq -c; done'
  out '     13 1
     13 1'
  # Formats and compression are kept.
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
  rm -r out
  run 0 'clc-filter -q mixed -o out/ && all_of out | records | cmp - expected'
  run 0 'diff <(cd mixed && file -b * | cut -c1-20) <(cd out && file -b * | cut -c1-20) && diff <(ls mixed) <(ls out)'
  rm -r out
  ! can_estimate || run 0 'clc-filter -q --auto parts 2>/dev/null | records >expected; clc-filter -q --auto parts -o out/ && all_of out | records | cmp - expected'
  rm -rf out
  run 0 'clc-filter -q --combine mean parts | records >expected; clc-filter -q --combine mean parts -o out/ && all_of out | records | cmp - expected'
done

# ---- comments and notes behind the records of each file: clocks that move change the order in which files end
rm -rf parts out && split all.clct parts
for part in parts/*; do printf '%%sync-of %s\n# end of %s\n' "$part" "$part" >>"$part"; done
run 0 'clc-filter -q parts -o out/ && clc-check -q parts out | grep identical'
out_has 'records identical apart from time: ok'
run 0 'clc-filter -q parts -o one.clct && clc-check -q parts one.clct | grep identical'
out_has 'records identical apart from time: ok'
judged() { sed -i "$1" "$2" && clc-check -q parts out | grep -A 1 '^records identical'; }
part=$(ls out/* | tail -n 1)
run 0 'cp "$part" kept; judged "\$d" "$part"'
out_has "line '# end of parts/$(basename "$part")' is missing in the corrected trace"
run 0 'cp kept "$part"; judged "\$s/end of/End of/" "$part"'
out_has "line '# end of parts/$(basename "$part")' became '# End of"
run 0 'cp kept "$part"; judged "$(($(wc -l <kept) - 1)){h;d};\$G" "$part"'
out_has "line '%sync-of parts/$(basename "$part")' became '# end of"
run 0 'cp kept "$part"; first=$(ls out/* | head -n 1); tail -n 1 kept >>"$first"; judged "\$d" "$part"'
out_has "line '# end of parts/$(basename "$part")' is "

# ---- processes that share a file: corrections change their order; comments and unknown fields stay
part() { printf '%%clc-trace 1\n%s\n' "$2" >"$1"; }
part a.clct $'# of a\n%process 0 zero\n%process 1 one\n%process 2 two\n%group 7 0 1 2\n100 0 S 2 7 1 8 more=1\n110 1 I first\n# in the middle\n130 0 I'
rm -r out
part b.clct $'# of b\n%process 2\n%process 1\n%process 0\n%group 7\n%process 3 three\n20 2 R 0 7 1 8 other=2\n30 3 I third\n40 2 I'
run 0 'clc-filter -q --no-provenance --keep-original a.clct b.clct -o out/ && cat out/a.clct out/b.clct'
out '%clc-trace 1
# of a
%process 0 zero
%process 1 one
%process 2 two
%group 7 0 1 2
100 0 S 2 7 1 8 more=1 @=100
110 1 I first @=110
# in the middle
130 0 I @=130
%clc-trace 1
# of b
%process 2
%process 1
%process 0
%group 7
%process 3 three
30 3 I third @=30
1100 2 R 0 7 1 8 other=2 @=20
1119 2 I @=40'
# A process with records in two traces, also alternating; a clock that is set back.
rm -r out
part e.clct $'%process 1 one\n%process 0 zero\n10 1 I a\n5 1 I b\n30 1 I c'
part f.clct $'%process 1 one\n20 1 I d\n40 1 I e\n50 1 I f'
run 0 'clc-filter --no-correction --no-provenance e.clct f.clct -o out/ && cmp e.clct out/e.clct && cmp f.clct out/f.clct'
err 'clc-filter: warning: e.clct: records of process 1 alternate with records in f.clct; *'
rm -r out
run 0 'clc-filter -q e.clct f.clct | records >expected; clc-filter -q e.clct f.clct -o out/ && cat out/* | records | cmp - expected'

# ---- damage: the files end where reading ended; with --keep-going only the damaged one does
rm -r out
part bad.clct $'%process 5 five\n15 5 I first\n16 5 S'
part g.clct $'%process 6 six\n10 6 I\n17 6 I last\n# end'
run 1 'clc-filter -q --no-provenance g.clct bad.clct -o out/'
err 'clc-filter: bad.clct:4: *; with --keep-going the other traces are read'
run 0 'cat out/bad.clct out/g.clct'
out '%clc-trace 1
%process 5 five
15 5 I first
%clc-trace 1
%process 6 six
10 6 I'
rm -r out
run 1 'clc-filter -q --no-provenance --keep-going g.clct bad.clct missing.clct -o out/'
err 'clc-filter: missing.clct: cannot be opened: *; 1 other trace cannot be read whole: bad.clct:4'
run 0 'cmp g.clct out/g.clct; ls out; tail -n 1 out/bad.clct'
out 'bad.clct
g.clct
15 5 I first'
run 0 'clc-filter -q --no-correction -F binary g.clct -o g.clcb; head -c -1 g.clcb >cut.clcb'
rm -r out
run 1 'clc-filter -q --no-provenance --keep-going cut.clcb a.clct -o out/'
err 'clc-filter: cut.clcb: *'
run 0 'clc-filter -q --no-correction out/cut.clcb -F text | records'
out '10 6 I
17 6 I last'

# ---- a single trace is a set of one
rm -r out
run 0 'clc-filter -q a.clct -o out/ && clc-filter -q a.clct | cmp - out/a.clct && ls out'
out 'a.clct'
run 1 'clc-filter a.clct -o out/'
err 'clc-filter: out/: already exists; name a new folder for the traces'
run 2 'clc-filter -z a.clct -o new/'
err '*; leave out -z, *'

# ---- names and refusals
run 1 'clc-filter a.clct b.clct -o out/'
err 'clc-filter: out/: already exists; name a new folder for the traces'
mkdir other && cp a.clct other/
run 2 'clc-filter -q a.clct other/a.clct -o new/'
err 'clc-filter: new/: a.clct and other/a.clct would have the same name; rename one of them (see clc-filter --help)'
run 2 'clc-filter -q a.clct - -o new/ <b.clct'
err 'clc-filter: standard input: expected a file, because each trace is read again for new/; copy it (see clc-filter --help)'
run 2 'clc-filter -F binary a.clct b.clct -o new/'
err 'clc-filter: new/: a folder of traces keeps their formats; leave out -F, or write to a file (see clc-filter --help)'
run 2 'clc-filter -z a.clct b.clct -o new/'
err '*; leave out -z, *'
run 2 'clc-filter --from 0 a.clct b.clct -o new/'
err 'clc-filter: new/: part of the traces cannot be written as the same set of files; write to a file (see clc-filter --help)'
run 1 'clc-filter a.clct b.clct -o no/such/'
err 'clc-filter: no/such: cannot be created: *; create the folder above it first'
run 2 'clc-filter -o new/ <a.clct'
err 'clc-filter: new/: standard input has no file name; name the input files, or a file for the output (see clc-filter --help)'
run 2 'cat a.clct | clc-filter /dev/stdin -o new/'
err 'clc-filter: new/: /dev/stdin is not a file; name the input files, or a file for the output (see clc-filter --help)'
run 1 'clc-filter --online a.clct -o new/'
err 'clc-filter: new/: expected the name of a file'
run 0 'ls -A | grep -e new -e tmp | cat'
out ''

# Processes of one trace that are corrected by amounts so different that their records change places by more than memory
# holds: what to do is said.
mkdir apart
awk 'BEGIN {
  for (i = 0; i < 200000; ++i) {
    if (i == 2001) print 50025000, "0 R 2 0 0 8"
    printf "%.0f 0 E longer_name_of_a_region_%d\n%.0f 1 E longer_name_of_a_region_%d\n", i * 25000, i, i * 25000, i
  }
}' >records
{ printf '%%clc-trace 1\n%%process 0\n%%process 1\n%%process 2\n%%group 0 0 1 2\n'; cat records; } >apart/a.clct
printf '%%clc-trace 1\n%%process 0\n%%process 1\n%%process 2\n%%group 0 0 1 2\n0 2 E x\n5050025000 2 S 0 0 0 8\n' >apart/b.clct
run 1 'clc-filter -q apart -o corrected/ --max-memory 64M'
err 'clc-filter: a.clct: the corrections of its processes differ by up to * us, so more than 33554432 bytes would have to be buffered for sorting; raise --max-memory'
run 0 'clc-filter -q apart -o corrected/'
rm -r apart corrected records

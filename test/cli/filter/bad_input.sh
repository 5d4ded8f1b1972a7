# Every kind of bad input: the right exit status, one clear line, and all that could be read before the
# damage in the output. A kind that once hurt stays here for ever.

# In a file: the functions run at the end of pipelines.
count_kinds() { for ((kind = 0; kind < $1; ++kind)); do echo; done >>"$logs/kinds"; }

# damaged NAME KEPT PATTERN: the file "bad" (standard input of this function) ends the program with status
# 1 and one line that matches "clc-filter: bad" + PATTERN. The output holds what a trace of the first KEPT
# lines gives; KEPT 0: there is none.
damaged() {
  count_kinds 1
  cat >bad
  rm -f out
  run 1 "clc-filter -q -mmd 0.1 --no-provenance bad -o out # $1"
  err "clc-filter: bad$3"
  if [ "$2" -eq 0 ]; then
    no_more_files bad good.clct good.clcb
  else
    run 0 "head -n $2 bad | clc-filter -q -mmd 0.1 --no-provenance | cmp - out # $1"
  fi
  run 1 "clc-filter -q -mmd 0.1 --no-provenance <bad >piped # $1"
  err 'clc-filter: standard input*'
  run 0 "touch out; cmp piped out # $1"
  rm -f piped out
}

# odd NAME PATTERN: the records are all there, one warning matches PATTERN, --strict fails.
odd() {
  count_kinds 1
  cat >bad
  run 0 "clc-filter -mmd 0.1 --no-provenance bad -o out 2>told || exit
         grep -vx 'clc-filter: records are missing; correcting again with --match whole' told >&2 # $1"
  err "clc-filter: warning: $2"
  run 0 "diff <(cut -d' ' -f2- bad | sort) <(cut -d' ' -f2- out | sort) # $1"
  run 3 "clc-filter -q --strict -mmd 0.1 bad -o out # $1"
  err 'clc-filter: --strict: * stayed unresolved; see --report'
  rm -f out told
}

# fine NAME: nothing is wrong with it, and it goes through unchanged.
fine() {
  count_kinds 1
  cat >bad
  run 0 "clc-filter --strict --no-provenance bad -o out; cmp bad out # $1"
  rm -f out
}

# good ends at line 8.
cat >good.clct <<'END'
%clc-trace 1
%resolution 1000000000
%process 0 rank0
%process 1 rank1
%group 4 0 1
1000 0 S 1 4 77 64
2000 1 R 0 4 77 64
3000 1 I more
END
run 0 'clc-filter --no-correction --no-provenance -F binary good.clct -o good.clcb'
good() { cat good.clct; }
with() { cat good.clct; printf '%s\n' "$@"; }
head_with() { head -5 good.clct; printf '%s\n' "$@"; }

# ---- no trace at all
damaged 'empty' 0 ': is empty, expected *' </dev/null
echo | damaged 'an empty line' 0 ': found * at the start, expected a trace *'
echo 'Hello, world' | damaged 'some text' 0 ': found * at the start, expected a trace *'
head -c 4096 /dev/zero | damaged 'zeros' 0 ': found * at the start, expected a trace *'
printf '\x7fELF\x02\x01\x01\x00\x00' | damaged 'a program' 0 ': found * at the start, expected a trace *'
good | gzip -c | damaged 'gzip' 0 ': * gzip -dc *'
printf '\xfd7zXZ\0\0\4' | damaged 'xz' 0 ': * xz -dc *'
{ printf '\xef\xbb\xbf'; good; } | damaged 'byte order mark' 0 ': * byte order mark *'
printf '\xff\xfe%%\0c\0l\0c\0' | damaged 'UTF-16' 0 ': * UTF-16*'
printf '%%clc' | damaged 'cut in the first word' 0 ':1: *'
echo '%clc-trace 2' | damaged 'a later version' 0 ':1: *version*'
echo '%clc-trace' | damaged 'no version' 0 ':1: *version*'
echo '%clc-trace one' | damaged 'a version in words' 0 ':1: *version*'

# ---- text: the head
head_with '%resolution 0' | damaged 'resolution 0' 5 ':6: *resolution*'
printf '%%clc-trace 1\n%%resolution 0\n' | damaged 'first resolution 0' 1 ':2: *resolution*'
printf '%%clc-trace 1\n%%resolution 1e9\n' | damaged 'resolution in words' 1 ':2: *resolution*'
printf '%%clc-trace 1\n%%resolution 99999999999999999999\n' | damaged 'absurd resolution' 1 ':2: *resolution*'
printf '%%clc-trace 1\n%%min-delay -5\n' | damaged 'negative minimum delay' 1 ':2: *minimum message delay*'
head_with '%process' | damaged 'process without number' 5 ':6: *process number*'
head_with '%process -1 x' | damaged 'negative process' 5 ':6: *process number*'
head_with '%group 5 0 7' | damaged 'group with unknown member' 5 ':6: *process 7 is not defined*'
head_with '%group 5 0 0' | damaged 'group with a member twice' 5 ':6: *process 0 twice*'
head_with '%group x 0 1' | damaged 'group without number' 5 ':6: *communicator number*'

# ---- text: records
with '2500 0 I late' | damaged 'unsorted' 8 ':9: found time 2500 after time 3000 *--sort-window 0.5'
with '-9223372036854775808 0 I late' | damaged 'unsorted by all that there is' 8 ':9: found time -9223372036854775808 after time 3000 *'
with '4000 9 I x' | damaged 'unknown process' 8 ':9: process 9 is not defined*'
with '4000 0 S 9 4 1 1' | damaged 'unknown receiver' 8 ':9: process 9 is not defined*'
with '4000 0 R 9 4 1 1' | damaged 'unknown sender' 8 ':9: process 9 is not defined*'
with '4000 0 S 1 9 1 1' | damaged 'unknown communicator' 8 ':9: communicator 9 is not defined*'
with '4000 0 B' '4100 0 X barrier 9 - 0 0' | damaged 'unknown communicator of a collective' 9 ':10: communicator 9 is not defined*'
with 'now 0 I x' | damaged 'time in words' 8 ':9: found *now* as time*'
with '9223372036854775808 0 I x' | damaged 'time beyond 64 bits' 8 ':9: found *9223372036854775808* as time*'
with '4000.5 0 I x' | damaged 'broken time' 8 ':9: found *4000.5* as time*'
with '0x4000 0 I x' | damaged 'hexadecimal time' 8 ':9: found *0x4000* as time*'
with '4000' | damaged 'a time alone' 8 ':9: found no process*'
with '4000 0' | damaged 'no kind' 8 ':9: found no kind*'
with '4000 zero I x' | damaged 'process in words' 8 ':9: found *zero* as process*'
with '4000 18446744073709551616 I x' | damaged 'process beyond 64 bits' 8 ':9: found *18446744073709551616* as process*'
with '4000 0 S' | damaged 'send to nobody' 8 ':9: found no receiver*'
with '4000 0 S 1 4 tag 1' | damaged 'tag in words' 8 ':9: found *tag* as tag*'
with '4000 0 S 1 4 77 -1' | damaged 'negative length' 8 ':9: found *-1* as length*'
with '4000 0 S 1 4 77 99999999999999999999' | damaged 'absurd length' 8 ':9: found *99999999999999999999* as length*'
with '4000 0 B' '4100 0 X bcast 4 9999999999 0 0' | damaged 'absurd root' 9 ':10: found *9999999999* as root*'
with '4000 0 B' '4100 0 X bcast' | damaged 'cut collective' 9 ':10: found no communicator*'
{ good; printf '4000 0 I a\0b\n'; } | damaged 'a NUL byte' 8 ':9: found a zero byte*'
{ good; head -c 100000 /dev/zero; } | damaged 'zeros after a good part' 8 ':9: found a zero byte*'
{ good; printf 'PK\3\4\x80\xff\xfe garbage \x1b[31m\n'; } | damaged 'garbage after a good part' 8 ':9: found *as time*'
{ good; printf '4000 0 I '; head -c 10000000 /dev/zero | tr '\0' x; echo; echo '5000 0 I end'; } | damaged 'a line of 10 MB' 8 ':9: found a line of more than 1048576 bytes*'
{ good; head -c 10000000 /dev/zero | tr '\0' 7; } | damaged '10 MB of digits' 8 ':9: found a line of more than 1048576 bytes*'
{ good; good; } | damaged 'two traces in one file' 8 ':9: found a second header*'
with '%resolution 1000' | damaged 'another resolution after records' 8 ':9: found a resolution of 1000*'
{ good; printf '400'; } | damaged 'cut in the last time' 8 ':9: found no process*'
{ good; printf '4000 0 S 1 4'; } | damaged 'cut in the last record' 8 ':9: found no tag*'

# ---- nothing wrong
head_with | fine 'only a head'
printf '%%clc-trace 1\n' | fine 'only the first line'
with '' '   ' '# comment' '%unknown definition' '4000 0 Z unknown kind' | fine 'unknown lines and kinds'
{ good; printf '4000 0 I \xff\xfe\x01 no UTF-8\n'; } | fine 'bytes that are no UTF-8'
printf '%%clc-trace 1\n%%process 18446744073709551615 last\n-9223372036854775808 18446744073709551615 I first\n9223372036854775807 18446744073709551615 I last\n' |
  fine 'numbers at their ends'
seq 0 5000 | sed 's/.*/%process & p&/' | sed '1i %clc-trace 1' | fine 'processes without records'
{ good; printf '4000 0 I last'; } >bad
run 0 'clc-filter --no-provenance bad | tail -1 # no newline at the end'
out '4000 0 I last'
err 'clc-filter: warning: bad:9: the last line has no newline*'

# ---- records that make no sense together
with '4000 0 S 1 4 1 1' | odd 'send never received' '1 send was never received'
with '4000 1 R 0 4 1 1' | odd 'receive of nothing' '1 receive was released without its send'
with '4000 0 X barrier 4 - 0 0' '4001 1 B' '4100 1 X barrier 4 - 0 0' | odd 'end without begin' '1 end of a collective operation has no begin'
with '4000 0 B' | odd 'begin without end' '1 begin of a collective operation has no end'
with '4000 0 B' '4100 0 X dance 4 - 0 0' | odd 'unknown operation: internal, its begin is left over' '1 begin of a collective operation has no end'
with '4000 0 B' '4000 1 B' '4100 0 X bcast 4 2 8 8' '4200 1 X bcast 4 2 8 8' | odd 'root outside' '1 collective operation names a root outside the communicator'
{ head -5 good.clct; echo '%group 5 1'; echo '4000 0 B'; echo '4100 0 X barrier 5 - 0 0'; } | odd 'not a member' '1 collective operation was called by a process outside the communicator'
with '4000 0 B' '4000 1 B' '4100 0 X bcast 4 0 8 8' '4200 1 X reduce 4 0 8 8' | odd 'members disagree' '1 collective call disagrees with the other members on the operation or its root'
with '4000 0 B' '4100 0 X barrier 4 - 0 0' >bad
run 0 'clc-filter bad -o out # collective never finished'
err_has 'warning: 1 collective operation was never finished by all members'
run 0 'tail -1 out; rm out'
out '4100 0 X barrier 4 - 0 0'
count_kinds 1
with '4000 0 S 0 4 1 1' '4100 0 R 0 4 1 1' >bad
run 0 'clc-filter --strict bad | tail -1 # a message to oneself'
out '4100 0 R 0 4 1 1'
count_kinds 1
printf '%%clc-trace 1\n%%process 0 a\n%%process 1 b\n%%group 4 0 1\n-9223372036854775808 1 R 0 4 1 1\n9223372036854775807 0 S 1 4 1 1\n' >bad
run 0 'clc-filter -q bad -o out; grep -c . out # times at both ends of 64 bits'
out 7
printf '%%clc-trace 1\n%%process 0 a\n%%process 1 b\n%%group 4 0 1\n9223372036854775807 0 S 1 4 1 1\n9223372036854775807 1 R 0 4 1 1\n' >bad
run 0 'clc-filter bad -o out # a corrected time beyond 64 bits'
err_has 'verdict bad: 1 corrected times do not fit into 64 bits, so that edges between them may violate the clock condition'
printf '%%clc-trace 1\r%%process 0 a\r5 0 E x\r' >bad
run 1 'clc-filter bad # lines that end with a carriage return alone'
err 'clc-filter: bad:1: found a carriage return inside of the first line, expected lines that end with a newline; *'
count_kinds 2
rm -f out
count_kinds 1

# ---- binary
cut_at() { head -c "$1" good.clcb; }
put() { { head -c "$1" good.clcb; printf "$2"; tail -c +$(($1 + 1 + $3)) good.clcb; }; }
put 8 '\2' 1 | damaged 'a later binary version' 0 ': offset 8: *'
put 8 '\0\0\0\1' 4 | damaged 'the other byte order' 0 ': offset 8: *'
put 0 '\x09' 1 | damaged 'a lost eighth bit' 0 '*'
sed 's/\r$//' good.clcb | damaged 'converted line ends' 0 '*'
put 20 '\xff\xff\xff\x7f' 4 >bad
run 1 'clc-filter -q -F text --no-provenance bad # an absurd block length'
err 'clc-filter: bad: offset 16: *'
count_kinds 1
{ cat good.clcb; echo more; } >bad
run 1 'clc-filter -q -F text --no-provenance bad | cmp - good.clct; exit ${PIPESTATUS[0]} # bytes after the end'
err 'clc-filter: bad: offset *after the end mark*'
cat good.clcb good.clcb >bad
run 1 'clc-filter -q -F text --no-provenance bad | cmp - good.clct; exit ${PIPESTATUS[0]} # two binary traces'
err 'clc-filter: bad: offset *second trace*'
count_kinds 2

# Cut or changed anywhere: a prefix of the records and one line, or all is well.
prefix() {
  [ -s text ] || return 0
  cmp -n "$(stat -c %s text)" text good.clct
}
bytes=$(stat -c %s good.clcb)
for ((i = 0; i < bytes; ++i)); do
  cut_at "$i" >bad
  run 1 "clc-filter -q -F text --no-provenance bad >text # cut at byte $i"
  err 'clc-filter: bad: *'
  run 0 prefix
  put "$i" '\xa5' 1 >bad
  cmp -s bad good.clcb && continue
  run 1 "clc-filter -q -F text --no-provenance bad >text # byte $i changed"
  err 'clc-filter: bad*'
  run 0 prefix
done
count_kinds 2
rm -f text

# ---- zstd
long_trace 20000 >long.clct
zstd -q --check long.clct -o long.zst
size=$(stat -c %s long.zst)
head -c $((size / 2)) long.zst >bad
run 1 'clc-filter -q -z0 --no-provenance bad >text'
err 'clc-filter: bad: ends inside a zstd frame at compressed offset *'
run 0 'test -s text; cmp -n $(stat -c %s text) text long.clct'
{ head -c $((size / 2)) long.zst; printf '\xde\xad\xbe\xef\xde\xad\xbe\xef'; tail -c +$((size / 2 + 9)) long.zst; } >bad
run 1 'clc-filter -q -z0 --no-provenance bad >text'
err 'clc-filter: bad*'
{ head -c -4 long.zst; printf 'abcd'; } >bad
run 1 'clc-filter -q -z0 --no-provenance bad >text'
err 'clc-filter: bad: damaged zstd data at compressed offset *'
{ cat long.zst; echo garbage; } >bad
run 1 'clc-filter -q -z0 --no-provenance bad >text; cmp text long.clct; exit 1'
err 'clc-filter: bad: *'
zstd -q </dev/null >bad
run 1 'clc-filter -q bad'
err 'clc-filter: bad: is empty*'
head -c 3 long.zst >bad
run 1 'clc-filter -q bad'
err 'clc-filter: bad: *'
count_kinds 6
rm -f text long.clct long.zst

# ---- a format by name that it is not
run 1 'clc-filter -f binary good.clct'
err 'clc-filter: good.clct: *'
run 1 'clc-filter -f text good.clcb'
err 'clc-filter: good.clcb:1: *'
# ---- a line that is too long behind its correction
{
  printf '%s\n' '%clc-trace 1' '%process 0' '%process 1' '%group 0 0 1' '0 1 R 0 0 0 0' '1 0 S 1 0 0 0'
  printf '1 1 I ' && head -c 1048570 /dev/zero | tr '\0' x && echo
} >longest
run 0 'clc-filter --no-correction --no-provenance longest | cmp - longest'
for option in '-F text' --keep-original '-F paje'; do
  run 1 "clc-filter -mmd 1 $option longest -o out"
  err 'clc-filter: the line "*x" has 10485?? bytes, and a line of a * trace at most 1048576; write another format'
done
run 0 'clc-filter -mmd 1 -F binary longest -o out && rm out longest'

# ---- no standard error: warnings do not go to the file that is opened in its place
if ! under_valgrind; then
  printf '%s\n' '%clc-trace 1' '%process 0' '%process 1' '%group 0 0 1' '100 0 S 1 0 0 8' >lonely
  run 0 'clc-filter --no-provenance -mmd 1 lonely -o closed.clct 2>&-; diff lonely closed.clct && rm lonely closed.clct'
fi

# ---- no input at all
run 1 'clc-filter -q <&-'
err 'clc-filter: standard input: *'
if ! under_valgrind; then  # which opens a file of its own in its place
  run 1 'clc-filter -q good.clct >&-'
  err 'clc-filter: standard output: *'
fi
run 1 'clc-filter -q /proc/self/mem'
err 'clc-filter: /proc/self/mem: cannot be read at offset 0: Input/output error'
run 1 'clc-filter -q /'
err 'clc-filter: /: is a directory*'
count_kinds 6

# ---- out of order, accepted
with '2500 0 I late' >bad
run 0 'clc-filter --no-provenance --sort-window 1 bad | tail -2'
out '2500 0 I late
3000 1 I more'
run 1 'clc-filter --no-provenance -q --sort-window 0.4 bad'
err 'clc-filter: bad:9: found time 2500 after time 3000 *--sort-window 0.5'

kinds=$(wc -l <"$logs/kinds")
echo "$kinds kinds of bad input"
[ "$kinds" -ge 40 ] || fail "only $kinds kinds of bad input"

# A trace that is cut off: first what is wrong, then what follows from it.
clc-tracegen halo --seed 1 --events 4000 -o whole.clct
{ head -n 1000 whole.clct; printf 40000000000; } >cut.clct
run 1 'clc-filter cut.clct -o out'
err_has ' receives were released without their send'
[[ $(head -n 1 "$logs/err") == 'clc-filter: cut.clct:'*'the file may be truncated)' ]] || fail "first: $(head -n 1 "$logs/err")"
# What is missing behind the cut was not lost.
{ printf '%%clc-trace 1\n%%process 0 a\n%%process 1 b\n%%group 0 0 1\n'; for i in $(seq 40); do echo "$((i * 1000)) 0 S 1 0 0 0"; done; echo nonsense; } >early.clct
run 1 'clc-filter -q early.clct -o out --overwrite --report report'
err_has 'found "nonsense"'
run 0 'grep -c "missing receive: process 0 a to 1 b" report; grep "lost" report; true'
out 10
run 1 'clc-view early.clct -o early.html'
err_has 'found "nonsense"'
run 0 'grep -c "40 of 40 sends were never received in the part that was read" early.html'
out 1

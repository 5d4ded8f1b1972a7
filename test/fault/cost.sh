# Traces that are made to be expensive. On each of them no program may execute more than ten times the instructions
# that it takes for an ordinary trace of the same size; valgrind counts them, so the speed of the machine does not
# matter. That takes seconds, so what does not even take four times the time is not counted.
# No more memory may be taken than --max-memory and 64 MiB.
[ -n "${CLC_FAULT_LIBRARY:-}" ] || skip 'sanitizers take memory, and valgrind cannot run programs with them'
not_under_valgrind 'valgrind counts instructions here'

size_of() { find "$1" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }'; }

# bounded MIB WHAT N OPTION...: the filter's memory with --max-memory MIBM on an attack as text.
bounded() {
  local mib=$1 file=$2.clct peak
  clc-test-hostile "$2" "$3" >"$file" || fail "$2 was not written"
  clc-test-peak peak clc-filter -q --max-memory "${mib}M" "${@:4}" "$file" >/dev/null || fail "$2: status $?"
  read -r peak _ <peak
  peak=$((peak / 1024))
  [ "$peak" -le $((mib + 64)) ] || fail "$2: $peak MiB with --max-memory ${mib}M ${*:4}"
  printf '%6d MiB with --max-memory %dM: %s\n' "$peak" "$mib" "$2 ${*:4}"
  rm "$file"
}

# Time that stands still.
for threads in 1 3; do
  bounded 8 still 3000000 --threads "$threads"
  bounded 48 still 3000000 --threads "$threads"
done

for mib in 8 48; do bounded $mib still-operations 20000; done

# Definitions are kept even beyond the limit; a warning says how much they take, and is right within a fifth. The filter
# also holds up to 16 MiB of the lines before the first record, until they are written.
clc-test-hostile still 1 >one.clct
clc-test-peak peak clc-filter -q one.clct >/dev/null || fail 'one record'
read -r nothing _ <peak
definitions() {
  local file=$1.clct peak said
  clc-test-hostile "$1" "$2" >"$file" || fail "$1 was not written"
  clc-test-peak peak clc-filter --threads 1 --max-memory 1M "$file" 2>told >written || fail "$1: status $?"
  read -r peak _ <peak
  peak=$(((peak - nothing) / 1024))
  said=$(sed -n 's/^clc-filter: warning: .*: definitions up to here take \([0-9]*\) MiB.*/\1/p' told)
  [ "$(grep -c 'definitions up to here' told)" = 1 ] || fail "$1: $(head -c 300 told)"
  grep -v "^%provenance" written | cmp -s "$file" - || fail "$1: lines were lost"
  [ $((5 * said)) -ge $((4 * (peak - 16))) ] || fail "$1: $said MiB are said, but $peak were taken"
  [ $((5 * peak)) -ge $((4 * said)) ] || fail "$1: $said MiB are said, but only $peak were taken"
  [ "$peak" -le "$3" ] || fail "$1: $peak MiB for $2, expected at most $3"
  printf '%6d MiB, said to be %d: %s\n' "$peak" "$said" "$file"
  # No warning where there is room, and --quiet.
  clc-filter --max-memory "$((2 * said))M" "$file" 2>told >/dev/null || fail "$1: status $?"
  grep -q 'definitions up to here' told && fail "$1: warned in spite of --max-memory $((2 * said))M"
  clc-filter -q --max-memory 1M "$file" 2>told >/dev/null || fail "$1: status $?"
  [ ! -s told ] || fail "$1: $(head -c 300 told)"
  rm "$file"
}
definitions groups 600000 100
definitions processes 200000 100
definitions long-names 40000 60
for mib in 8 48; do bounded $mib groups-in-use 40000; done
for mib in 8 48; do bounded $mib nodes-between 2000 -mmd 1 -mmd node=0.5; done

# A sort window that holds all of the trace.
for threads in 1 3; do bounded 8 unsorted 1000000 --sort-window 10000 --threads "$threads"; done
for threads in 1 3; do bounded 8 set-back 1000000 --sort-window 10000 --threads "$threads"; done

# waits FILE COMMAND...: threads may wait for each other once for each KiB of the file, on the average.
waits() {
  local file=$1 count
  clc-test-peak peak "${@:2}" "$file" >/dev/null || fail "$file: status $?"
  read -r _ count _ <peak
  [ "$count" -le $(($(size_of "$file") / 1024)) ] || fail "${*:2} $file: $count times a thread waits"
  printf '%6d times a thread waits: %s\n' "$count" "${*:2} $file"
}
clc-test-hostile definitions-between 20000 >between
clc-test-hostile tiny-frames 20000 >frames
for threads in 1 2 3; do
  waits between clc-filter -q --threads "$threads"
  waits frames clc-filter -q --zstd=0 --threads "$threads"
done

command -v valgrind >/dev/null || skip 'valgrind is not installed'

# What is refused costs nothing; the checker's status tells of laws that do not hold.
ended_well() {  # STATUS COMMAND
  [ "$1" = 0 ] || [[ $1 = 1 && $2 = clc-check* ]] || fail "$2: status $1, $(head -c 500 told)"
}

# instructions COMMAND: prints how many it executes, all threads together.
instructions() {
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file=counted $1 >/dev/null 2>told
  ended_well $? "$1"
  sed -n 's/.*I *refs: *//p' counted | tr -d ,
}

# time_of COMMAND: prints its processor time, in microseconds.
time_of() {
  clc-test-peak took $1 >/dev/null 2>told
  ended_well $? "$1"
  awk '{ print $3 }' took
}

# The same programs on an ordinary trace of about half a megabyte: those instructions, and the least time of three, by
# the command with its file called "in".
declare -A usual usual_time
clc-tracegen halo --events 19000 --seed 1 -o ordinary.clct
clc-tracegen halo --events 7500 --seed 1 -F paje -o ordinary.trace

# attack FILE LIKE COMMAND...: the commands' cost with FILE in place of "in" against that with LIKE.
attack() {
  local file=$1 like=$2 each size few cost ordinary
  size=$(size_of "$file")
  few=$(size_of "$like")
  [ "$size" -gt "$few" ] || size=$few
  for each in "${@:3}"; do
    [ -n "$each" ] || continue
    command="${each/ in/ $file}"
    if [ -z "${usual_time[$like $each]:-}" ]; then
      usual_time[$like $each]=$(for _ in 1 2 3; do time_of "${each/ in/ $like}"; done | sort -n | head -n 1)
    fi
    ordinary=${usual_time[$like $each]}
    cost=$(time_of "$command")
    if [ "$((cost * few))" -lt "$((4 * ordinary * size))" ]; then
      printf '%6d %% of the usual time: %s\n' "$((100 * cost * few / (ordinary * size)))" "$command"
      continue
    fi
    : "${usual[$like $each]:=$(instructions "${each/ in/ $like}")}"
    ordinary=${usual[$like $each]}
    cost=$(instructions "$command")
    [ "$((cost * few))" -le "$((10 * ordinary * size))" ] ||
      fail "$cost instructions for $size bytes; an ordinary trace of $few takes $ordinary"
    printf '%6d %% of the usual: %s\n' "$((100 * cost * few / (ordinary * size)))" "$command"
  done
}

# text WHAT N COMMAND...: an attack as text; paje: as a Paje trace.
text() {
  clc-test-hostile "$1" "$2" >"$1.clct" || fail "$1 was not written"
  attack "$1.clct" ordinary.clct "${@:3}"
}
paje() {
  clc-test-hostile "$1" "$2" >"$1.trace" || fail "$1 was not written"
  attack "$1.trace" ordinary.trace "${@:3}"
}

filter='clc-filter --threads 1 -q in'
check='clc-check in'
view=
in_depth && view='clc-view --text in'

# Keys that clash in hash tables without a secret.
text tags 15000 "$filter" "$filter -F chrome"
text tags-by-prime 15000 "$check" "$view"
text process-numbers 9000 "$filter" "$check" "$view"
text process-numbers-by-prime 9000 "$filter"
text process-numbers-far-apart 9000 "$filter"

# Communicators.
text groups 60000 "$filter" "$check" "$view"
text groups-in-use 20000 "$filter" "$check" "$view"

# What threads would do in small pieces: with one thread, too, no more than usual.
text definitions-between 20000 "$filter" "$check" "$view"
text tiny-frames 20000 "$filter --zstd=0" "$check" "$view"
paje paje-names 6000 "$filter" "$check"

# Containers around many processes.
paje paje-parents 10000 "$filter"
paje paje-parents-again 10000 "$filter"
paje paje-levels 6000 "$filter"

# Collective operations of many members that are not complete.
for attack in still-operations one-member-of-all one-member-of-prefix early-ends returns; do
  text $attack 5000 "$filter" "$check" "$view"
done

text late-ends 5000 "$filter" "$check" "$view"

# Receives that overtake others.
text overtaking 20000 "$filter" "$check" "$view"
text overtaking-nothing 12000 "$filter" "$check" "$view"

# Lost records, where all of the order is asked again and again.
whole='--match whole'
text few-sends 4000 "$filter $whole -o corrected" "$check $whole"
text circles 150 "$filter $whole -o corrected" "$check $whole"
text early-receives 3000 "$filter $whole -o corrected" "$check $whole"

# Many processes: of which one record is lost, and which form a long chain.
clc-tracegen halo -n 10000 --events 60000 --lose-sends 0.01 --seed 1 -o many.clct
attack many.clct ordinary.clct "$filter $whole -o corrected"
clc-tracegen ring -n 3000 --events 19000 --seed 1 -o chain.clct
attack chain.clct ordinary.clct 'clc-sync in'

# Definitions again and again.
nodes='-mmd 1 -mmd node=0.5'
text groups-between 3000 "clc-filter --threads 1 -q $nodes in" "clc-check $nodes in"
text nodes-between 3000 "clc-filter --threads 1 -q $nodes in" "clc-check $nodes in" "${view:+clc-view --text $nodes in}"

# Archives.
if clc-filter --version | grep -q libotf2; then
  clc-tracegen halo --events 20000 --seed 1 -F otf2 -o ordinary
  # archive "WHAT NUMBER..." COMMAND...
  archive() {
    local words
    read -ra words <<<"$1"
    rm -rf "${words[0]}"
    clc-test-otf2-archive "${words[0]}" "${words[@]}" || fail "archive $1 was not written"
    attack "${words[0]}" ordinary "${@:2}"
  }
  rewrite='clc-filter --threads 1 -q in -o out --overwrite'
  archive 'crowd 2500 2500 0' "$rewrite" "$check" "$view"
  archive 'crowd 10000 0 0' "$rewrite" "$check" "$view"
  # Windows and groups: many sends or receives for few records, which is what these mean, but no more.
  archive 'crowd 2500 0 50' "$rewrite" "$check" "$view"
  archive 'crowd 2500 0 200' "$rewrite" "$check" "$view"
  archive 'crowd 2500 0 50 wait' "$rewrite" "$check" "$view"
  archive 'synchronize 10000 1 20000' "$rewrite" "$check" "$view"
  archive 'synchronize 2500 100 2000' "$rewrite" "$check" "$view"
  archive 'halves 2500 6000' "$rewrite" "$check" "$view"
  archive 'alone 2500 2000' "$rewrite" "$check" "$view"
fi

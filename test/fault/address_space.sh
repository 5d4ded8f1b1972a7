# Traces with much that is open, in 256 MiB of address space.
not_under_valgrind 'is about memory'
[ -n "${CLC_FAULT_LIBRARY:-}" ] || skip 'sanitizers need more address space'
in_little_memory() { (ulimit -v 262144 && clc-filter -q --threads 1 --no-provenance "$@"); }

# A process is thousands of operations ahead of all other members of a large communicator.
ahead() {
  awk 'BEGIN {
    print "%clc-trace 1\n%resolution 1000000000"
    for (p = 0; p < 10000; ++p) { print "%process", p, "p" p; members = members " " p }
    print "%group 1" members
    for (i = 0; i < 3000; ++i) printf "%d 0 B\n%d 0 X barrier 1 - 0 0\n", i * 1000, i * 1000 + 10
  }'
}
run 0 'ahead >in.clct; in_little_memory --max-memory 32M in.clct | cmp - in.clct'

# Thousands of open operations of two members on two of thousands of nodes.
nodes() {
  awk 'BEGIN {
    print "%clc-trace 1\n%resolution 1000000000"
    for (p = 0; p < 4096; ++p) print "%process", p, "p" p, "node=n" p
    print "%group 1 4094 4095\n0 4095 R 0 1 7 8"
    for (t = 10; t < 2000000; t += 1000)
      printf "%d 4094 B\n%d 4095 B\n%d 4094 X scan 1 - 8 8\n%d 4095 X scan 1 - 8 8\n", t, t, t + 100, t + 100
    print t, "0 S 4095 1 7 8"
  }'
}
run 0 'nodes >in.clct; in_little_memory -mmd 0.05 -mmd node=0.01 in.clct | wc -l'
out "$(wc -l <in.clct)"

# Processes that are defined one by one.
one_by_one() {
  awk 'BEGIN {
    print "%clc-trace 1\n%resolution 1000000000\n%process 0 p"
    for (p = 1; p < 8000; ++p) printf "%d %d I x\n%%process 0 p\n%%process %d p\n", p * 100, p - 1, p
  }'
}
run 0 'one_by_one >in.clct; in_little_memory in.clct | cmp - in.clct'

# Each message has a tag of its own, in 110 MB for an estimate.
tags() {
  awk 'BEGIN {
    print "%clc-trace 1\n%process 0 a\n%process 1 b\n%group 0 0 1"
    for (i = 0; i < 400000; ++i) printf "%d %d S %d 0 %d 8\n%d %d R %d 0 %d 8\n", i * 2000, i % 2, 1 - i % 2, i, i * 2000 + 900, 1 - i % 2, i % 2, i
  }'
}
run 0 'tags >in.clct; ! command -v clc-sync >/dev/null || (ulimit -v 110000 && clc-sync -q in.clct >/dev/null)'
# Programs advise only options that they have.
run 1 '(ulimit -v 60000; clc-check in.clct)'
err 'clc-check: out of memory; try --match fifo'

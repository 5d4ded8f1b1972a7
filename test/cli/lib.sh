#!/bin/bash
# Runs a test script of a program:   lib.sh SCRIPT
#
# The script runs in an empty folder with the programs in PATH. It says
#   run STATUS 'COMMAND'     runs a shell command line (bash, pipefail off); its status must be STATUS
#   out TEXT                 its standard output is TEXT (except for a trailing newline)
#   out_has TEXT             ... contains TEXT, of one line or several
#   out_like FILE            ... equals the golden FILE beside the script
#   err TEXT                 its standard error is the single line TEXT; * and ? match anything
#   err_has TEXT             ... contains TEXT
#   like_its_page PROGRAM    its man page has the same options, with the same defaults, and mandoc finds no fault in it
#   no_more_files NAME...    the folder contains only these files
#   skip WHY                 ends the test as skipped
#   not_under_valgrind WHY   the same, if programs run under valgrind
#   under_valgrind           true if they do
#   needs_mpi PROGRAM        skips the test unless PROGRAM [ARGUMENT...] runs under mpirun, which is in $mpirun then, up to
#                            its option -n
#   sanitized                true if programs are built with the address sanitizer
#   in_depth                 true unless CLC_TRACES asks for fewer than 100 random traces: searches may take longer
# Real traces that are not part of the project are in $data, if there are any.
# Standard error that no err or err_has has checked fails the test.
# CLC_VALGRIND=1 runs the programs under valgrind; any error that it finds fails the test.
# CLC_UPDATE_GOLDEN=1 rewrites the golden files instead: read the difference before you commit it.
set -u
here=$(dirname "$(realpath "$0")")
script=$(realpath "$1")
golden=$(dirname "$script")/golden
scratch=$(mktemp -d)
logs=$(mktemp -d)
# shellcheck disable=SC2034  # real traces that are not part of the project, used by scripts
data=${CLC_DATA:-$here/../../../shared/data}
cd "$scratch" || exit 1
export LC_ALL=C
# Scripts name these without quotes, and LD_PRELOAD cannot hold blanks; the folder of the project may have some.
ln -s "${CLC_SOURCE:-$here/../..}" "$logs/source"
export CLC_SOURCE=$logs/source
if [ -n "${CLC_FAULT_LIBRARY:-}" ]; then
  ln -s "$CLC_FAULT_LIBRARY" "$logs/fault.so"
  export CLC_FAULT_LIBRARY=$logs/fault.so
fi
# What libotf2 itself does not free is not ours to report.
export LSAN_OPTIONS=suppressions=$CLC_SOURCE/test/cli/lsan.supp:print_suppressions=0
# To look for leaks takes longer than all else that a sanitizer does in a short run.
[ "${CLC_TRACES:-1000}" -ge 100 ] || export ASAN_OPTIONS=detect_leaks=0
if [ -n "${CLC_VALGRIND:-}" ]; then
  mkdir "$logs/bin"
  for program in clc-filter clc-check clc-tracegen clc-sync clc-view; do
    path=$(command -v "$program") || continue
    cat >"$logs/bin/$program" <<END
#!/bin/sh
exec valgrind -q --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \\
  --suppressions='$here/valgrind.supp' --error-markers=FOUND,END --log-file='$logs/valgrind.%p' '$path' "\$@"
END
    chmod +x "$logs/bin/$program"
  done
  PATH=$logs/bin:$PATH
fi
# otf2-print asks for far more memory than it needs, and takes most of its time for the pages.
if command -v otf2-print >/dev/null; then
  otf2-print() { GLIBC_TUNABLES=glibc.malloc.hugetlb=1 command otf2-print "$@"; }
fi
command=
: >"$logs/told"
: >"$logs/failures"  # files, not variables: functions may run in a pipeline

tidy() { cat "$logs/told" >&2 2>/dev/null; chmod -R u+rwx "$scratch" 2>/dev/null; rm -rf "$scratch" "$logs"; }
trap tidy EXIT

fail() {
  echo failed >>"$logs/failures"
  printf 'FAILED: %s\n  after: %s\n' "$1" "$command" >&2
}

# To start a program can take longer than the program that is tested: what follows starts none.
settle() {
  [ -s "$logs/pending" ] || return
  : >"$logs/pending"
  ! under_valgrind || look_at_valgrind
  [ -s "$logs/err" ] && fail "unexpected standard error: $(head -c 2000 "$logs/err")"
}
look_at_valgrind() {
  for log in "$logs"/valgrind.*; do
    grep -q FOUND "$log" 2>/dev/null && fail "$(head -c 4000 "$log")"
    rm -f "$log"
  done
}
# Sets content to that of a file; bytes of 0 become question marks.
read_content() {
  content=
  ! IFS= read -r -d '' content <"$1" || content=$(tr '\0' '?' <"$1")
}

run() {
  settle
  local expected=$1
  command=$2
  (eval "$command") >"$logs/out" 2>"$logs/err" </dev/null
  status=$?
  echo >"$logs/pending"
  if [ "$status" != "$expected" ]; then
    fail "exit status $status, expected $expected; standard error: $(head -c 2000 "$logs/err")"
    : >"$logs/pending"
  fi
}

out() {
  local content
  read_content "$logs/out"
  while [[ $content == *$'\n' ]]; do content=${content%$'\n'}; done
  [ "$content" = "$1" ] || fail "standard output is: $(head -c 2000 "$logs/out"), expected: $1"
}
out_has() {
  local content
  read_content "$logs/out"
  [[ $content == *"$1"* ]] || fail "standard output lacks '$1': $(head -c 2000 "$logs/out")"
}
out_like() {
  if [ -n "${CLC_UPDATE_GOLDEN:-}" ]; then
    mkdir -p "$golden"
    cp "$logs/out" "$golden/$1"
  else
    diff -u "$golden/$1" "$logs/out" >&2 || fail "standard output differs from golden/$1"
  fi
}
err() {
  : >"$logs/pending"
  local content
  read_content "$logs/err"
  local line=${content%$'\n'}
  # shellcheck disable=SC2053  # a pattern on purpose
  [[ $content == *$'\n' && $line != *$'\n'* && $line == $1 ]] || fail "standard error is: $content
  expected the one line: $1"
}
err_has() {
  : >"$logs/pending"
  local content
  read_content "$logs/err"
  [[ $content == *"$1"* ]] || fail "standard error lacks '$1': $(head -c 2000 "$logs/err")"
}
no_more_files() {
  local left
  left=$(find . -type f | sed 's,^\./,,' | sort | tr '\n' ' ')
  local wanted
  wanted=$(for name in "$@"; do echo "$name"; done | sort | tr '\n' ' ')
  [ "$left" = "$wanted" ] || fail "files left: $left, expected: $wanted"
}
like_its_page() {
  local page=$CLC_SOURCE/man/$1.1
  run 0 "$1 --help | python3 '$CLC_SOURCE/test/cli/man_page.py' '$page'"
  out ''
  command -v mandoc >/dev/null || return 0
  run 0 "mandoc -Tlint -Wstyle '$page' 2>/dev/null | grep -v 'referenced manual not found'; true"
  out ''
}
skip() {
  settle
  [ ! -s "$logs/failures" ] || exit 1
  printf 'skipped: %s\n' "$1"
  exit 77
}

under_valgrind() { [ -n "${CLC_VALGRIND:-}" ]; }
sanitized() { grep -qs __asan_init "$(command -v clc-filter)"; }
in_depth() { [ "${CLC_TRACES:-1000}" -ge 100 ]; }
needs_mpi() {
  command -v mpirun >/dev/null || skip 'mpirun is missing (Debian: openmpi-bin)'
  not_under_valgrind 'MPI runs its own processes'
  # OpenMPI looks for networks at each start, for a fifth of a second, and waits for one or two seconds if a process
  # fails, unless it is told not to.
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_pml=ob1 OMPI_MCA_odls_base_sigkill_timeout=0
  export HWLOC_PLUGINS_PATH=/  # no libraries to look for graphics processors
  export ASAN_OPTIONS=detect_leaks=0  # OpenMPI leaves memory behind, in libraries that it has unloaded
  mpirun='mpirun --oversubscribe --mca mpi_yield_when_idle 1'
  timeout 100 $mpirun -n 2 "$@" >"$logs/probe" 2>&1 || skip "mpirun does not run here: $(head -c 300 "$logs/probe")"
}
# A build without Eigen estimates no clocks. auto: --auto where it does, else nothing, for what works without, too.
can_estimate() { command -v clc-sync >/dev/null; }
needs_estimates() { can_estimate || skip 'built without Eigen'; }
# shellcheck disable=SC2034  # scripts use it
auto=$(can_estimate && echo --auto)
# What a list of a report or of clc-check holds, an entry in each line, sorted.
listed() { tr -d '\n ' <"$2" | grep -o "\"$1\":\[[^]]*\]" | grep -o '{[^}]*}' | sort; } # MEMBER FILE
losses() { listed losses "$1"; }
not_under_valgrind() { ! under_valgrind || skip "$1"; }

# A small trace in which the message from 0 to 1 takes -100 ticks (nanoseconds) and a collective
# operation is violated, too.
small_trace() {
  cat <<'END'
%clc-trace 1
%resolution 1000000000
%process 0 rank0
%process 1 rank1
%group 4 0 1
# a comment
1000 0 E main
1000 1 E main
1900 1 R 0 4 77 64
2000 0 S 1 4 77 64
2500 1 I anything else
3000 1 S 0 4 78 64
4000 0 R 1 4 78 64
5000 1 B
5200 1 X barrier 4 - 0 0
6000 0 B
6100 0 X barrier 4 - 0 0
9000 0 L main
9500 1 L main
END
}

# A trace of $1 records that needs no correction.
long_trace() {
  echo '%clc-trace 1'
  echo '%resolution 1000000000'
  echo '%process 0 rank0'
  awk -v n="$1" 'BEGIN { for (i = 0; i < n; ++i) printf "%d 0 I record %d\n", i * 10, i }'
}

# shellcheck disable=SC1090
. "$script" 2>"$logs/told"
settle 2>>"$logs/told"
# Such a line is not an error of a program: the shell has left out the rest of a loop or function.
! grep -E "^$script: line [0-9]+: .*(syntax error|unbound variable|bad substitution)" "$logs/told" >/dev/null || fail 'the script itself is wrong' 2>>"$logs/told"
[ ! -s "$logs/failures" ] || { printf '%d failures\n' "$(wc -l <"$logs/failures")" >&2; exit 1; }

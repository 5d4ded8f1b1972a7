# Files that are no traces, a page and a report, are written as traces are.
small_trace >in.clct
for program in 'clc-view in.clct -o' 'clc-filter -q --dry-run in.clct --report'; do
  # An existing file keeps its permissions; a link is followed.
  run 0 "echo stale >file; chmod 600 file; $program file; stat -c %a file; ! grep -q stale file"
  out 600
  run 0 "ln -s file link; echo stale >file; $program link; test -L link && ! grep -q stale file"
  rm -f file link

  # Nobody can foresee the temporary name and have another file written through a link of that name.
  run 0 "echo kept >victim; ln -s victim file.\$BASHPID.tmp; exec $program file"
  run 0 'cat victim; test ! -L file'
  out kept
  rm -f victim file file.*.tmp

  # As long as a name may be.
  long=$(printf '%0255d' 0)
  run 0 "$program $long; test -s $long"
  rm -f "$long"

  # A write-protected file is not replaced.
  if ! under_valgrind; then  # whose messages another user cannot write
    try="$program file"
    if [ "$(id -u)" = 0 ]; then
      chmod 777 .
      cp "$(command -v "${program%% *}")" program
      try="setpriv --reuid 65534 --regid 65534 --clear-groups ./program ${program#* } file"
    fi
    run 1 "echo stale >file; chmod 444 file; $try"
    err '*file: cannot be written: Permission denied; it is write-protected: make it writable, or write to another file'
    run 0 'cat file'
    out stale
    rm -f file program
  fi
  run 1 "$program ."
  err '*.: is a directory, expected a file; name a file in it'
  no_more_files in.clct
done

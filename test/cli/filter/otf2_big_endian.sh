# Archives of a big-endian machine: read like those of this one, written in the byte order of this one.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
command -v otf2-print >/dev/null || skip 'no otf2-print (otf2-tools)'
look=$CLC_SOURCE/test/cli/otf2_text.py
zstd -dcq "$CLC_SOURCE/data/otf2-big-endian.tar.zst" | tar -x
for archive in kinds ring two-groups; do
  case $archive in
    ring) clc-test-otf2-archive ring ring 8 100 || fail 'cannot make an archive' ;;
    *) clc-test-otf2-archive $archive $archive || fail 'cannot make an archive' ;;
  esac
  for part in otf2 def; do
    run 0 "head -c 2 big-endian/$archive/traces.$part | tail -c 1"
    out '#'
  done
  run 0 "$look compare $archive/traces.otf2 big-endian/$archive/traces.otf2"
  out_has 'times differ in 0 locations'
  # By the anchor file, and by its folder: what comes out is what comes out of the same archive of this machine.
  run 0 "clc-filter -q -mmd 1 --no-provenance $archive -o corrected"
  run 0 "clc-filter -q -mmd 1 --no-provenance big-endian/$archive/traces.otf2 -o by-anchor"
  run 0 "clc-filter -q -mmd 1 --no-provenance big-endian/$archive -o by-folder"
  # A thumbnail is copied as it is.
  run 0 'diff -r -x traces.otf2 -x "*.thumb" corrected by-anchor && diff -r -x traces.otf2 -x "*.thumb" corrected by-folder'
  out ''
  run 0 "$look violations 1000 by-anchor/traces.otf2"
  out_has ' 0 violated; '
  run 0 "clc-filter -q --no-correction --no-provenance -F text big-endian/$archive | cmp - <(clc-filter -q --no-correction --no-provenance -F text $archive)"
  run 0 'rm -r corrected by-anchor by-folder'
done
run 0 'cat big-endian/kinds/traces.0.thumb | cmp - <(clc-filter -q -mmd 1 big-endian/kinds -o out && cat out/traces.0.thumb)'
run 1 'clc-filter <big-endian/ring/traces.otf2'
err '*cannot be read from a pipe*'

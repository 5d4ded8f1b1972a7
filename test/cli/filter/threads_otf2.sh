# --threads and archives: with any number of them the same bytes, the same words and the same status.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
. "$CLC_SOURCE/test/cli/filter/threads.bash"

# Communicators that an archive implies are found while it is read.
clc-test-otf2-archive ring ring 4 5000 20 || fail 'cannot make an archive'
for format in text binary paje chrome 'text -z1' 'binary -z4'; do
  same "clc-filter --threads N -mmd 1 -cldiff 5 -F $format ring --report report"
  status_was 0
done
# An archive from an archive; many runs of each location, and more locations than are open at once.
clc-tracegen halo -n 9 --events 200000 --seed 1 --offset 50 -F otf2 -o nine
clc-tracegen halo --grid 10x10 --events 40000 --seed 1 --offset 50 -F otf2 -o hundred
others="$others 5"
for name in ring nine hundred; do
  same "rm -rf out; clc-filter --threads N --no-provenance -mmd 1 -cldiff 50 $name -o out --report report &&
    cat out/traces.def out/traces/*.def out/traces/*.evt"
  status_was 0
  grep -q 'Violations of the clock condition' stderr.1 || fail 'no report was compared'
done
same 'clc-filter --threads N --no-correction -F text nine'
status_was 0
same 'clc-filter --threads N -mmd 1 nine -F binary | head -c 1000; exit "${PIPESTATUS[0]}"'
status_was 141
same 'clc-filter --threads N -mmd 1 ring -F text >/dev/full'
status_was 1
# Damage is found at the same place.
truncate -s -20000 nine/traces/4.evt
for options in '-F text' '-F text --keep-going' '--dry-run' '--dry-run --keep-going' '-o out' \
  '-o out --overwrite --keep-going'; do
  same "rm -rf out; clc-filter --threads N -mmd 1 $options nine --report report"
  status_was 1
done
rm -rf out

# OTF2 archives that keep their recorded times: an attribute of each event, whatever numbers a location has for
# attributes; nothing else differs.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
command -v otf2-print >/dev/null || skip 'no otf2-print (otf2-tools)'
attributes() { otf2-print "$1/traces.otf2" 2>/dev/null | grep -o '"clc recorded" <[0-9]*>; INT64; [0-9]*' | sort; }
without() {
  otf2-print "$1/traces.otf2" 2>/dev/null |
    sed -E 's/, \("clc recorded" <[0-9]+>; INT64; [0-9]+\)//; /ADDITIONAL ATTRIBUTES: \("clc recorded" [^,]*\)$/d'
}
keeps() { # ARCHIVE WORDS-OF-THE-GENERATOR
  clc-test-otf2-archive "${@:2}" || fail "cannot make $1"
  run 0 "clc-filter -q -mmd 1 --keep-original $1 -o kept && clc-check -q -mmd 1 $1 kept"
  out_has 'records identical apart from time: ok'
  # Also where an event stands for two, or is known only later.
  run 0 "clc-filter -q --no-correction -F text kept | grep '^[0-9]' | grep -vc '@=[0-9]*$'; true"
  out 0
  run 0 "clc-filter -q -mmd 1 $1 -o plain && diff <(without plain) <(without kept)"
  run 0 "attributes kept | wc -l | diff - <(otf2-print plain/traces.otf2 2>/dev/null | sed '/=== Snapshots/,\$d' | grep -c '^[A-Z_]* *[0-9][0-9]* *[0-9][0-9]* ')"
  # Corrected once more: the time that was recorded first.
  run 0 "clc-filter -q -mmd 1 -mmd 0:1=70 --keep-original kept -o again && diff <(attributes kept) <(attributes again)"
  run 0 'rm -r kept plain again'
}
keeps kinds kinds kinds
keeps ring ring ring 8 100
keeps two-groups two-groups two-groups more
keeps mapped mapped mapped
keeps long long long
keeps threads threads threads 3
keeps windows windows windows
keeps epochs epochs epochs
keeps operations operations operations
keeps receives receives receives 10
keeps cancelled cancelled cancelled 10

run 0 'clc-filter -q -mmd 1 --keep-original ring -o kept && clc-view --text kept'
out_has 'Before: as recorded'
run 0 'clc-filter -q --no-correction --keep-original -F paje kept | clc-filter -q --no-correction -F text | grep -c "@="'
out 3200
run 0 'cp -r ring cut && truncate -s 3000 cut/traces/3.evt'
run 1 'clc-filter -mmd 1 --keep-going --keep-original cut -o cut.kept'
err_has 'cut/traces.otf2: location 3: '
run 0 'attributes cut.kept | wc -l | diff - <(clc-filter -q --no-correction -F text cut.kept | grep -c "^[0-9]")'

# No number is left for the attribute.
run 0 'clc-test-otf2-archive mapped highest 4294967294; clc-filter -q highest -o highest.out'
run 1 'clc-filter -q --keep-original highest -o none'
err 'clc-filter: none: found a string or attribute with the highest number of all, expected a free one *'

# Names of an archive that would mean something else in a line of text.
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
# Two processes with these names of seven letters, which the text format cannot hold: written into the archive.
archive() { # NAME NAME
  rm -rf a
  printf '%%clc-trace 1\n%%process 0 name__x\n%%process 1 name__y\n%%group 0 0 1\n1000 0 S 1 0 5 8\n900 1 R 0 0 5 8\n950 1 E g @:5\n' |
    sort -n -s -k1,1 | clc-filter -q --no-correction -F otf2 -o a
  sed -i "s/name__x/$1/g; s/name__y/$2/g; s/g @:5/g @=5/g" a/traces.def
}
for format in text binary; do
  run 0 'archive clock=x node=yz; clc-filter -q --no-correction -F '$format' a | clc-filter -q --no-correction --no-provenance -F text | grep %process'
  out '%process 0 clock_x
%process 1 node_yz'
  # A number: the clock of another process, and their messages are not looked at.
  run 1 'archive rank__0 clock=0; clc-filter -q --no-correction -F '$format' a | clc-check -q -'
  out_has 'Clock condition: VIOLATED (1 of 1 edges)'
done
# The report has the same names, and the archive keeps its own.
run 0 'archive clock=x node=yz; clc-filter -q a -o b --report - | grep -o " [01] [a-z]*_[a-z]*" | sort -u'
out ' 0 clock_x
 1 node_yz'
run 0 'grep -ac "clock=x" b/traces.def'
out 1
# A region: its name ends like a recorded time.
run 0 'archive rank__0 rank__1; clc-filter -q --no-correction --no-provenance -F text a | grep " E "'
out '950 1 E g @=5 @=950'
run 0 'clc-filter -q --no-correction -F text a | clc-filter -q --no-correction -F otf2 -o again; grep -ac "g @=5" again/traces.def'
out 1

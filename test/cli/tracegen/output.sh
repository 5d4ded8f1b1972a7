# Files, pipes, truth and defects of the file itself.
run 0 'clc-tracegen halo --seed 1 --events 1000000 | head -1'
out '%clc-trace 1'
run 1 'clc-tracegen halo --seed 1 -o missing/file'
err 'clc-tracegen: missing/file*'
run 0 'clc-tracegen halo --seed 1 --events 20000 --truth truth -o recorded'
no_more_files recorded truth
run 1 'clc-check recorded'
run 0 'clc-check truth'
run 0 'grep -v "^%" recorded | cut -d" " -f2- | sort | cksum >one; grep -v "^%" truth | cut -d" " -f2- | sort | cksum | cmp - one'
run 0 'clc-tracegen halo --seed 1 --events 20000 --truth truth2 -o - | cmp - recorded && cmp truth truth2'
run 0 'clc-tracegen halo --seed 1 --events 20000 --truth - -o recorded2 | cmp - truth && cmp recorded recorded2'

# Records of all processes are complete and sorted however large the trace.
run 0 'clc-tracegen halo --seed 1 --events 300000 --resync 0.1:1000 -F binary -z1 --truth truth -o recorded'
run 0 'clc-check truth'

run 0 'clc-tracegen halo --seed 1 --events 20000 -F binary --truncate 10K -o cut; wc -c <cut'
out 10240
run 1 'clc-check cut'
err 'clc-check: cut*'
rm -f recorded recorded2 truth truth2 one cut

# What the format cannot hold as it is.
if clc-tracegen --version | grep -q libotf2; then
  run 0 'clc-tracegen random --seed 1 --events 3000 -F otf2 -o archive'
  err 'clc-tracegen: warning: archive: * messages have a tag beyond 32 bits, which other programs find in the attribute "clc tag"'
  run 0 'clc-tracegen random --seed 1 --events 3000 -F otf2 --truth truth -o recorded; rm -r archive truth recorded'
  err_has 'clc-tracegen: warning: truth: '
  err_has 'clc-tracegen: warning: recorded: '
fi

# The program is gone before the trace is complete.
run 143 'clc-tracegen halo --seed 1 --events 1e9 -F binary -o large & sleep 0.3; kill $!; wait $!'
no_more_files

# Options, single figures, text, and refusals.
small_trace >in.clct
clc-filter -q -mmd 0.1 --keep-original --report r.json --report-format json in.clct -o kept.clct
run 0 'clc-view --help'
out_has 'Usage: clc-view [OPTION...] [TRACE]'
run 0 'clc-view --version | head -n 1'
out_has 'clc-view '

for figure in timeline delay-histogram delays rates corrections clocks intervals; do
  run 0 "clc-view --svg $figure kept.clct -o $figure.svg; head -c 4 $figure.svg; grep -c '<style>' $figure.svg; tail -n 1 $figure.svg"
  out '<svg1
</svg>'
done
# A program of 20 ms is one of 20 s where its milliseconds are taken for seconds.
clc-filter -q --no-correction -F paje in.clct -o in.paje
run 0 'clc-view --text in.paje >s.txt; clc-view --text --paje-unit ms in.paje >ms.txt; ! cmp -s s.txt ms.txt'
run 2 'clc-view --text --paje-unit h in.paje'
err '*--paje-unit: expected s, ms, us or ns, found*h*'
# Each colour stands ahead of its variable, for programs that know none.
run 0 "clc-view --svg timeline kept.clct | grep -oE '[a-z]+: [^;{]*; [a-z]+: var|[a-z]+: var' | sed 's/: #[0-9a-f]*; /, /' | sort -u"
out 'background, background: var
fill, fill: var
stroke, stroke: var'
run 2 'clc-view --svg pie in.clct'
err '*--svg: expected timeline, *, found*pie*'
for both in '--svg timeline --text' '--text --svg timeline'; do
  run 2 "clc-view $both in.clct"
  err 'clc-view: --svg and --text: expected one of them*'
done
run 2 'clc-view --svg gamma kept.clct'
err 'clc-view: --svg gamma: needs the report of clc-filter; give --report FILE*'
run 1 'clc-view --svg offsets kept.clct'
err 'clc-view: --svg offsets: no map of the clocks was applied; use clc-filter --estimate or --offsets'
run 1 'clc-view --svg corrections in.clct -o none.svg'
err '*--svg corrections: needs recorded times;*--keep-original'
run 1 'clc-view --svg clocks --report in.clct kept.clct'
err '*in.clct:1: expected a report of clc-filter in JSON*'
run 1 'echo "{}" >other.json; clc-view --report other.json kept.clct'
err '*other.json: is JSON, but not a report of clc-filter;*'
run 1 'clc-view --report missing.json kept.clct'
err '*missing.json: expected a report*'
run 1 'clc-view --report . kept.clct'
err '*.: expected a report of clc-filter in JSON, found: *'
run 1 'sed "s/\"report_version\": 1/\"report_version\": 2/" r.json >other.json; clc-view --report other.json kept.clct'
err 'clc-view: other.json: has report_version 2, expected at most 1; use clc-view of the version that wrote it'
# A report of another trace: other events, or other processes. A part, and a conversion to Paje, belong to it.
for other in 's/"events": 13/"events": 14/' 's/"processes": 2/"processes": 3/'; do
  run 0 "sed '$other' r.json >other.json; clc-view --report other.json kept.clct -o page.html; grep -c 'do they belong together?' page.html"
  out 1
  err 'clc-view: warning: other.json: the report is about 1? events of ? processes, the trace has 13 events of 2 processes: do they belong together?'
done
run 0 'clc-view -q --report other.json --from 1e-6 kept.clct >page.html'
run 0 'clc-view --report r.json --from 1e-6 kept.clct >page.html; clc-view --report r.json --before in.clct kept.clct >page.html'
run 0 'clc-filter -q -mmd 0.1 -F paje --report other.json --report-format json in.clct -o in.paje; clc-view --report other.json in.paje >page.html'
# Brackets in each other, which the parser follows one call deeper each: by the million, and as many as may be.
nested() { printf '{"report_version": 1, "regulators": {}, "a[[{": "\\"[[[[",\n"deep": '; printf "%0$1d" 0 | tr 0 '['; printf "%0$1d" 0 | tr 0 ']'; echo '}'; }
run 1 'nested 1000000 >other.json; clc-view --report other.json kept.clct'
err '*other.json:2: expected a report of clc-filter in JSON, found: more than 100 brackets in each other; write it with*'
run 1 'nested 100 >other.json; clc-view --report other.json kept.clct'
err '*other.json:2: *more than 100 brackets in each other*'
run 0 'nested 99 >other.json; clc-view --report other.json kept.clct >page.html'

run 0 'clc-view --text --width 60 kept.clct'
out_like small.txt
run 0 'clc-view --text in.clct | wc -L'
out 80
# No line is wider: words are wrapped, and so are names beside columns that do not fit.
clc-tracegen halo -n 8 --seed 1 --offset 5000 --events 4000 | sed -E '/^%process/s/$/-with-a-long-name/; s/ E .*/& of many words/' >wide.clct
clc-filter -q --keep-original wide.clct -o wide.kept.clct
clc-filter -q --keep-original --from 0.01 wide.clct -o part.clct
for width in 40 41 50 66 80; do
  for trace in in.clct kept.clct wide.clct wide.kept.clct part.clct; do
    run 0 "clc-view -q --text --width $width $trace | sed 's/[\x80-\xbf]//g' | awk 'length > $width'"
    out ''
  done
done
rm wide.clct wide.kept.clct part.clct
for kind in '' '--svg delays'; do
  run 2 "clc-view --width 60 $kind in.clct"
  err 'clc-view: --width: expected --text with it*'
done

run 0 'clc-view -mmd 0:9=5 -mmd node=1 --text in.clct'
err_has 'clc-view: warning: -mmd node: the trace names no nodes'
err_has 'clc-view: warning: -mmd 0:9: the trace has no process 9'
run 0 'clc-view -q -mmd 0:9=5 --text in.clct'
run 2 'clc-view --before - -'
err '*only one of the traces can come from standard input*'
run 2 'clc-view --from 2 --to 1 in.clct'
err '*--to: expected a time after --from*'
run 2 'clc-view --from -1 in.clct'
err '*--from: expected seconds, 0 or more*'
run 2 'clc-view in.clct -o in.clct'
err '*-o: in.clct is an input*'
run 2 'clc-view --before in.clct kept.clct -o in.clct'
err '*-o: in.clct is an input*'
run 2 'clc-view --report r.json in.clct -o r.json'
err '*-o: r.json is an input*'
run 1 'clc-view missing.clct'
err '*missing.clct: cannot be opened*'
run 1 'clc-view in.clct -o nowhere/page.html'
err '*nowhere/page.html: cannot be created*'
run 2 'clc-view one two'
err '*two*'
if command -v script >/dev/null; then
  run 2 'script -qec "clc-view in.clct" /dev/null </dev/null; exit $?'
  out_has 'standard output is a terminal; name a file with -o, or use --text'
  run 0 'TERM=xterm script -qec "clc-view --text in.clct" /dev/null </dev/null | grep -c "$(printf "\033")\\[1;38;5;208m<"'
  out 1
  run 1 'NO_COLOR=1 TERM=xterm script -qec "clc-view --text in.clct" /dev/null </dev/null | grep "$(printf "\033")"'
fi
run 0 'clc-view in.clct | true'
rm -f ./*.svg other.json page.html typescript in.paje s.txt ms.txt
no_more_files in.clct kept.clct r.json

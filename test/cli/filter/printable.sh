# Names from traces and of files cannot control a terminal or turn text around: in reports, drawings, messages. All other
# letters stay.
c1=$(printf '\302\233') raw=$(printf '\233') bidi=$(printf '\342\200\256') hidden=$(printf '\342\200\213') umlaut=$(printf '\303\266')
nasty="n$c1$raw$bidi$hidden$umlaut"
shown="n\\u{9b}\\x9b\\u{202e}\\u{200b}$umlaut"
# clean FILE...: none of it is there.
clean() { for letter in "$c1" "$raw" "$bidi" "$hidden"; do LC_ALL=C grep -F "$letter" "$@" && fail "unprintable text in $*"; done; true; }
small_trace | sed "s/^%process \([01]\) rank/&$nasty/; s/ main\$/ $nasty/" >"$nasty.clct"
for command in 'clc-filter -mmd 0.1 --dry-run --report -' 'clc-filter -mmd 0.1 --dry-run -v' 'clc-check -mmd 0.1' \
  'clc-view --text' 'clc-filter --progress -o corrected.clct'; do
  (eval "$command" '"$nasty.clct"') >stdout 2>stderr
  clean stdout stderr
  grep -qF "$shown" stdout stderr || [[ $command == *progress* ]] || fail "$command does not show the name: $(cat stdout stderr)"
done
run 0 'clc-filter -q -mmd 0.1 "$nasty.clct" | sed "s/$nasty/&$raw/" >other.clct; clc-check -mmd 0.1 "$nasty.clct" other.clct >stdout; clean stdout; rm stdout stderr'
run 1 'clc-filter "$nasty"'
pattern=${shown//\\/?}
err "clc-filter: $pattern: cannot be opened: *"
run 2 'clc-filter "--$nasty"'
err "clc-filter: *$pattern*"
run 1 'printf "%%clc-trace 1\n$nasty\n" | clc-filter'
err "clc-filter: standard input:2: found \"$pattern\" as *"
# In JSON, too, and there without loss.
run 0 'clc-filter -q -mmd 0.1 --dry-run --report report.json --report-format json "$nasty.clct"; clean report.json; python3 -c "
import json
print([ord(letter) for letter in json.load(open(\"report.json\"))[\"processes\"][0][\"name\"][5:]])"'
out '[155, 65533, 8238, 8203, 246, 48]'
# The page shows a mark in the place of each.
run 0 'clc-view "$nasty.clct" -o page.html; clean page.html; clc-view --svg timeline "$nasty.clct" -o figure.svg; clean figure.svg'
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
run 0 'clc-filter -q --no-correction "$nasty.clct" -F otf2 -o "$nasty"; rm "$nasty/traces/1.evt"'
run 1 'clc-filter "$nasty" --dry-run'
err "clc-filter: $pattern/traces.otf2: location 1: its event file $pattern/traces/1.evt is missing, *"

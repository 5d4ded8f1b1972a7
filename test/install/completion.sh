# Completion offers exactly the options that --help of each program names, by its own reading of them.
# shellcheck disable=SC1091
. "$CLC_SOURCE/completion/clc.bash"
complete_line() { # WORD...: what is offered for the last one
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _clc
  printf '%s\n' "${COMPREPLY[@]}" | sort
}
touch some.clct
for program in clc-filter clc-check clc-tracegen clc-sync clc-view; do
  command -v "$program" >/dev/null || continue
  command="completion of $program"
  "$program" --help | tr -s '\n' | awk '/^  -/ { for (i = 1; i <= NF && $i ~ /^-/ || $(i - 1) ~ /,$/; ++i) print $i }' |
    sed 's/[[,=].*//' | grep -- '^-' | sort >named
  complete_line "$program" - >offered
  [ "$(wc -l <named)" -gt 5 ] || fail 'hardly an option is named'
  diff named offered || fail 'options named and offered differ'
  while read -r option; do
    "$program" "$option" --help >/dev/null 2>&1 || "$program" "$option" 1 --help >/dev/null 2>&1 ||
      fail "$option is offered but not taken"
  done <offered
  [ "$(complete_line "$program" some)" = some.clct ] || fail 'files are not offered'
  grep -q "^complete .* $program\( \|$\)" "$CLC_SOURCE/completion/clc.bash" || fail 'bash does not complete it'
  grep -q "^#compdef .*$program" "$CLC_SOURCE/completion/_clc" || fail 'zsh does not complete it'
done
command='values'
[ "$(complete_line clc-filter --report-format j)" = json ] || fail 'json is not offered'
[ "$(complete_line clc-filter -F b)" = binary ] || fail 'binary is not offered'
[ "$(complete_line clc-filter -o so)" = some.clct ] || fail 'no file for -o'
[ "$(complete_line clc-filter --norm '' | tr '\n' ' ')" = '16 max ' ] || fail "norms: $(complete_line clc-filter --norm '')"
# bash takes --report-format=j apart at the =, as COMP_WORDBREAKS says.
[ "$(complete_line clc-filter --report-format = j)" = json ] || fail 'json is not offered behind ='
[ "$(complete_line clc-filter --report-format = | tr '\n' ' ')" = 'json text ' ] || fail 'no values at ='
[ "$(complete_line clc-filter --report = so)" = some.clct ] || fail 'no file behind ='
[ "$(complete_line clc-filter --max-memory =)" = '' ] || fail 'something is offered for a number'
[ "$(complete_line clc-tracegen ring --output-format = bin)" = binary ] || fail 'binary is not offered behind ='
values() { # PROGRAM OPTION: all that is offered behind it
  complete_line "$1" "$2" '' | tr '\n' ' '
}
expect() { # PROGRAM OPTION WORD...: these and nothing else
  local program=$1 option=$2
  shift 2
  [ "$(values "$program" "$option")" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] ||
    fail "values of $program $option: $(values "$program" "$option")"
}
for program in clc-filter clc-check clc-view; do
  expect "$program" -f text binary otf2 paje
  expect "$program" --paje-unit s ms us ns
done
expect clc-filter -F text binary otf2 paje chrome
expect clc-tracegen -F text binary otf2 paje chrome
expect clc-filter --report-format text json
expect clc-check --report-format text json
expect clc-filter --clock-of process location node
expect clc-filter --match fifo resync whole
expect clc-check --match fifo resync whole
expect clc-filter --order events epochs
expect clc-filter --regulators-as evidence thesis
expect clc-filter --combine mean off
expect clc-view --svg timeline delay-histogram delays rates corrections clocks offsets gamma intervals
for option in -mmd -maxerr -cldiff --regulators --wait-limit --max-memory --threads; do
  expect clc-filter "$option" ''
done
expect clc-tracegen --seed ''
[ "$(complete_line clc-tracegen ha)" = halo ] || fail 'halo is not offered'
if command -v zsh >/dev/null; then
  run 0 'zsh -n "$CLC_SOURCE/completion/_clc"'
fi

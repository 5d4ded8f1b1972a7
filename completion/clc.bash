# bash completion of the clc programs. Options and their values are read from --help, so that they are those of the
# program that is run.

_clc() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} help options argument name
  COMPREPLY=()
  # "--report=FILE" is three words where = is among COMP_WORDBREAKS, as it is by default.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = && $COMP_CWORD -ge 2 ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  help=$("${COMP_WORDS[0]}" --help 2>/dev/null) || return
  options=$(sed -n 's/^  \(-.*\)$/\1/p' <<<"$help" | sed 's/   *.*//')
  # The line of the option ahead, as "--report FILE", and what its argument is.
  name=${previous#-}
  name=${name#-}
  argument=$(grep -E -e "(^|, )--?$name(, --[a-z-]+)? [A-Z[]" <<<"$options" | head -n 1)
  if [[ $previous == -* && -n $argument && $previous != - ]]; then
    argument=${argument##* }
    local words
    # The first sentence of the help, without what is in parentheses.
    words=$(tr '\n' ' ' <<<"$help" | tr -s ' ' |
      grep -oE -e "(^| )--?$name(, --[a-z-]+)? $argument [^.]*\." | head -n 1 | sed 's/ ([^)]*)//g')
    case $argument in
      FILE | LIST | TRACE) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      FMT | FORMAT | METHOD | NORM | UNIT | WHAT | FIGURE)
        # Values stand there as words: "text, binary or otf2".
        words=$(grep -oE '([a-z0-9-]+, )*[a-z0-9-]+ or [a-z0-9-]+' <<<"$words" | head -n 1 | sed 's/,//g; s/ or / /')
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        ;;
      RULE)
        # Or each with what it does: "fifo: in order; resync: also ...". A single one is not a choice of values.
        words=$(grep -oE '(RULE|[;:]) [a-z]+:' <<<"$words" | sed 's/.* //; s/:$//')
        [[ $words == *$'\n'* ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        ;;
    esac
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -e '(^|, )--?[A-Za-z][A-Za-z-]*' <<<"$options" | tr -d ' ,')" -- "$current")
  else
    # clc-tracegen lists its scenarios.
    mapfile -t COMPREPLY < <(
      compgen -W "$(sed -n '/^Scenarios/,$s/^  \([a-z0-9-]*\) .*/\1/p' <<<"$help")" -- "$current"
      compgen -f -- "$current"
    )
  fi
}
complete -o filenames -F _clc clc-filter clc-filter-mpi clc-check clc-tracegen clc-sync clc-view clc-record

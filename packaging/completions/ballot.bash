# bash completion for ballot: what it offers is decided by /usr/lib/ballot/complete.
_ballot() {
  local line=${COMP_LINE:0:COMP_POINT} words
  # By blanks alone: bash would also cut at `=` and `:`.
  read -ra words <<< "$line"
  [[ $line != *[[:blank:]] ]] || words+=('')
  local last=${words[-1]} cur=${COMP_WORDS[COMP_CWORD]}
  [[ $cur != = ]] || cur=
  mapfile -t COMPREPLY < <("${BALLOT_COMPLETE:-/usr/lib/ballot/complete}" "${words[@]}" 2> /dev/null)
  # Bash replaces only what it takes for the last word.
  COMPREPLY=("${COMPREPLY[@]#"${last%"$cur"}"}")
  [[ ${COMPREPLY[*]} != *[,=] ]] || compopt -o nospace
}
complete -o default -F _ballot ballot

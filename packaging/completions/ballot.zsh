#compdef ballot
# What it offers is decided by /usr/lib/ballot/complete.
local program=/usr/lib/ballot/complete text
[[ -z $BALLOT_COMPLETE ]] || program=$BALLOT_COMPLETE
text=$($program "${(@)words[1,CURRENT]}" 2> /dev/null)
if [[ -n $text ]]; then compadd -- ${(f)text}; else _files; fi

# fish completion for ballot: what it offers is decided by /usr/lib/ballot/complete.
function __ballot_complete
    set -l program /usr/lib/ballot/complete
    set -q BALLOT_COMPLETE; and set program $BALLOT_COMPLETE
    $program (commandline -opc) (commandline -ct) 2>/dev/null
end
complete -c ballot -f -a '(__ballot_complete)'
# Where nothing is known of a value it may be a file.
complete -c ballot -n 'test -z "$(__ballot_complete)"' -F

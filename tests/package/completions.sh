#!/bin/bash
# What the completions of bash, zsh and fish offer. Usage: completions.sh BALLOT
set -euo pipefail
cd "$(dirname "$0")/../.."
ballot=$1
failed=no

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export BALLOT_COMPLETE=$PWD/packaging/completions/complete
# A ballot that answers as a daemon with two jobs and a ledger of two runs would.
cat > "$folder/ballot" <<END
#!/bin/sh
case "\$1 \$*" in
  jobs*csv*) printf 'job,group,leader\nbackup,nightly,a\nreport,reports,a\n' ;;
  history*csv*) printf 'run_id,job\n01aa-1,backup\n01aa-1,backup\n,report\n01bb-2,report\n' ;;
  *) exec "$ballot" "\$@" ;;
esac
END
chmod +x "$folder/ballot"
export PATH=$folder:$PATH

expect() {
  [ "$2" = "$3" ] && return
  printf 'completions.sh: %s\n  offers:  %s\n  not:     %s\n' "$1" "$2" "$3" >&2
  failed=yes
}

in_bash() {
  bash --norc -c 'source packaging/completions/ballot.bash
    COMP_LINE=$1 COMP_POINT=${#1}
    # Bash cuts at these, and makes a word of each "=".
    read -ra COMP_WORDS <<< "${1//=/ = }"; [[ $1 != *[[:blank:]] ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    compopt() { :; }
    _ballot; echo "${COMPREPLY[*]}"' bash "$1"
}
in_fish() { fish --no-config -c "source packaging/completions/ballot.fish; complete -C '$1'" | cut -f1 | paste -sd' '; }
in_zsh() {
  zsh -f -c 'compadd() { shift; print -r -- $@ }; _files() { print FILES }
    words=(${(z)1}); [[ $1 != *" " ]] || words+=(""); CURRENT=$#words
    source packaging/completions/ballot.zsh' zsh "$1"
}

commands=$("$ballot" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' | paste -sd' ')
for shell in bash zsh fish; do
  offers() { expect "$shell: $1" "$(in_$shell "$1" | tr ' ' '\n' | sort | paste -sd' ')" "$(tr ' ' '\n' <<< "$2" | sort | paste -sd' ')"; }
  command -v "$shell" > /dev/null || { echo "completions.sh: there is no $shell here" >&2; exit 1; }
  offers 'ballot ' "$commands"
  offers 'ballot hist' history
  offers 'ballot history --fo' '--follow --format'
  offers 'ballot history --format ' 'csv json table'
  offers 'ballot history --job ' 'backup report'
  offers 'ballot history --group n' nightly
  offers 'ballot history --status succeeded,ski' succeeded,skipped
  offers 'ballot trigger ' 'backup report'
  offers 'ballot trigger b' backup
  offers 'ballot kill ' '01aa-1 01bb-2'
  offers 'ballot pause --group ' 'nightly reports'
  offers 'ballot --log-level debug why ' 'backup report'
  offers 'ballot election w' watch
  offers 'ballot run cron --on-child-error ' 'exit ignore reelect rerun'
done
# Bash takes only what stands after the "=" for the word.
expect 'bash: --format=' "$(in_bash 'ballot history --format=j')" json
expect 'bash: --format=' "$(in_bash 'ballot history --format=')" 'table json csv'
expect 'fish: --format=' "$(in_fish 'ballot history --format=j')" --format=json
expect 'zsh: a file' "$(in_zsh 'ballot check ')" FILES
[ "$failed" = no ]

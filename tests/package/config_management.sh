#!/bin/bash
# The Ansible role and the Puppet module, really run on this host: a job file is dropped in and its job runs; a second time
# nothing changes; a broken file is refused with ballot's own message and what was there stays; a job is paused, resumed
# and removed. ballot.toml switches the API on, tokens are let in and taken away, and no secret stands in what is said.
# Needs root, curl, ansible-core and puppet-agent: packaging/install-deps.sh management
# Usage: tests/package/config_management.sh [BALLOT]     (default: build/release/bin/ballot)
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD ballot=$(realpath "${1:-build/release/bin/ballot}")

at=$(mktemp -d /tmp/ballot-cm.XXXXXX) daemon=
end() {
  [ -z "$daemon" ] || kill -TERM "$(cat "$at/pid")" 2> /dev/null || true
  [ -z "$daemon" ] || wait "$daemon" 2> /dev/null || true
  rm -rf "$at"
}
trap end EXIT

fail() {
  echo "config_management.sh: $tool: $*" >&2
  cat "$at/said" "$at/log" >&2
  exit 1
}
# expect_said TEXT
expect_said() { grep -qF -- "$1" "$at/said" || fail "does not say '$1'"; }
eventually() {
  local i
  for i in $(seq 300); do ! "$@" > /dev/null 2>&1 || return 0; sleep 0.1; done
  return 1
}
ran() { grep -q "$1" < <("$ballot" history --job "$1" --status succeeded --format csv --config "$at/ballot.toml"); }
is() { grep -q "\"state\":\"$2\"" < <("$ballot" jobs "$1" --format json --config "$at/ballot.toml"); }
is_gone() { ! grep -q "^$1," < <("$ballot" jobs --format csv --config "$at/ballot.toml"); }

# What the API answers: of_token TOKEN STATUS
of_token() {
  [ "$(curl -s -o /dev/null -w '%{http_code}' --unix-socket "$at/api.sock" -H "Authorization: Bearer $1" http://localhost/api/v1/jobs)" = "$2" ]
}
no_secret_said() { ! grep -qF -e "$secret" -e "${ci##* }" "$at/said" || fail 'a secret stands in what it said'; }

begin() {
  tool=$1
  rm -rf "${at:?}"/*
  mkdir "$at"/{state,run,jobs.d}
  printf '%s\n' 'node = "n"' "jobs_dir = \"$at/jobs.d\"" "state_dir = \"$at/state\"" "run_dir = \"$at/run\"" > "$at/ballot.toml"
  : > "$at/toml"
  # As a service manager does: it is begun again where it ends after `restart`.
  (
    while :; do
      "$ballot" serve --config "$at/ballot.toml" >> "$at/log" 2>&1 &
      echo $! > "$at/pid"
      code=0
      wait $! || code=$?
      rm "$at/restarts" 2> /dev/null || exit "$code"
    done
  ) &
  daemon=$!
  eventually "$ballot" status --config "$at/ballot.toml" || fail 'the daemon does not start'
  printf 'kill -HUP "$(cat %s/pid)"\n' "$at" > "$at/reload"
  cat > "$at/restart" <<END
old=\$(cat $at/pid)
touch $at/restarts
kill -TERM \$old
for i in \$(seq 300); do
  [ "\$(cat $at/pid)" = \$old ] || ! $ballot status --config $at/ballot.toml || exit 0
  sleep 0.1
done
exit 1
END
}
finish() {
  kill -TERM "$(cat "$at/pid")"
  wait "$daemon" || fail 'the daemon does not end well'
  daemon=
  echo "$tool: ok"
}

# ---- each tool's own: apply CONTENT STATE PAUSED RESUMED, with ballot.toml as $at/toml has it ("": as it is), the token of
# ci by ci_line ("": none) and fleet_token; whether a second time changed something
ci_line='' fleet_token=

ansible_apply() {
  python3 - "$@" "$at" "$ci_line" "$fleet_token" > "$at/vars.json" <<'END'
import json, sys
content, state, paused, resumed, at, ci, fleet = sys.argv[1:]
tokens = [dict(zip(("name", "role", "sha256"), ci.split()))] if ci else []
file = {"name": "beat", "content": content} if state == "present" else {"name": "beat", "state": "absent"}
print(json.dumps({"ballot_job_files": [file], "ballot_paused_jobs": paused.split(), "ballot_resumed_jobs": resumed.split(),
                  "ballot_toml": open(at + "/toml").read(), "ballot_tokens": tokens, "ballot_tokens_file": at + "/tokens",
                  "ballot_fleet_token": fleet, "ballot_fleet_token_file": at + "/fleet-token"}))
END
  cat > "$at/play.yml" <<END
- hosts: localhost
  connection: local
  gather_facts: false
  roles: [ballot]
END
  ANSIBLE_ROLES_PATH=$root/packaging/ansible/roles ANSIBLE_NOCOLOR=1 ansible-playbook -v --diff -i localhost, "$at/play.yml" \
    -e "@$at/vars.json" -e "ballot_jobs_dir=$at/jobs.d" -e "ballot_command=$ballot" -e "ballot_config=$at/ballot.toml" \
    -e "{\"ballot_reload_command\": \"/bin/sh $at/reload\", \"ballot_restart_command\": \"/bin/sh $at/restart\"}" > "$at/said" 2>&1
}
ansible_is_unchanged() { expect_said 'changed=0'; }

puppet_apply() {
  local content=$1 state=$2 job array_of='' resumed='' tokens='' secret=undef toml=undef
  for job in $3; do array_of+="'$job', "; done
  for job in $4; do resumed+="'$job', "; done
  printf '%s' "$content" > "$at/content"
  [ ! -s "$at/toml" ] || toml="file('$at/toml')"
  [ -z "$ci_line" ] || tokens="'ci' => { 'role' => 'viewer', 'sha256' => '${ci_line##* }' }"
  [ -z "$fleet_token" ] || secret="Sensitive('$fleet_token')"
  cat > "$at/site.pp" <<END
class { 'ballot':
  jobs_dir       => '$at/jobs.d',
  command        => '$ballot',
  config         => '$at/ballot.toml',
  toml           => $toml,
  tokens         => { $tokens },
  tokens_file    => '$at/tokens',
  fleet_token    => $secret,
  fleet_token_file => '$at/fleet-token',
  job_files      => { 'beat' => { 'ensure' => '$state', 'content' => file('$at/content') } },
  paused         => [$array_of],
  resumed        => [$resumed],
  reload_command => '/bin/sh $at/reload',
  restart_command => '/bin/sh $at/restart',
}
END
  local code=0
  puppet apply --show_diff --verbose --detailed-exitcodes --color false --modulepath "$root/packaging/puppet" "$at/site.pp" > "$at/said" 2>&1 || code=$?
  puppet_code=$code
  [ "$code" = 0 ] || [ "$code" = 2 ]  # 2: something has changed
}
puppet_is_unchanged() { [ "$puppet_code" = 0 ] || fail 'something changed the second time'; }

good='[job.beat]
schedule = "* * * * * *"
command = ["/bin/true"]
'
broken='[job.beat]
schedule = "* * 99 * *"
command = ["/bin/true"]
'
ci=$("$ballot" token new ci --role viewer 2> /dev/null) secret=$("$ballot" token new fleet --role viewer 2> /dev/null | sed -n 1p)
for tool in ansible puppet; do
  ci_line='' fleet_token=
  begin $tool
  "${tool}_apply" "$good" present '' '' || fail 'a good file is refused'
  eventually ran beat || fail 'its job does not run'
  "${tool}_apply" "$good" present '' '' || fail 'a second time fails'
  "${tool}_is_unchanged"
  ! "${tool}_apply" "$broken" present '' '' || fail 'a broken file is taken'
  expect_said "day-of-month is 1 to 31, not '99'"
  [ "$(cat "$at/jobs.d/beat.toml")" = "${good%$'\n'}" ] || fail 'a broken file has arrived'
  is beat active || fail 'a broken file has taken the job out of force'
  "${tool}_apply" "$good" present beat '' || fail 'it cannot be paused'
  is beat paused || fail 'it is not paused'
  "${tool}_apply" "$good" present beat '' || fail 'a second pause fails'
  "${tool}_is_unchanged"
  "${tool}_apply" "$good" present '' beat || fail 'it cannot be resumed'
  is beat active || fail 'it is not resumed'
  "${tool}_apply" '' absent '' '' || fail 'it cannot be removed'
  [ ! -e "$at/jobs.d/beat.toml" ] || fail 'its file is still there'
  eventually is_gone beat || fail 'its job is still there'

  cat "$at/ballot.toml" - > "$at/toml" <<END
[http]
listen = "$at/api.sock"
tokens = "$at/tokens"
[fleet]
token_file = "$at/fleet-token"
END
  ci_line=${ci##*$'\n'} fleet_token=$secret
  for file in tokens fleet-token; do echo '# before' > "$at/$file"; done  # of a file that is new no tool shows a diff
  "${tool}_apply" "$good" present '' '' || fail 'the API cannot be switched on'
  no_secret_said
  [ "$(stat -c '%a %U' "$at/tokens" "$at/fleet-token" | sort -u)" = '600 root' ] || fail 'others may read a file of tokens'
  eventually of_token "${ci%%$'\n'*}" 200 || fail 'a token is not let in'
  of_token "$secret" 200 || fail "the fleet's token is not let in"
  [ "$(cat "$at/fleet-token")" = "$secret" ] || fail "the fleet's token is another one"
  "${tool}_apply" "$good" present '' '' || fail 'a second time fails, with tokens'
  "${tool}_is_unchanged"
  no_secret_said
  cp "$at/ballot.toml" "$at/before"
  sed 's/^listen = .*/listen = "0.0.0.0:1"/' "$at/before" > "$at/toml"
  ! "${tool}_apply" "$good" present '' '' || fail 'a broken ballot.toml is taken'
  expect_said 'lets other machines connect, which takes TLS'
  cmp "$at/ballot.toml" "$at/before" || fail 'a broken ballot.toml has arrived'
  cp "$at/before" "$at/toml"
  ci_line=
  "${tool}_apply" "$good" present '' '' || fail 'a token cannot be taken away'
  no_secret_said
  eventually of_token "${ci%%$'\n'*}" 401 || fail 'a token that was taken away is let in'
  of_token "$secret" 200 || fail "the fleet's token is not let in any more"
  finish
done

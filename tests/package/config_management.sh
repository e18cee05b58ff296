#!/bin/bash
# The Ansible role and the Puppet module, really run on this host: a job file is dropped in and its job runs; a second time
# nothing changes; a broken file is refused with ballot's own message and what was there stays; a job is paused, resumed
# and removed. Needs root, ansible-core and puppet-agent: packaging/install-deps.sh management
# Usage: tests/package/config_management.sh [BALLOT]     (default: build/release/bin/ballot)
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD ballot=$(realpath "${1:-build/release/bin/ballot}")

at=$(mktemp -d /tmp/ballot-cm.XXXXXX) daemon=
end() {
  [ -z "$daemon" ] || kill -TERM "$daemon" 2> /dev/null || true
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
ran() { "$ballot" history --job "$1" --status succeeded --format csv --config "$at/ballot.toml" | grep -q "$1"; }
is() { "$ballot" jobs "$1" --format json --config "$at/ballot.toml" | grep -q "\"state\":\"$2\""; }
is_gone() { ! "$ballot" jobs --format csv --config "$at/ballot.toml" | grep -q "^$1,"; }

begin() {
  tool=$1
  rm -rf "${at:?}"/*
  mkdir "$at"/{state,run,jobs.d}
  printf '%s\n' 'node = "n"' "jobs_dir = \"$at/jobs.d\"" "state_dir = \"$at/state\"" "run_dir = \"$at/run\"" > "$at/ballot.toml"
  "$ballot" serve --config "$at/ballot.toml" > "$at/log" 2>&1 &
  daemon=$!
  eventually "$ballot" status --config "$at/ballot.toml" || fail 'the daemon does not start'
}
finish() {
  kill -TERM "$daemon"
  wait "$daemon" || fail 'the daemon does not end well'
  daemon=
  echo "$tool: ok"
}

# ---- each tool's own: apply CONTENT STATE PAUSED RESUMED; whether a second time changed something

ansible_apply() {
  python3 - "$@" > "$at/vars.json" <<'END'
import json, sys
content, state, paused, resumed = sys.argv[1:]
file = {"name": "beat", "content": content} if state == "present" else {"name": "beat", "state": "absent"}
print(json.dumps({"ballot_job_files": [file], "ballot_paused_jobs": paused.split(), "ballot_resumed_jobs": resumed.split()}))
END
  cat > "$at/play.yml" <<END
- hosts: localhost
  connection: local
  gather_facts: false
  roles: [ballot]
END
  ANSIBLE_ROLES_PATH=$root/packaging/ansible/roles ANSIBLE_NOCOLOR=1 ansible-playbook -i localhost, "$at/play.yml" \
    -e "@$at/vars.json" -e "ballot_jobs_dir=$at/jobs.d" -e "ballot_command=$ballot" -e "ballot_config=$at/ballot.toml" \
    -e "{\"ballot_reload_command\": \"kill -HUP $daemon\"}" > "$at/said" 2>&1
}
ansible_is_unchanged() { expect_said 'changed=0'; }

puppet_apply() {
  local content=$1 state=$2 job array_of='' resumed=''
  for job in $3; do array_of+="'$job', "; done
  for job in $4; do resumed+="'$job', "; done
  printf '%s' "$content" > "$at/content"
  cat > "$at/site.pp" <<END
class { 'ballot':
  jobs_dir       => '$at/jobs.d',
  command        => '$ballot',
  config         => '$at/ballot.toml',
  job_files      => { 'beat' => { 'ensure' => '$state', 'content' => file('$at/content') } },
  paused         => [$array_of],
  resumed        => [$resumed],
  reload_command => '/bin/kill -HUP $daemon',
}
END
  local code=0
  puppet apply --detailed-exitcodes --color false --modulepath "$root/packaging/puppet" "$at/site.pp" > "$at/said" 2>&1 || code=$?
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
for tool in ansible puppet; do
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
  finish
done

# What the scenes of samples share: a sandbox in which `ballot` is the build's, and what runs in it. Sourced by `samples`,
# which sets scene (the folder that stands for /), out, tree and ballot_program.
# A scene is a file with a function `begin`, and others for its steps. It waits for what it can see, and never sleeps.
set -u
mkdir -p "$scene"/{etc/ballot/jobs.d,var/lib/ballot,run/ballot} "$out/bin"
ln -sf "$ballot_program" "$out/bin/ballot"
PATH=$out/bin:$PATH
# What packaging/try.sh takes instead of building one.
export BALLOT=$ballot_program
cd "$scene"
export BALLOT_CONFIG=$scene/etc/ballot/ballot.toml
began= daemons=()

die() { echo "$*" >&2; end_scene; exit 1; }

# needs COMMAND...: a machine on which it works; else the scene is passed over.
needs() {
  "$@" > /dev/null 2>&1 || { echo "does not work here: $*"; exit 77; }
}

begin_once() {
  [ -z "$began" ] || return 0
  began=yes
  ! is_function begin || begin
}

# step NAME: a function of the scene. One of STEP and after_STEP may be missing.
is_function() { [ "$(type -t "$1")" = function ]; }
step() {
  if is_function "$1"; then "$1"; return; fi
  is_function "after_${1#after_}" || is_function "${1#after_}" || die "the scene has no step $1"
}

end_scene() {
  local pid
  for pid in ${daemons[@]+"${daemons[@]}"}; do kill -TERM "$pid" 2> /dev/null; done
  # What is left of jobs is of no use to anybody.
  for pid in ${daemons[@]+"${daemons[@]}"}; do kill -TERM "$pid" 2> /dev/null; wait "$pid" 2> /dev/null; done
  return 0
}
trap end_scene EXIT
trap 'exit 143' TERM INT

# put PATH TEXT: a file of the sandbox.
put() {
  local path=$scene/${1#/}
  mkdir -p "${path%/*}"
  printf %s "$2" > "$path.new" && mv "$path.new" "$path"
}

# shown FILE PROMPT COMMAND: what a terminal would show, at the end of FILE. The shell is the scene's own, so `cd` and
# variables stay, and what goes to the background goes on; a scene's function `begun` waits for what it prints.
shown() {
  current=$1
  printf '%s\n' "$2" >> "$1"
  eval "$3" >> "$1" 2>&1
  case $3 in *\&) ! is_function begun || begun ;; esac
}

# until_true COMMAND...: tries it for a minute.
until_true() {
  local end=$((SECONDS + 60))
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { "$@" >&2; tail -n 20 "$scene"/*log* >&2; die "not within a minute: $*"; }
    sleep 0.2  # each try is a process or three
  done
}

# settings NODE [TEXT]: ballot.toml of a daemon that has the sandbox for itself.
settings() {
  put etc/ballot/ballot.toml "node      = \"$1\"
jobs_dir  = \"$scene/etc/ballot/jobs.d\"
state_dir = \"$scene/var/lib/ballot\"
run_dir   = \"$scene/run/ballot\"
${2:-}"
}

# serve [FLAG...]: the daemon of $BALLOT_CONFIG in the background, which logs to $log; it is ready when this returns, and
# daemon is its pid.
serve() {
  "$out/bin/ballot" serve "$@" >> "$scene/${log:-ballot.log}" 2>&1 &
  daemon=$!
  daemons+=("$daemon")
  until_true answers
}
answers() { ballot status --format json | grep -q '"node"'; }

# has JOB N STATUS [REASON]: N rows or more of this node's ledger.
has() { [ "$(ballot history --job "$1" --status "$3" ${4:+--reason "$4"} --limit 1000 --format csv | tail -n +2 | wc -l)" -ge "$2" ]; }
rows() { until_true has "$@"; }

# The last digits of the newest run of a job, as a table shows them.
run_of() { ballot history --job "$1" --limit 1 --format csv | tail -n 1 | cut -d, -f1 | tail -c 13; }

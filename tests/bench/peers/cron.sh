#!/bin/bash
# cron.sh N STAMP OUT INSTANTS: Debian's cron, with N lines that are due each minute, and with none of this host's: the
# files lie in a mount namespace of its own. As root. Ends with 77 where it cannot be run, and says why.
set -euo pipefail
count=$1 stamp=$2 out=$3 instants=$4
[ -x /usr/sbin/cron ] || { echo 'there is no cron: apt-get install cron'; exit 77; }
unshare --mount true 2> /dev/null || { echo 'no mount namespace may be made: run it as root'; exit 77; }

export count stamp out
unshare --mount --propagation private timeout $((instants * 60 + 10)) bash -eu -c '
  for folder in /etc/cron.d /var/spool/cron /run; do mount -t tmpfs peers "$folder"; done
  mkdir /var/spool/cron/crontabs
  [ ! -e /etc/crontab ] || mount --bind /dev/null /etc/crontab
  for ((i = 0; i < count; ++i)); do echo "* * * * * root $stamp $out"; done > /etc/cron.d/peers
  exec /usr/sbin/cron -f -L 0' || [ $? = 124 ]

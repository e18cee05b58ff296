# A machine in Paris with crontabs: its /etc and /var/spool are the sandbox's, in a mount namespace of its own. Needs root.
[ -n "${own_mounts:-}" ] || { needs unshare -m true && own_mounts=yes exec unshare -m bash "$0"; }
begin() {
  cp -a /etc/{passwd,group,nsswitch.conf,ld.so.cache,alternatives} etc/
  echo 'alice:x:1000:1000::/home/alice:/bin/sh' >> etc/passwd
  ln -s /usr/share/zoneinfo/Europe/Paris etc/localtime
  local path='PATH=/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin'
  put etc/crontab "SHELL=/bin/sh
$path
17 *	* * *	root	cd / && run-parts --report /etc/cron.hourly
25 6	* * *	root	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }
47 6	* * 7	root	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.weekly; }
52 6	1 * *	root	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.monthly; }
"
  put etc/cron.d/e2scrub_all '30 3 * * 0 root test -e /run/systemd/system || SERVICE_MODE=1 /usr/lib/x86_64-linux-gnu/e2fsprogs/e2scrub_all_cron
10 3 * * * root test -e /run/systemd/system || SERVICE_MODE=1 /sbin/e2scrub_all -A -r
'
  put etc/cron.d/sysstat "PATH=/usr/lib/sysstat:${path#PATH=}
5-55/10 * * * * root command -v debian-sa1 > /dev/null && debian-sa1 1 1
59 23 * * * root command -v debian-sa1 > /dev/null && debian-sa1 60 2
"
  put var/spool/cron/crontabs/alice 'MAILTO=alice@example.org
15 2 * * * backup $HOME
* * * * 1-5 $HOME/bin/poll.sh % start%stop
@hourly fetchmail --silent
30 8 31 2 * $HOME/bin/report.sh
0~30 4 * * * $HOME/bin/rotate.sh
'
  chmod 600 var/spool/cron/crontabs/alice
  chmod 644 etc/crontab etc/cron.d/*
  mount --bind etc /etc
  mount --bind var/spool /var/spool
  mount -t tmpfs home /home
  mkdir /home/alice
  settings host-1
  export BALLOT_TEST_SENDMAIL=/bin/true  # whatever the machine has
}
mended() { sed -i '5,6d' var/spool/cron/crontabs/alice; }
systemctl() { [ "$*" = 'stop ballot' ]; }
ballot() {
  if [ "$1" != serve ]; then command ballot "$@"; return; fi
  shift
  serve "$@"
  until_true grep -q ' leads ' ballot.log
  cat ballot.log
}
# A job of each second is as good as a day of the others.
a_day() {
  put etc/ballot/jobs.d/day.toml '[job.day]
schedule = "* * * * * *"
command  = ["true"]
'
  rows day 2 skipped dry_run
  kill -TERM "$daemon"
  wait "$daemon"
}
# As cron logs it: what ballot has, and one line that stayed with cron.
journalctl() {
  echo "$(date -u -d yesterday +%Y-%m-%dT04:17:01)+0000 vm CRON[771]: (root) CMD (cd / && run-parts --report /etc/cron.hourly)"
  command ballot history --reason dry_run --limit 1000 --format csv | awk -F, 'NR > 1 { print substr($4, 1, 19) "+0000 vm CRON[772]: (alice) CMD (" $2 ")" }'
}

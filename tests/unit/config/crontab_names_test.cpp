#include "config/crontab/crontab_names.hpp"

#include <gtest/gtest.h>

#include "config/names.hpp"

namespace ballot::config {
namespace {

std::string name_of(std::string_view command, std::string_view prefix = "") {
  return CrontabNames().add(prefix, command, "* * * * *");
}

TEST(CrontabNames, AreMadeOfTheProgram) {
  const std::pair<const char*, const char*> commands[] = {
      {"/usr/local/bin/backup.sh --all", "backup"},
      {"$HOME/bin/daily.job >> $HOME/tmp/out 2>&1", "daily-job"},
      {"cd / && run-parts --report /etc/cron.hourly", "run-parts-cron-hourly"},
      {"test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }", "run-parts-cron-daily"},
      {"[ -x /usr/lib/php/sessionclean ] && if [ ! -d /run/systemd/system ]; then /usr/lib/php/sessionclean; fi",
       "sessionclean"},
      {"command -v debian-sa1 > /dev/null && debian-sa1 1 1", "debian-sa1"},
      {"test -e /run/systemd/system || SERVICE_MODE=1 /sbin/e2scrub_all -A -r", "e2scrub_all"},
      {"nice -n 10 ionice -c2 -n7 /opt/reindex", "reindex"},
      {"flock -n /run/x.lock timeout 30m python3 -u /srv/app/sync_all.py >/dev/null", "sync_all"},
      {"sudo -u www-data php /var/www/artisan schedule:run", "artisan"},
      {"(sleep 30; /bin/b)", "b"},
      {"mail -s \"It's 10pm\" joe", "mail-joe"},
      {"echo hello", "echo-hello"},
      {"[ -x /usr/bin/foo ] && foo", "foo"},
      {"test -e /etc/x || exit 0; foo --bar", "foo"},
      {"cd /x; [ -f lock ] && exit; ./do.sh", "do"},
      {"if ! [ -e /x ]; then return 0; fi; /opt/a", "a"},
      {"[ -x /usr/bin/certbot -a \\! -d /run/systemd/system ] && perl -e 'sleep int(rand(43200))' && certbot -q renew",
       "certbot"},
      {"which foo >/dev/null && foo sync", "foo-sync"},
      {"type bar >/dev/null 2>&1 || exit; bar", "bar"},
      {"hash foo && foo", "foo"},
      {"pgrep -x baz || baz", "baz"},
      {"[[ $(date +%d) -le 7 ]] && monthly.sh", "monthly"},
      {"[ `date +%u` = 7 ] && /opt/w/weekly", "weekly"},
      {"sleep $((RANDOM%60)); backup.sh", "backup"},
      {"source /etc/env; run.sh", "run"},
      {"systemctl is-active x && y.sh", "y"},
      {"systemctl restart x", "systemctl-restart"},
      {"grep -q x /etc/y && z.sh", "z"},
      {"grep ERROR /var/log/app.log", "grep-ERROR"},
      {"mountpoint -q /mnt && rsync -a /srv /mnt", "rsync-srv"},
      {"exit 0", "exit"},
      {"x=$(date); foo $x", "foo"},
      {"echo $(", "echo"},
      {"foo `", "foo"},
      {"true", "true"},
      {"A=b", "job"},
      {"'/opt/my tool/x'", "x"},
      {"\xc3\xa9t\xc3\xa9", "t"},
      {"%", "job"},
      {"\"\"", "job"},
      {"|||", "job"},
      {"-", "job"},
      {"sh", "sh"},
  };
  for (const auto& [command, wanted] : commands) EXPECT_EQ(name_of(command), wanted) << command;
}

TEST(CrontabNames, SayWhatACommonProgramIsCalledWith) {
  const std::pair<const char*, const char*> commands[] = {
      {"certbot renew --quiet", "certbot-renew"},
      {"/usr/sbin/logrotate /etc/logrotate.conf", "logrotate"},
      {"find /tmp -mtime +7 -delete", "find-tmp"},
      {"mysqldump -u root shop > /srv/shop.sql", "mysqldump-shop"},
      {"rsync -a /srv/ backup:/srv", "rsync-srv"},
      {"tar -czf /srv/etc.tgz /etc", "tar-etc-tgz"},
      {"date >> /tmp/alive.log 2>&1", "date-alive-log"},
      {"date > /dev/null 2>&1", "date"},
      {"true && date >/tmp/x", "date-x"},
      {"/usr/bin/env python3 /opt/a.py", "a"},
      {"docker exec -t web ls", "docker-exec"},
      {"backup $HOME", "backup"},
      {"git -C /srv/repo pull", "git-repo"},
      {"cd /srv && ./run.sh /etc/x", "run"},
  };
  for (const auto& [command, wanted] : commands) EXPECT_EQ(name_of(command), wanted) << command;
}

TEST(CrontabNames, LookIntoAShell) {
  EXPECT_EQ(name_of("sh -c 'cd /srv && ./backup.sh'"), "backup");
  EXPECT_EQ(name_of("su - alice -c \"/opt/poll --all\""), "poll");
  EXPECT_EQ(name_of("su alice -c 'bash -lc \"certbot renew\"'"), "certbot-renew");
  EXPECT_EQ(name_of("bash -c"), "bash");
}

/// A name is seen by more people than a crontab.
TEST(CrontabNames, TellNoSecrets) {
  EXPECT_EQ(name_of("curl -fsS https://me:pass@hc.example.org/ping/0b7c1f9a-aaaa-4b1f-9d1e-5a55 > /dev/null"),
            "curl-hc-example-org");
  EXPECT_EQ(name_of("curl 6f1c2a3b4d5e6f708192a3b4"), "curl");
  EXPECT_EQ(name_of("login token=geheim"), "login");
  EXPECT_EQ(name_of("mysql -pgeheim user@host"), "mysql");
}

TEST(CrontabNames, BeginWithTheirPrefix) {
  EXPECT_EQ(name_of("/bin/backup", "alice"), "alice-backup");
  EXPECT_EQ(name_of("debian-sa1 1 1", "sysstat"), "sysstat-debian-sa1");
  EXPECT_EQ(name_of("/sbin/e2scrub_all -A", "e2scrub_all"), "e2scrub_all");
  EXPECT_EQ(name_of("x", "_..my.tab_"), "my-tab_-x");
}

TEST(CrontabNames, AreValidWhateverTheCommand) {
  EXPECT_TRUE(is_name(name_of(std::string(10'000, 'a'))));
  EXPECT_TRUE(is_name(name_of(std::string(10'000, 'a'), std::string(100, 'b'))));
  for (int c = 1; c < 256; ++c) EXPECT_TRUE(is_name(name_of(std::string(3, static_cast<char>(c))))) << c;
}

TEST(CrontabNames, DifferAndStayWhenOtherLinesGo) {
  CrontabNames all, fewer;
  const std::string first = all.add("", "sync a", "0 * * * *"), second = all.add("", "sync a -v", "0 * * * *"),
                    third = all.add("", "sync a -q", "0 * * * *"), again = all.add("", "sync a -q", "5 * * * *"),
                    twice = all.add("", "sync a -q", "5 * * * *");
  EXPECT_EQ(first, "sync-a");
  EXPECT_EQ((std::set{first, second, third, again, twice}).size(), 5u);
  EXPECT_EQ(fewer.add("", "sync a", "0 * * * *"), first);
  EXPECT_EQ(fewer.add("", "sync a -q", "0 * * * *"), third);
}

}  // namespace
}  // namespace ballot::config

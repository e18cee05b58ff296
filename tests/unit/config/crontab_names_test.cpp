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
      {"mail -s \"It's 10pm\" joe", "mail"},
      {"echo hello", "echo"},
      {"true", "true"},
      {"A=b", "job"},
      {"'/opt/my tool/x'", "my"},
      {"\xc3\xa9t\xc3\xa9", "t"},
      {"%", "job"},
      {"\"\"", "job"},
      {"|||", "job"},
      {"-", "job"},
      {"sh", "sh"},
  };
  for (const auto& [command, wanted] : commands) EXPECT_EQ(name_of(command), wanted) << command;
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
  const std::string first = all.add("", "sync a", "0 * * * *"), second = all.add("", "sync b", "0 * * * *"),
                    third = all.add("", "sync c", "0 * * * *"), again = all.add("", "sync c", "5 * * * *"),
                    twice = all.add("", "sync c", "5 * * * *");
  EXPECT_EQ(first, "sync");
  EXPECT_EQ((std::set{first, second, third, again, twice}).size(), 5u);
  EXPECT_EQ(fewer.add("", "sync a", "0 * * * *"), first);
  EXPECT_EQ(fewer.add("", "sync c", "0 * * * *"), third);
}

}  // namespace
}  // namespace ballot::config

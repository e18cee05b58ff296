#include "config/job_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <random>

#include "job_file_text.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
TEST(JobFile, FillsInTheDefaults) {
  const Job x = job("shell = \"true\"\n");
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.group, "default");
  EXPECT_EQ(x.timezone, "UTC");
  EXPECT_EQ(x.details->umask, 022u);
  EXPECT_EQ(x.start_deadline, 5min);
  EXPECT_EQ(x.details->kill_signal, 15);
  EXPECT_EQ(x.kill_grace, 10s);
  EXPECT_EQ(x.details->success_codes, std::vector<int>{0});
  EXPECT_EQ(x.details->output_limit, 65'536);
  EXPECT_EQ(x.max_running, 16);
  EXPECT_TRUE(x.enabled);
  EXPECT_FALSE(x.identity || x.deadline || x.not_before || x.not_after);
  EXPECT_TRUE(x.schedule.empty());
}

TEST(JobFile, ReadsEveryKeyIntoTheJob) {
  const Job x = job(R"(
    description = "d"
    enabled = false
    group = "nightly"
    schedule = ["0 2 * * *", "@hourly"]
    timezone = "Europe/Paris"
    not_before = 2025-03-09T08:00:00.25+01:00
    not_after = 2025-03-10T00:00:00Z
    command = ["/bin/echo", "a b"]
    working_dir = "/srv"
    umask = "077"
    nice = -5
    env = {A = "1", B = ""}
    env_file = "/etc/x"
    secrets.KEY = "key"
    stdin = "in"
    concurrency = "queue"
    queue_limit = 3
    queue_overflow = "drop-old"
    max_running = 4
    priority = -1
    start_deadline = "12h"
    deadline = "1h30m"
    kill_signal = "SIGINT"
    kill_grace = "1s"
    success_codes = [0, 3]
    retries = 2
    retry_delay = "1s"
    retry_backoff = 1
    retry_max_delay = "2s"
    misfire = "all"
    misfire_limit = 7
    guarantee = "at-least-once"
    on_leadership_lost = "finish"
    lost_after = "2h"
    lost_limit = 5
    on_success = "rerun"
    on_error = "reelect"
    output = "discard"
    output_limit = "1MiB"
    log_output = true
    on_failure = ["/f"]
    on_recovery = ["/r"]
    on_missed = ["/m"]
    hook_timeout = "5s"
    mail_to = "root"
    mail_on = "output"
    ping_url = "http://h"
    [job.x.limits]
    open_files = 1
    cpu_time = "2s"
    address_space = "1GiB"
    processes = 3
    memory_max = 4
    cpu_weight = 5
    tasks_max = 6
  )");
  EXPECT_EQ(x.description, "d");
  EXPECT_FALSE(x.enabled);
  EXPECT_EQ(x.group, "nightly");
  EXPECT_EQ(x.schedule, (std::vector<std::string>{"0 2 * * *", "@hourly"}));
  EXPECT_EQ(x.timezone, "Europe/Paris");
  EXPECT_EQ(*x.not_before, WallTime(Millis(1'741'503'600'250)));
  EXPECT_EQ(*x.not_after, WallTime(Millis(1'741'564'800'000)));
  EXPECT_EQ(x.command, (std::vector<std::string>{"/bin/echo", "a b"}));
  EXPECT_EQ(x.details->working_dir, "/srv");
  EXPECT_EQ(x.details->umask, 077u);
  EXPECT_EQ(x.details->nice, -5);
  EXPECT_EQ(x.details->env, (std::map<std::string, std::string>{{"A", "1"}, {"B", ""}}));
  EXPECT_EQ(x.details->env_file, "/etc/x");
  EXPECT_EQ(x.details->secrets, (std::map<std::string, std::string>{{"KEY", "key"}}));
  EXPECT_EQ(x.details->standard_input, "in");
  EXPECT_EQ(x.concurrency, Concurrency::queue);
  EXPECT_EQ(x.details->queue_limit, 3);
  EXPECT_EQ(x.queue_overflow, QueueOverflow::drop_old);
  EXPECT_EQ(x.max_running, 4);
  EXPECT_EQ(x.details->priority, -1);
  EXPECT_EQ(x.start_deadline, 12h);
  EXPECT_EQ(x.deadline, Millis(90min));
  EXPECT_EQ(x.details->kill_signal, 2);
  EXPECT_EQ(x.kill_grace, 1s);
  EXPECT_EQ(x.details->success_codes, (std::vector<int>{0, 3}));
  EXPECT_EQ(x.retries, 2);
  EXPECT_EQ(x.details->retry_delay, 1s);
  EXPECT_EQ(x.details->retry_backoff, 1.0);
  EXPECT_EQ(x.details->retry_max_delay, 2s);
  EXPECT_EQ(x.misfire, Misfire::all);
  EXPECT_EQ(x.details->misfire_limit, 7);
  EXPECT_EQ(x.guarantee, Guarantee::at_least_once);
  EXPECT_EQ(x.on_leadership_lost, OnLeadershipLost::finish);
  EXPECT_EQ(x.details->lost_after, 2h);
  EXPECT_EQ(x.details->lost_limit, 5);
  EXPECT_EQ(x.on_success, AfterRun::rerun);
  EXPECT_EQ(x.on_error, AfterRun::reelect);
  EXPECT_EQ(x.output, OutputKeep::discard);
  EXPECT_EQ(x.details->output_limit, 1 << 20);
  EXPECT_TRUE(x.log_output);
  EXPECT_EQ(x.details->on_failure, std::vector<std::string>{"/f"});
  EXPECT_EQ(x.details->on_recovery, std::vector<std::string>{"/r"});
  EXPECT_EQ(x.details->on_missed, std::vector<std::string>{"/m"});
  EXPECT_EQ(x.details->hook_timeout, 5s);
  EXPECT_EQ(x.details->mail_to, "root");
  EXPECT_EQ(x.details->mail_on, MailOn::output);
  EXPECT_EQ(x.details->ping_url, "http://h");
  EXPECT_EQ(x.details->limits, (Limits{1, 2, 1 << 30, 3, 4, 5, 6}));
}

TEST(JobFile, HoldsSeveralJobsByName) {
  const JobFile file = read("[job.b]\nshell = \"b\"\n[job.a]\nshell = \"a\"\n");
  ASSERT_EQ(file.definitions.size(), 2u);
  EXPECT_EQ(file.definitions[0].definition->job.name, "a");
  EXPECT_EQ(file.definitions[0].position, (Position{3, 6}));
  EXPECT_EQ(file.definitions[1].definition->job.name, "b");
}

TEST(JobFile, MayBeEmpty) {
  EXPECT_EQ(findings(""), "");
  EXPECT_EQ(findings("# nothing yet\n"), "");
}

TEST(JobFile, PutsAShellLineIntoACommand) {
  EXPECT_EQ(job("shell = \"dump | gzip\"").command, (std::vector<std::string>{"/bin/sh", "-c", "dump | gzip"}));
}

TEST(JobFile, WantsExactlyOneOfCommandAndShell) {
  EXPECT_EQ(findings("\n[job.x]\n"),
            "x.toml:2:6: error: job 'x' has nothing to run; give it a 'command' or a 'shell'\n");
  EXPECT_EQ(findings("[job.x]\nshell = \"a\"\ncommand = [\"/b\"]\n"),
            "x.toml:3:11: error: 'command' and 'shell' exclude each other; keep one of them\n");
  EXPECT_EQ(findings("[job.x]\ncommand = [\"/b\"]\nshell = \"a\"\n"),
            "x.toml:3:9: error: 'command' and 'shell' exclude each other; keep one of them\n");
}

JobSettings of_a_program(bool has_runner = true) {
  JobSettings settings;
  settings.has_function = [](std::string_view name) { return name == "report"; };
  settings.has_runner = has_runner;
  return settings;
}

TEST(JobFile, MayNameAFunctionOfTheProgramThatReadsIt) {
  EXPECT_EQ(job("function = \"report\"", of_a_program()).details->function, "report");
  EXPECT_EQ(findings("[job.x]\nfunction = \"other\"\n", of_a_program()),
            "x.toml:2:12: error: this program has no function 'other'\n");
  EXPECT_EQ(findings("[job.x]\nfunction = \"report\"\n"),
            "x.toml:2:12: error: 'function' is for programs that embed ballot: only the one that reads this file knows "
            "it, and says in its log, and by `ballot status`, what is wrong with the file; `ballot serve` runs a "
            "'command' or a 'shell', and with command = [\"true\"] in its place `ballot check` checks the rest\n");
  EXPECT_EQ(findings("[job.x]\n", of_a_program()),
            "x.toml:1:6: error: job 'x' has nothing to run; give it a 'command', a 'shell' or a 'function'\n");
  EXPECT_EQ(findings("[job.x]\nshell = \"a\"\nfunction = \"report\"\n", of_a_program()),
            "x.toml:3:12: error: 'function' and 'shell' exclude each other; keep one of them\n");
}

TEST(JobFile, RefusesForAFunctionWhatIsForCommands) {
  EXPECT_EQ(findings("[job.x]\nfunction = \"report\"\nnice = 1\nuser = \"root\"\n", of_a_program()),
            "x.toml:3:8: error: 'nice' is for commands; a function has none\n"
            "x.toml:4:8: error: 'user' is for commands; a function has none\n");
}

TEST(JobFile, RefusesWhatNeedsARunnerWhereThereIsNone) {
  EXPECT_EQ(findings("[job.x]\nshell = \"a\"\n", of_a_program(false)),
            "x.toml:2:9: error: 'shell' needs the runner, which this program does without\n");
  EXPECT_EQ(findings("[job.x]\nfunction = \"report\"\nmail_to = \"root\"\n", of_a_program(false)),
            "x.toml:3:11: error: 'mail_to' needs the runner, which this program does without\n");
  EXPECT_EQ(findings("[group.g]\non_promote = [\"/bin/true\"]\n", of_a_program(false)),
            "x.toml:1:8: error: group 'g': its hooks need the runner, which this program does without\n");
}

TEST(JobFile, PointsIntoTheScheduleThatIsWrong) {
  const std::string run = "[job.x]\nshell = \"true\"\n";
  EXPECT_TRUE(findings(run + "schedule = \"0 25 * * *\"\n").starts_with("x.toml:3:15: error: schedule: "))
      << findings(run + "schedule = \"0 25 * * *\"\n");
  EXPECT_TRUE(
      findings(run + "schedule = [\"0 2 * * *\",\n  '0 0 32 * *']\n").starts_with("x.toml:4:8: error: schedule: "))
      << findings(run + "schedule = [\"0 2 * * *\",\n  '0 0 32 * *']\n");
}

TEST(JobFile, HasNoMoreSchedulesThanARegisterHolds) {
  std::string list;
  for (int i = 0; i < 33; ++i) list += "\"@every " + std::to_string(i + 1) + "s\", ";
  EXPECT_EQ(findings("[job.x]\nshell = \"true\"\nschedule = [" + list + "]\n"),
            "x.toml:3:12: error: 'schedule' has 33 schedules; a job may have 32\n");
}

TEST(JobFile, PointsToTheStringWhereEscapesHideTheColumn) {
  const std::string run = "[job.x]\nshell = \"true\"\n";
  EXPECT_TRUE(findings(run + "schedule = \"0\\u002025 * * *\"\n").starts_with("x.toml:3:12: error: schedule: "));
  EXPECT_TRUE(findings(run + "schedule = \"\"\"\n0 25 * * *\"\"\"\n").starts_with("x.toml:3:12: error: schedule: "));
}

TEST(JobFile, RefusesAScheduleThatNeverFires) {
  const std::string text = findings("[job.x]\nshell = \"true\"\nschedule = \"0 0 30 2 *\"\n");
  EXPECT_TRUE(text.starts_with("x.toml:3:1")) << text;
  EXPECT_NE(text.find("never"), std::string::npos) << text;
}

TEST(JobFile, RefusesAZoneThatDoesNotExist) {
  EXPECT_TRUE(
      findings("[job.x]\nshell = \"true\"\ntimezone = \"Mars/Base\"\n").starts_with("x.toml:3:12: error: timezone: "));
  EXPECT_TRUE(findings("[job.x]\nshell = \"true\"\nschedule = \"CRON_TZ=Mars/Base 0 2 * * *\"\n")
                  .starts_with("x.toml:3:21: error: schedule: "));
}

TEST(JobFile, GivesJobsTheDaemonsZone) {
  JobSettings settings;
  settings.timezone = "Asia/Tokyo";
  EXPECT_EQ(job("shell = \"true\"", settings).timezone, "Asia/Tokyo");
}

TEST(JobFile, CountsTheResolvedZoneInTheDigest) {
  JobSettings tokyo;
  tokyo.timezone = "Asia/Tokyo";
  const auto digest = [](const JobFile& file) { return file.definitions.at(0).definition->digest; };
  EXPECT_NE(digest(read("[job.x]\nshell = \"t\"")), digest(read("[job.x]\nshell = \"t\"", tokyo)));
  EXPECT_EQ(digest(read("[job.x]\nshell = \"t\"\ntimezone = \"Asia/Tokyo\"")),
            digest(read("[job.x]\nshell = \"t\"", tokyo)));
}

TEST(JobFile, TellsWhatToWriteForATimeWithoutOffset) {
  EXPECT_EQ(findings("[job.x]\nshell = \"true\"\nnot_before = 2025-01-01T00:00:00\n"),
            "x.toml:3:14: error: 'not_before' is a date-time without an offset; write it with one, such as "
            "2025-03-09T07:00:00Z or 2025-03-09T08:00:00+01:00\n");
}

TEST(JobFile, RefusesAWindowThatEndsBeforeItBegins) {
  EXPECT_EQ(
      findings("[job.x]\nshell = \"true\"\nnot_before = 2025-01-02T00:00:00Z\nnot_after = 2025-01-01T00:00:00Z\n"),
      "x.toml:4:13: error: 'not_after' is before 'not_before': the job could never be due\n");
}

TEST(JobFile, RefusesALimitWhoseControllerTheMachineDoesNotHave) {
  JobSettings settings;
  settings.controllers = {"cpu", "memory"};
  const std::string run = "[job.x]\nshell = \"true\"\nlimits.";
  EXPECT_EQ(findings(run + "memory_max = \"1GiB\"\nlimits.cpu_weight = 5", settings), "");
  EXPECT_EQ(
      findings(run + "tasks_max = 5", settings),
      "x.toml:3:20: error: 'tasks_max' needs the cgroup v2 controller 'pids', which this machine does not have\n");
  settings.controllers->clear();
  EXPECT_TRUE(read(run + "memory_max = \"1GiB\"", settings).definitions.empty());
  EXPECT_EQ(findings(run + "open_files = 5\nlimits.cpu_time = \"5s\"", settings), "") << "these need none";
  EXPECT_EQ(findings(run + "tasks_max = 5"), "") << "not asked";
}

TEST(JobFile, NamedByHandMayBeForAMachineWithOtherControllers) {
  JobSettings settings;
  settings.controllers = {"cpu"};
  EXPECT_EQ(findings("[job.x]\nshell = \"true\"\nlimits.memory_max = 5", settings, std::nullopt),
            "x.toml:3:21: warning: 'memory_max' needs the cgroup v2 controller 'memory', which this machine does not "
            "have: a daemon on such a one refuses the file\n");
}

TEST(JobFile, RefusesJitterBeyondTheShortestPeriod) {
  const std::string run = "[job.x]\nshell = \"true\"\n";
  EXPECT_EQ(findings(run + "schedule = \"* * * * *\"\njitter = \"2m\"\n"),

            "x.toml:4:10: error: 'jitter' must not be longer than the shortest period of the schedule, 1m, not 2m\n");
  EXPECT_NE(findings(run + "schedule = [\"0 2 * * *\", \"30 2 * * 1\"]\njitter = \"31m\"\n")
                .find("period of the schedule, 30m"),
            std::string::npos);
  EXPECT_NE(findings(run + "schedule = \"@every 90s\"\njitter = \"2m\"\n").find("period of the schedule, 1m30s"),
            std::string::npos);
  for (const char* fine : {"schedule = \"* * * * *\"\njitter = \"1m\"\n", "jitter = \"1h\"\n",
                           "schedule = \"@reboot\"\njitter = \"1h\"\n"})
    EXPECT_FALSE(has_errors(read(run + fine).diagnostics)) << fine;
}

TEST(JobFile, WarnsOfAProgramThatOthersCanReplaceOrThatChangesTheIdentity) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: files of others";
  const TempFolder folder;
  ::chmod(folder.path().c_str(), 0755);
  const std::string path = folder.write("prog", "#!/bin/sh\n");
  const std::string job = "[job.x]\ncommand = [\"" + path + "\"]\n";
  const auto warnings = [&](mode_t mode, uid_t owner, uid_t daemon, const std::string& more = "") {
    if (::chown(path.c_str(), owner, 0) != 0 || ::chmod(path.c_str(), mode) != 0) return std::string("no file");
    return findings(job + more, daemon_of(daemon));
  };
  EXPECT_EQ(warnings(0755, 0, root), "");
  EXPECT_EQ(warnings(0777, 0, root), "x.toml:2:11: warning: root executes what others may replace: " + path +
                                         " is writable by others (mode 0777); take that away with chmod go-w\n");
  EXPECT_NE(warnings(0755, somebody, root).find("belongs to user 1000"), std::string::npos);
  EXPECT_EQ(warnings(0777, somebody, somebody), "") << "it is not root who executes it";
  const std::string setuid = warnings(04755, 0, somebody);
  EXPECT_NE(setuid.find(path + " has a setuid or setgid bit"), std::string::npos) << setuid;
  EXPECT_EQ(warnings(04755, 0, somebody, "no_new_privs = true\n"), "");
  ::chmod(folder.path().c_str(), 0777);
  EXPECT_NE(warnings(0755, 0, root).find("may replace: " + folder.path() + " is writable"), std::string::npos);
}

TEST(JobFile, WarnsOfAKillGraceThatLeadershipDoesNotLeave) {
  JobSettings settings;
  settings.longest_kill_grace = Millis(2000);
  const std::string run = "[job.x]\nshell = \"true\"\n";
  EXPECT_EQ(findings(run, settings), "");
  EXPECT_EQ(findings(run + "kill_grace = \"2s\"\n", settings), "");
  EXPECT_EQ(findings(run + "kill_grace = \"10s\"\n", settings),
            "x.toml:3:14: warning: 'kill_grace' is longer than the 2s that there is when leadership is lost; a longer "
            "session_timeout gives more\n");
  EXPECT_EQ(findings(run + "kill_grace = \"10s\"\n"), "");
}

TEST(JobFile, RefusesNamesThatAreNone) {
  for (const char* name : {"\"\"", "\"a/b\"", "\"a.b\"", "\"..\"", "\"a\\u0001\"", "-a", "\"a b\""}) {
    const std::string text = findings("[job."s + name + "]\nshell = \"true\"\n");
    EXPECT_TRUE(text.starts_with("x.toml:1:6: error: '")) << name << '\n' << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  }
  EXPECT_TRUE(findings("[group.\"a/b\"]\n").starts_with("x.toml:1:8: error: 'a/b' is not a valid group name"));
}

TEST(JobFile, RefusesOtherTables) {
  EXPECT_EQ(
      findings("[jobs.x]\nshell = \"true\"\n"),
      "x.toml:1:2: error: unknown key 'jobs'; did you mean 'job'? Known are calendar, group, job: a job file contains "
      "[job.NAME], [group.NAME] and [calendar.NAME]\n");
  EXPECT_EQ(findings("schedule = \"* * * * *\"\n").find("x.toml:1:1: error: unknown key 'schedule'"), 0u);
}

TEST(JobFile, RefusesAJobThatIsNoTable) {
  EXPECT_TRUE(findings("job = 1\n").starts_with("x.toml:1:7: error: 'job' must be a table, not an integer"));
  EXPECT_TRUE(findings("job.x = 1\n").starts_with("x.toml:1:5: error: 'job' contains tables only"));
  EXPECT_TRUE(findings("[job]\nshell = \"a\"\n").starts_with("x.toml:2:1: error: 'job' contains tables only"));
  EXPECT_TRUE(findings("[[job]]\nshell = \"a\"\n").starts_with("x.toml:1:1: error: 'job' must be a table, not a list"));
}

TEST(JobFile, ReportsAllThatIsWrongInOrderAndDefinesNothing) {
  const JobFile file =
      read("[job.good]\nshell = \"true\"\n[job.bad]\nnice = \"x\"\nretires = 1\n[group.g]\nmax_runing = 1\n");
  ASSERT_EQ(file.diagnostics.size(), 4u) << text_of(file.diagnostics);
  EXPECT_EQ(file.diagnostics[0].line, 3);
  EXPECT_EQ(file.diagnostics[1].line, 4);
  EXPECT_EQ(file.diagnostics[2].line, 5);
  EXPECT_EQ(file.diagnostics[3].line, 7);
  EXPECT_TRUE(file.definitions.empty());
  EXPECT_TRUE(file.groups.empty());
}

TEST(JobFile, IsOneFindingWhereItIsNotToml) {
  const std::pair<std::string, std::string> cases[] = {
      {"[job.x\n", "x.toml:1:7: error: this is not TOML: table header: expected ']', saw the end of the line"},
      {"[job.x]\nschedule = \"0 7 * * *\nshell=\"a\"\n",
       "x.toml:2:22: error: this is not TOML: string: it has no closing quote on its line, or a control character (in "
       "the value of 'schedule')"},
      {"a = 1\na = 2\n", "x.toml:2:"},
      {"[job.x]\nshell=\"a\"\n[job.x]\n", "x.toml:3:1: error: this is not TOML: "},
      {"a = 99999999999999999999\n", "x.toml:1:"},
      {"a = 2025-02-30T00:00:00Z\n", "x.toml:1:"},
      {"a = \"x\n", "x.toml:1:"},
      {"a", "x.toml:1:2: error: this is not TOML: "},
      {"[job.x]\nshell = \"\\q\"\n", "x.toml:2:"},
      {"a = \"\x01\"\n", "x.toml:1:"},
      {std::string("a = \"\0\"\n", 8), "x.toml:1:6: error: a NUL byte"},
      {"a = \"\xff\"\n", "x.toml:1:6: error: this is not UTF-8"},
      {"# " + std::string(70'000, 'x'), "x.toml:1:65537: error: the line is longer than 64 KiB"},
      {"a" +
           [] {
             std::string s;
             for (int i = 0; i < 30'000; ++i) s += ".a";
             return s;
           }() +
           " = 1",
       "x.toml:1:"},
      {"a = " + std::string(10'000, '['), "x.toml:1:"},
  };
  for (const auto& [text, start] : cases) {
    const std::string found = findings(text);
    EXPECT_TRUE(found.starts_with(start)) << text.substr(0, 60) << '\n' << found;
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 1) << found;
  }
}

/// Bytes changed, dropped, doubled and swapped at random: whatever comes out is read or refused, at a place in the
/// file.
TEST(JobFile, IsReadOrRefusedHoweverItIsBroken) {
  const std::string text =
      "[job.x]\nschedule = [\"0 2 * * *\", '@every 5m'] # twice\nshell = \"\"\"\ntrue \\\n  \\\"x\\\"\"\"\"\n"
      "deadline = \"1h\"\nenv = {A = \"1\", \"B\" = '\xc3\xa4'}\nnot_before = 2025-01-01T00:00:00Z\n"
      "retry_backoff = 1.5\n[job.x.limits]\nopen_files = 0x10\n[group.g]\npreferred = [\"a\"]\n";
  const std::string marks =
      "\"'[]{}=.,#\\\n\0\xff \xc3"
      "aZ09-"s;
  std::mt19937 random(7);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  for (int round = 0; round < 5'000; ++round) {
    std::string broken = text;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(broken.size()), length = 1 + below(8);
      switch (below(4)) {
        case 0: broken[at] = marks[below(marks.size())]; break;
        case 1: broken.erase(at, length); break;
        case 2: broken.insert(below(broken.size() + 1), broken.substr(at, length)); break;
        case 3: std::swap(broken[at], broken[below(broken.size())]); break;
      }
    }
    const JobFile file = read(broken);
    const int lines = 1 + static_cast<int>(std::count(broken.begin(), broken.end(), '\n'));
    for (const Diagnostic& found : file.diagnostics)
      ASSERT_TRUE(found.line >= 1 && found.line <= lines && found.column >= 1) << found.text() << '\n' << broken;
    ASSERT_TRUE(!has_errors(file.diagnostics) || file.definitions.empty()) << broken;
  }
}

TEST(JobFile, IsNotParsedBeyondTheStack) {
  std::string key = "a";
  for (int i = 0; i < 16; ++i) key += ".a";
  std::string text;
  for (int i = 0; i < 126; ++i) text += key + " = [{";
  const std::string found = findings(text + "}]");
  EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 1) << found;
}

TEST(JobFile, SkipsAByteOrderMark) { EXPECT_EQ(findings("\xef\xbb\xbf[job.x]\nshell = \"true\"\n"), ""); }

}  // namespace
}  // namespace ballot::config

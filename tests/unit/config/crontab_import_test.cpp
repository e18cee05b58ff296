// Crontabs as job files: what the jobs say, and what is refused.
#include "config/crontab/crontab_import.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "config/crontab/crontab_job.hpp"
#include "diagnostics_text.hpp"

namespace ballot::config {
namespace {

struct Jobs {
  ImportedCrontab imported;
  std::map<std::string, Job> by_name;

  std::string text() const { return imported.files.empty() ? "" : imported.files.front().text; }
};

/// The text is read by the loader.
Jobs jobs_of(const std::string& text, CrontabForm form = CrontabForm::user, const std::string& zone = "Europe/Paris") {
  CrontabImport import(zone, {}, WallTime{});
  Jobs jobs{import.add(form == CrontabForm::user ? user_crontab("tab", "root") : system_crontab("/etc/crontab"), text),
            {}};
  Identities identities;
  for (const ImportedFile& one : jobs.imported.files) {
    EXPECT_LE(one.text.size(), 1024u * 1024u);
    const JobFile file = read_job_file(one.text, {"tab.toml", std::nullopt}, {.daemon = 4242}, identities);
    EXPECT_FALSE(has_errors(file.diagnostics)) << one.text << text_of(file.diagnostics);
    EXPECT_EQ(file.definitions.size(), one.jobs);
    for (const auto& [definition, position] : file.definitions)
      jobs.by_name.emplace(definition->job.name, definition->job);
  }
  return jobs;
}

Job job_of(const std::string& text, CrontabForm form = CrontabForm::user) {
  const Jobs jobs = jobs_of(text, form);
  EXPECT_EQ(jobs.by_name.size(), 1u) << text_of(jobs.imported.diagnostics);
  return jobs.by_name.empty() ? Job{} : jobs.by_name.begin()->second;
}

using Variables = std::map<std::string, std::string>;

TEST(CrontabImport, MakesAJobThatDoesWhatCronDid) {
  const Job job = job_of("5 0 * * * /opt/daily \"it's\" %in%\n");
  EXPECT_EQ(job.name, "root-daily");
  EXPECT_EQ(job.schedule, std::vector<std::string>{"5 0 * * *"});
  EXPECT_EQ(job.timezone, "Europe/Paris");
  EXPECT_EQ(job.command, (std::vector<std::string>{"/bin/sh", "-c", "/opt/daily \"it's\" "}));
  EXPECT_EQ(job.details->standard_input, "in\n");
  EXPECT_EQ(job.details->env, (Variables{{"PATH", "/usr/bin:/bin"}}));
  EXPECT_EQ(job.details->working_dir, "");
  ASSERT_TRUE(job.identity);
  EXPECT_EQ(job.identity->user, "root");
  EXPECT_EQ(job.details->mail_to, "root");
  EXPECT_EQ(job.details->mail_on, MailOn::output);
  EXPECT_EQ(job.concurrency, Concurrency::allow);
  EXPECT_EQ(job.misfire, Misfire::skip);
  EXPECT_EQ(job.on_leadership_lost, OnLeadershipLost::finish);
  EXPECT_EQ(job.details->background, Background::leave);
}

TEST(CrontabImport, IsATextThatStaysTheSame) {
  EXPECT_EQ(jobs_of("# c\nMAILTO=\"\"\n\n30 4 * * *  root\techo 'x' \\ y\n", CrontabForm::system).text(),
            "# From /etc/crontab, by `ballot import crontab`.\n"
            "# Each job does what cron did with the line. These keys make it so; docs/from-cron.md says which to take "
            "out later:\n"
            "#   concurrency = \"allow\"            starts although its last run has not ended\n"
            "#   misfire = \"skip\"                 makes up for nothing\n"
            "#   on_leadership_lost = \"finish\"    ends no run that has begun\n"
            "#   background = \"leave\"             ends nothing that the command has left behind\n"
            "\n"
            "# line 4\n"
            "[job.echo-x]\n"
            "schedule           = \"30 4 * * *\"\n"
            "timezone           = \"Europe/Paris\"\n"
            "shell              = \"echo 'x' \\\\ y\"\n"
            "user               = \"root\"\n"
            "concurrency        = \"allow\"\n"
            "misfire            = \"skip\"\n"
            "on_leadership_lost = \"finish\"\n"
            "background         = \"leave\"\n"
            "env.MAILTO         = \"\"\n"
            "env.PATH           = \"/usr/bin:/bin\"\n");
}

TEST(CrontabImport, HandsTheSettingsToTheCommand) {
  const Job job = job_of("SHELL=/bin/bash\nHOME=/tmp\nMAILTO=a@x.org,b\nUSER=u\nLOGNAME=l\nX='\"y'\n@daily true\n");
  EXPECT_EQ(job.command, (std::vector<std::string>{"/bin/bash", "-c", "true"}));
  EXPECT_EQ(job.details->working_dir, "/tmp");
  EXPECT_EQ(job.details->mail_to, "a@x.org,b");
  EXPECT_EQ(job.details->env, (Variables{{"SHELL", "/bin/bash"},
                                         {"HOME", "/tmp"},
                                         {"MAILTO", "a@x.org,b"},
                                         {"USER", "u"},
                                         {"X", "\"y"},
                                         {"PATH", "/usr/bin:/bin"}}));
}

TEST(CrontabImport, MailsNobodyWhereCronDoesNot) {
  EXPECT_EQ(job_of("MAILTO=\"\"\n@daily true\n").details->mail_to, "");
  EXPECT_EQ(job_of("MAILTO=\"a b\"\n@daily true\n").details->mail_to, "");
  EXPECT_EQ(job_of("MAILTO=-a\n@daily true\n").details->mail_to, "");
}

TEST(CrontabImport, MailsAUserWhateverItsName) {
  CrontabEntry entry;
  entry.command = "true";
  EXPECT_NE(crontab_job(entry, {"x", "_apt", "UTC", ""})->find("mail_to            = \"_apt\"\n"), std::string::npos);
}

TEST(CrontabImport, KeepsTheZoneOfTheTimesAndThatOfTheCommandApart) {
  const Job tz = job_of("TZ=Asia/Tokyo\n@daily true\n");
  EXPECT_EQ(tz.timezone, "Europe/Paris");
  EXPECT_EQ(tz.details->env.at("TZ"), "Asia/Tokyo");
  const Job cron_tz = job_of("CRON_TZ=Asia/Tokyo\n@daily true\n");
  EXPECT_EQ(cron_tz.timezone, "Asia/Tokyo");
  EXPECT_EQ(cron_tz.details->env.at("TZ"), "Europe/Paris");
}

TEST(CrontabImport, RunsAsTheUserOfTheColumn) {
  const Jobs jobs = jobs_of("@daily nobody true\n@daily no-such-user true\n", CrontabForm::system);
  ASSERT_EQ(jobs.by_name.size(), 1u);
  const Job& job = jobs.by_name.at("true");
  EXPECT_EQ(job.identity->user, "nobody");
  EXPECT_EQ(job.details->mail_to, "nobody");
  EXPECT_EQ(job.details->working_dir, "/");
  EXPECT_EQ(text_of(jobs.imported.diagnostics),
            "/etc/crontab:1:8: warning: the home '/nonexistent' is not there: the job runs in /, as cron runs it in a "
            "folder of its own\n"
            "/etc/crontab:2:8: error: there is no user 'no-such-user' on this node; import on a machine that has the "
            "user, or mend the line\n");
}

TEST(CrontabImport, WritesTheLinesThatAreRight) {
  const Jobs jobs =
      jobs_of("60 * * * * one\n0 0 31 2 * two\n@daily three\nSHELL=bash\n@daily four\nHOME=x\n@daily five\n");
  EXPECT_EQ(jobs.by_name.size(), 1u);
  EXPECT_TRUE(jobs.by_name.contains("root-three"));
  EXPECT_EQ(
      text_of(jobs.imported.diagnostics),
      "tab:1:1: error: '60' is no value of cron's; minute is 0 to 59, or *, in lists (a,b), ranges (a-b) and steps "
      "(*/n, a-b/n)\n"
      "tab:2:1: error: schedule: this never fires: no date has day-of-month '31', month '2' and day-of-week '*'\n"
      "tab:5:1: error: SHELL is 'bash', which cron cannot execute; write the path of the shell\n"
      "tab:7:1: error: SHELL is 'bash', which cron cannot execute; write the path of the shell\n");
}

TEST(CrontabImport, GivesNoTextWithoutJobs) {
  EXPECT_TRUE(jobs_of("# nothing\n").imported.files.empty());
  EXPECT_TRUE(jobs_of("A=b\n60 * * * * x\n").imported.files.empty());
}

TEST(CrontabImport, GivesNoNameTwiceOverItsFiles) {
  CrontabImport import("UTC", {}, WallTime{});
  const std::string a = import.add(user_crontab("a", "root"), "@daily x\n").files.at(0).text,
                    b = import.add(user_crontab("b", "root"), "@daily x\n").files.at(0).text;
  EXPECT_NE(a.find("[job.root-x]\n"), std::string::npos);
  EXPECT_EQ(b.find("[job.root-x]\n"), std::string::npos) << b;
}

TEST(CrontabImport, TakesAnyBytesThatAJobFileCanHold) {
  std::string command = "x ";
  for (int c = 1; c < 128; ++c)
    if (c != '\n' && c != '%' && c != '\\') command += static_cast<char>(c);
  command += "\"\"\"'''\xc3\xa9\xe2\x82\xac.";
  EXPECT_EQ(job_of("@daily " + command + "\n").command->back(), command);
  EXPECT_EQ(job_of("V='" + std::string("\t\x01\"") + "'x\"\n@daily y\n").details->env.size(), 1u);
}

TEST(CrontabImport, MakesSeveralFilesOfWhatOneCannotHold) {
  std::string text;
  for (int i = 0; i < 3'000; ++i) text += "@daily /bin/x" + std::to_string(i) + " # " + std::string(100, 'y') + "\n";
  const Jobs jobs = jobs_of(text);
  EXPECT_EQ(text_of(jobs.imported.diagnostics), "");
  EXPECT_EQ(jobs.imported.files.size(), 2u);
  EXPECT_EQ(jobs.by_name.size(), 3'000u);
  for (const ImportedFile& file : jobs.imported.files) EXPECT_TRUE(file.text.starts_with("# From tab, by "));
}

TEST(CrontabImport, RefusesAJobThatNoFileCanHold) {
  std::string text = "@daily first\n";
  for (int i = 0; i < 1'200; ++i) text += "V" + std::to_string(i) + "=" + std::string(900, 'y') + "\n";
  const Jobs jobs = jobs_of(text + "@daily second\n");
  EXPECT_EQ(jobs.by_name.size(), 1u);
  EXPECT_EQ(text_of(jobs.imported.diagnostics),
            "tab:1202:1: error: its job, with the settings above the line, is larger than a job file may be, 1 MiB\n");
}

TEST(CrontabImport, HasAPathInACommentWhateverItsBytes) {
  CrontabImport import("UTC", {}, WallTime{});
  const std::string text =
      import.add(user_crontab("a\n[job.evil]\nshell = \"x\"\n\xff", "root"), "@daily x\n").files.at(0).text;
  EXPECT_TRUE(text.starts_with("# From a?[job.evil]?shell = \"x\"?\xEF\xBF\xBD, by `ballot import crontab`.\n"))
      << text;
}

TEST(CrontabPlaces, SayWhatACrontabIs) {
  const auto source = [](const char* path) {
    const auto found = crontab_at(path, "alice");
    if (!found) return std::string("not read");
    return (found->form == CrontabForm::system ? "system " : "of " + found->user + " ") + found->prefix;
  };
  EXPECT_EQ(source("/etc/crontab"), "system ");
  EXPECT_EQ(source("/etc/cron.d/sysstat"), "system sysstat");
  EXPECT_EQ(source("/etc//cron.d/../cron.d/sysstat"), "system sysstat");
  EXPECT_EQ(source("/etc/cron.d/sysstat.dpkg-old"), "not read");
  EXPECT_EQ(source("/etc/cron.d/.placeholder"), "not read");
  EXPECT_EQ(source("/var/spool/cron/crontabs/bob"), "of bob bob");
  EXPECT_EQ(source("/var/spool/cron/bob"), "of bob bob");
  EXPECT_EQ(source("crontab"), "of alice alice");
  EXPECT_EQ(source("backup/etc/crontab"), "of alice alice");
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path("/etc");
  EXPECT_EQ(source("crontab"), "system ") << "whatever way leads to it";
  std::filesystem::current_path(here);
  EXPECT_EQ(crontab_at("/var/spool/cron/crontabs/bob", "alice")->spool, CrontabSpool::debian);
  EXPECT_EQ(crontab_at("/var/spool/cron/bob", "alice")->spool, CrontabSpool::cronie);
  EXPECT_EQ(user_crontab("/var/spool/cron/crontabs/bob", "carol").spool, CrontabSpool::debian);
  EXPECT_EQ(crontab_at("/home/bob/tab", "alice")->spool, CrontabSpool::none);
}

}  // namespace
}  // namespace ballot::config

// Lines that cron did not run, or ran otherwise than they are written: its limits, its shells, its blanks.
#include <gtest/gtest.h>

#include "config/crontab/crontab_import.hpp"
#include "diagnostics_text.hpp"

namespace ballot::config {
namespace {

struct ImportedLines {
  std::string findings;
  std::size_t jobs = 0;
};

ImportedLines converted(const std::string& text, CrontabForm form = CrontabForm::user) {
  CrontabImport import("UTC", {}, WallTime{});
  const ImportedCrontab crontab =
      import.add(form == CrontabForm::user ? user_crontab("tab", "root") : system_crontab("tab"), text);
  ImportedLines result{text_of(crontab.diagnostics)};
  for (const ImportedFile& file : crontab.files) result.jobs += file.jobs;
  return result;
}

std::string setting_by_cron(const std::string& text, const std::string& name) {
  const Crontab crontab = read_crontab(text + "@daily x\n", "tab", CrontabForm::user);
  EXPECT_EQ(crontab.entries.size(), 1u);
  const auto found = crontab.entries.at(0).settings.find(name);
  return found == crontab.entries.at(0).settings.end() ? "not set" : found->second;
}

TEST(CrontabLimits, OfACommandAre998Bytes) {
  EXPECT_EQ(converted("* * * * * " + std::string(998, 'x') + "\n").findings, "");
  const ImportedLines longer =
      converted("* * * * *   " + std::string(900, 'x') + "%" + std::string(98, 'y') + "\n@daily z\n");
  EXPECT_EQ(
      longer.findings,
      "tab:1:13: error: the command has 999 bytes: Debian's cron ignores the whole crontab for one of 999 or more, "
      "so that none of its lines has run there; put the command into a script\n");
  EXPECT_EQ(longer.jobs, 1u);
}

TEST(CrontabLimits, OfACommandBehindAUserCountTheBlanksButOne) {
  EXPECT_EQ(converted("@daily root " + std::string(998, 'x') + "\n", CrontabForm::system).findings, "");
  EXPECT_NE(converted("@daily root  " + std::string(998, 'x') + "\n", CrontabForm::system).findings, "");
  EXPECT_EQ(converted("@daily root  " + std::string(997, 'x') + "\n", CrontabForm::system).findings, "");
}

TEST(CrontabLimits, OfASettingAre998BytesOfItsLine) {
  EXPECT_EQ(converted("A=" + std::string(996, 'x') + "\n").findings, "");
  EXPECT_EQ(converted("A=" + std::string(997, 'x') + "\n").findings,
            "tab:1:1: warning: cron reads the first 998 bytes of a line with a setting, and so does the job: the value "
            "ends there; shorten it, or set it in the job file\n");
  EXPECT_EQ(setting_by_cron("  A=" + std::string(1'000, 'x') + "\n", "A"), std::string(996, 'x'));
}

TEST(CrontabLimits, CutAQuoteOpen) {
  const std::string text = "A=\"" + std::string(1'000, 'x') + "\"\n";
  EXPECT_EQ(
      converted(text).findings,
      "tab:1:1: error: cron reads the first 998 bytes of a line with a setting, and refuses the crontab for what is "
      "left of this one; shorten it. The lines below are imported without it\n");
  EXPECT_EQ(setting_by_cron(text, "A"), "not set");
}

TEST(CrontabLimits, OfLinesCountWhatIsNoComment) {
  std::string text;
  for (int i = 0; i < 10'002; ++i) text += "#\n";
  EXPECT_EQ(converted(text + "@daily a\n# c\n\n# c\n").findings, "");
  const ImportedLines beyond = converted("@daily first\n" + text + "@daily a\n@daily b\nA=b\n");
  EXPECT_EQ(beyond.findings,
            "tab:10004:1: error: cron ignores a crontab with a line below line 10003 that is no comment: none of its "
            "lines has run there. This line and those below it are left out; cut the crontab into several\n");
  EXPECT_EQ(beyond.jobs, 1u);
}

TEST(CrontabShell, IsOnePathOfAProgramThatIsThere) {
  EXPECT_EQ(
      converted("SHELL=\"/bin/bash -l\"\n@daily a\n").findings,
      "tab:2:1: error: SHELL: '/bin/bash -l' is not there, so cron has run no line with it; write SHELL=/bin/bash: "
      "cron takes the blank and what is behind it for a part of the path\n");
  EXPECT_EQ(converted("SHELL=/bin/no-such-shell\n@daily a\n@daily b\n").findings,
            "tab:2:1: error: SHELL: '/bin/no-such-shell' is not there, so cron has run no line with it; write the path "
            "of a shell that this machine has\n"
            "tab:3:1: error: SHELL: '/bin/no-such-shell' is not there, so cron has run no line with it; write the path "
            "of a shell that this machine has\n");
  EXPECT_EQ(converted("SHELL=/etc/passwd\n@daily a\n").findings,
            "tab:2:1: error: SHELL: '/etc/passwd' is no program: it may not be executed, so cron has run no line with "
            "it; write the path of a shell that this machine has\n");
  EXPECT_EQ(converted("SHELL=/bin/sh\n@daily a\n").findings, "");
}

TEST(CrontabBlanks, OfOtherKindsAreNamed) {
  EXPECT_EQ(converted("*\u00a0* * * * x\n").findings,
            "tab:1:2: error: U+00A0 is no blank for cron, which refuses the crontab for it; write a space\n");
  EXPECT_EQ(converted("\u00a0@daily x\n").findings,
            "tab:1:1: error: U+00A0 is no blank for cron, which refuses the crontab for it; write a space\n");
  EXPECT_EQ(converted("@daily root\u3000x y\n", CrontabForm::system).findings,
            "tab:1:12: error: U+3000 is no blank for cron, which refuses the crontab for it; write a space\n");
  const ImportedLines command = converted("@daily echo\u00a0x\n");
  EXPECT_EQ(
      command.findings,
      "tab:1:12: warning: U+00A0 cannot be seen, or looks like a space, and is a part of the word for cron and the "
      "shell; write a space if one is meant\n");
  EXPECT_EQ(command.jobs, 1u);
  EXPECT_NE(converted("A=b\u200bc\n").findings.find("warning: U+200B"), std::string::npos);
  EXPECT_NE(converted("@daily echo \u202ex\n").findings.find("warning: U+202E"), std::string::npos);
  EXPECT_EQ(converted("@daily echo \u00e9\u20ac\n# \u00a0\n").findings, "");
}

}  // namespace
}  // namespace ballot::config

// What a crontab says, and what is wrong with it. What cron makes of quotes and percent signs was seen by running it.
#include "config/crontab/crontab.hpp"

#include <gtest/gtest.h>

#include "diagnostics_text.hpp"

namespace ballot::config {
namespace {

Crontab user_lines(std::string_view text) { return read_crontab(text, "tab", CrontabForm::user); }
Crontab system_lines(std::string_view text) { return read_crontab(text, "tab", CrontabForm::system); }

std::string findings_of(std::string_view text, CrontabForm form = CrontabForm::user) {
  return text_of(read_crontab(text, "tab", form).diagnostics);
}

/// The only entry of a text without findings.
CrontabEntry entry_of(std::string_view text) {
  Crontab crontab = user_lines(text);
  EXPECT_EQ(text_of(crontab.diagnostics), "");
  EXPECT_EQ(crontab.entries.size(), 1u);
  return crontab.entries.empty() ? CrontabEntry{} : crontab.entries.front();
}

std::string setting_of(const std::string& line, const std::string& name) {
  const CrontabEntry entry = entry_of(line + "\n* * * * * true\n");
  const auto found = entry.settings.find(name);
  return found == entry.settings.end() ? "(not set)" : "<" + found->second + ">";
}

TEST(Crontab, SplitsALineIntoTimesAndCommand) {
  const CrontabEntry entry = entry_of("  # mine\n\n \t5\t0 * *  *   $HOME/bin/daily.job >> $HOME/tmp/out 2>&1 # \n");
  EXPECT_EQ(entry.schedule, "5 0 * * *");
  EXPECT_EQ(entry.command, "$HOME/bin/daily.job >> $HOME/tmp/out 2>&1 # ");
  EXPECT_EQ(entry.at, (Position{3, 3}));
  EXPECT_EQ(entry.input, "");
}

TEST(Crontab, HasAColumnForTheUserInTheSystemsForm) {
  const Crontab crontab = system_lines("17 *\t* * *\troot\tcd / && run-parts --report /etc/cron.hourly\n");
  ASSERT_EQ(crontab.entries.size(), 1u) << text_of(crontab.diagnostics);
  EXPECT_EQ(crontab.entries[0].user, "root");
  EXPECT_EQ(crontab.entries[0].command, "cd / && run-parts --report /etc/cron.hourly");
}

TEST(Crontab, TakesMacrosInSmallLetters) {
  for (const char* macro : {"@reboot", "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"})
    EXPECT_EQ(entry_of(std::string(macro) + " true\n").schedule, macro);
  EXPECT_EQ(
      findings_of("@Daily true\n"),
      "tab:1:1: error: cron has no '@Daily'; did you mean '@daily'? Known are @annually, @daily, @hourly, @midnight, "
      "@monthly, @reboot, @weekly, @yearly\n");
}

TEST(Crontab, TakesALineWithAnEqualSignForWhatCronDoes) {
  EXPECT_EQ(entry_of("@daily = \"x\n").command, "= \"x");
  EXPECT_EQ(entry_of("@daily =\n").command, "=");
  EXPECT_EQ(entry_of("0 5 * * * A=b c\n").command, "A=b c");
  EXPECT_EQ(findings_of("@daily = x\n").substr(0, 30), "tab:1:1: error: '@daily' is no");
}

TEST(Crontab, CutsStepsToWhatAJobFileTakes) {
  EXPECT_EQ(entry_of("*/90 */30 */40 */13 */8 true\n").schedule, "*/60 */24 */31 */12 */7");
  EXPECT_EQ(entry_of("1-9/90,3 0 1 jan-mar/50 * true\n").schedule, "1-9/60,3 0 1 jan-mar/12 *");
}

TEST(Crontab, ReadsSettingsAsCronDoes) {
  EXPECT_EQ(setting_of("A=b", "A"), "<b>");
  EXPECT_EQ(setting_of("  A \t=  b c \t", "A"), "<b c>");
  EXPECT_EQ(setting_of("A=plain # no comment", "A"), "<plain # no comment>");
  EXPECT_EQ(setting_of("A = '  x y  '", "A"), "<  x y>");  // cron takes blanks off the end all the same
  EXPECT_EQ(setting_of("A=\"it's\"  ", "A"), "<it's>");
  EXPECT_EQ(setting_of("A=\"'q'\"", "A"), "<q>");  // and one more pair of quotes
  EXPECT_EQ(setting_of("'A' = b", "A"), "<b>");
  EXPECT_EQ(setting_of("A=b\"c", "A"), "<b\"c>");
  EXPECT_EQ(setting_of("A=\"\"", "A"), "<>");
  EXPECT_EQ(setting_of("A=$PATH:%x\\%", "A"), "<$PATH:%x\\%>");
  EXPECT_EQ(setting_of("A=b\r", "A"), "<b>");
  EXPECT_EQ(setting_of("A=1\nA=2", "A"), "<2>");
}

TEST(Crontab, HasSettingsCountForTheLinesBelow) {
  const Crontab crontab = user_lines("* * * * * one\nA=1\n* * * * * two\nA=2\nB=3\n* * * * * three\n");
  ASSERT_EQ(crontab.entries.size(), 3u);
  EXPECT_TRUE(crontab.entries[0].settings.empty());
  EXPECT_EQ(crontab.entries[1].settings.at("A"), "1");
  EXPECT_EQ(crontab.entries[2].settings.at("A"), "2");
  EXPECT_EQ(crontab.entries[2].settings.at("B"), "3");
}

TEST(Crontab, EndsTheCommandAtAPercentSign) {
  const std::pair<const char*, std::pair<const char*, const char*>> lines[] = {
      {"mail -s hi joe%Joe,%%Where are your kids?%", {"mail -s hi joe", "Joe,\n\nWhere are your kids?\n"}},
      {"date +\\%F", {"date +%F", ""}},
      {"a%", {"a", ""}},
      {"a%%", {"a", "\n"}},
      {"a%b", {"a", "b\n"}},
      {"one \\% two \\\\% three %in1%in2 \\% x \\\\ y\\", {"one % two \\", " three \nin1\nin2 % x \\\\ y\\\n"}},
      {"two \\x \\\\x a\\\\\\\\b \\\\\\% end", {"two \\x \\x a\\\\b \\% end", ""}},
      {"five %a\\\\%b%%c", {"five ", "a\\%b\n\nc\n"}},
      {"six % \\\\", {"six ", " \\\\\n"}},
      {"seven %\\", {"seven ", "\\"}},
      {"eight\\", {"eight\\", ""}},
  };
  for (const auto& [line, wanted] : lines) {
    const CrontabEntry entry = entry_of("@reboot " + std::string(line) + "\n");
    EXPECT_EQ(entry.command, wanted.first) << line;
    EXPECT_EQ(entry.input, wanted.second) << line;
  }
}

TEST(Crontab, RefusesTimesThatCronDoesNotTake) {
  const std::pair<const char*, const char*> lines[] = {
      {"60 * * * * x",
       "1:1: error: '60' is no value of cron's; minute is 0 to 59, or *, in lists (a,b), ranges (a-b) "
       "and steps (*/n, a-b/n)"},
      {"0 24 * * * x",
       "1:3: error: '24' is no value of cron's; hour is 0 to 23, or *, in lists (a,b), ranges (a-b) and "
       "steps (*/n, a-b/n)"},
      {"* * 0 * * x",
       "1:5: error: '0' is no value of cron's; day-of-month is 1 to 31, or *, in lists (a,b), ranges "
       "(a-b) and steps (*/n, a-b/n)"},
      {"* * * mars * x",
       "1:7: error: 'mars' is no value of cron's; month is 1 to 12 or a name of three letters, or *, in "
       "lists (a,b), ranges (a-b) and steps (*/n, a-b/n)"},
      {"* * L * * x",
       "1:5: error: 'L' is no value of cron's; day-of-month is 1 to 31, or *, in lists (a,b), ranges "
       "(a-b) and steps (*/n, a-b/n)"},
      {"0, * * * * x",
       "1:3: error: a value is missing; minute is 0 to 59, or *, in lists (a,b), ranges (a-b) and steps "
       "(*/n, a-b/n)"},
      {"? * * * * x",
       "1:1: error: '?' is no value of cron's; minute is 0 to 59, or *, in lists (a,b), ranges (a-b) and "
       "steps (*/n, a-b/n)"},
      {"*/0 * * * * x",
       "1:3: error: '0' is no value of cron's; minute is 0 to 59, or *, in lists (a,b), ranges (a-b) "
       "and steps (*/n, a-b/n)"},
      {"5/20 * * * * x", "1:1: error: cron wants a range before a step; write 5-59/20"},
      {"* 22-2 * * * x",
       "1:3: error: '22-2' runs backwards, and cron is never due by it; write two ranges, where that is meant"},
      {"* * * * fri-sun x",
       "1:9: error: 'fri-sun' runs backwards, and cron is never due by it; write two ranges, where that is meant"},
      {"0~59 * * * * x",
       "1:2: error: cron reads '0' and overlooks '~59'; write the time that is meant, or in the job file H(a-b)"},
      {"* * * * 5#2 x", "1:10: error: cron reads '5' and overlooks '#2'; write what is meant"},
      {"*5 * * * * x", "1:2: error: cron reads '*' and overlooks '5'; write what is meant"},
      {"1-5-7 * * * * x", "1:4: error: cron reads '1-5' and overlooks '-7'; write what is meant"},
  };
  for (const auto& [line, wanted] : lines) {
    EXPECT_EQ(findings_of(line + std::string("\n")), "tab:" + std::string(wanted) + "\n");
    EXPECT_TRUE(user_lines(line + std::string("\n")).entries.empty()) << line;
  }
}

TEST(Crontab, FindsAFaultInEachField) { EXPECT_EQ(user_lines("60 24 32 13 8 x\n").diagnostics.size(), 5u); }

TEST(Crontab, RefusesLinesThatAreNoLines) {
  const std::pair<std::string, const char*> lines[] = {
      {"* * * *\n", "1:1: error: cron wants NAME = VALUE, or five times and a command; this is neither"},
      {"hello\n", "1:1: error: cron wants NAME = VALUE, or five times and a command; this is neither"},
      {"* * * * *\n", "1:10: error: a command is missing"},
      {"@daily  \n", "1:9: error: a command is missing"},
      {"* * * * * %in\n", "1:11: error: a command is missing"},
      {"* * * * * * x\n", "1:11: error: a sixth field: cron has no seconds; write five times"},
      {"* * * * * x\r\n",
       "1:12: error: the line ends with a carriage return, which cron hands to the command; remove it: sed -i "
       "'s/\\r$//'"},
      {"* * * * * x", "1:12: error: no newline ends the last line: cron refuses the crontab; add one"},
      {std::string("* * * * * x\0y\n", 14), "1:12: error: a NUL byte: this is no text file"},
      {"* * * * * \xe9t\xe9\n", "1:11: error: this is not UTF-8, and a job file is; convert the line, with iconv"},
      {"* * * * * " + std::string(1'000'000, 'x') + "\n",
       "1:1: error: the line is longer than 32 KiB; put its command into a script"},
      {"\xef\xbb\xbf* * * * * x\n",
       "1:1: error: a byte order mark, which cron does not take; save the file without it"},
      {"A=\"x\n", "1:3: error: the quote is not closed; write \" at the end too"},
      {"A=\"x\" # y\n", "1:7: error: nothing may follow the closing quote, no comment either: cron refuses the line"},
      {"a-b=c\n",
       "1:1: error: 'a-b' is no name of a variable that a job file may set: letters, digits and '_', no digit "
       "first, and not BALLOT_; the lines below are imported without it"},
      {"BALLOT_JOB=c\n",
       "1:1: error: 'BALLOT_JOB' is no name of a variable that a job file may set: letters, digits and "
       "'_', no digit first, and not BALLOT_; the lines below are imported without it"},
  };
  for (const auto& [line, wanted] : lines) {
    EXPECT_EQ(findings_of(line), "tab:" + std::string(wanted) + "\n");
    EXPECT_TRUE(user_lines(line).entries.empty()) << line.substr(0, 80);
  }
}

TEST(Crontab, ColumnsCountCharacters) {
  EXPECT_EQ(findings_of("A='é'x\n"),
            "tab:1:6: error: nothing may follow the closing quote, no comment either: cron refuses the line\n");
}

TEST(Crontab, MissesTheCommandBehindAUser) {
  EXPECT_EQ(findings_of("* * * * * uptime\n", CrontabForm::system),
            "tab:1:11: error: a command is missing behind the user 'uptime'; of a user's crontab say --user NAME\n");
  EXPECT_EQ(findings_of("* * * * *\n", CrontabForm::system), "tab:1:10: error: a command is missing\n");
}

TEST(Crontab, WarnsOfAUsersColumnInAUsersCrontab) {
  EXPECT_EQ(findings_of("* * * * * root uptime\n"),
            "tab:1:11: warning: the command is 'root'; if this is a system crontab, add --system\n");
}

TEST(Crontab, WarnsOfSettingsThatMeanAnotherThing) {
  EXPECT_EQ(findings_of("MAILTO=\n"),
            "tab:1:1: warning: Debian's cron refuses the crontab for this line; taken as MAILTO=\"\"\n");
  EXPECT_EQ(findings_of("MAILTO=\"a@x.org, b@x.org\"\n"),
            "tab:1:1: warning: cron refuses to mail 'a@x.org, b@x.org', and the jobs below mail nobody; mail_to takes "
            "addresses with commas between them\n");
  EXPECT_EQ(findings_of("CRON_TZ=Asia/Tokyo\n"),
            "tab:1:1: warning: the jobs below go by this zone. Debian's cron knows no CRON_TZ and ran them by the "
            "machine's: remove the line to keep that\n");
  EXPECT_EQ(findings_of("LOGNAME=x\n"), "tab:1:1: warning: cron overwrites LOGNAME, and so does the job\n");
  EXPECT_EQ(findings_of("MAILFROM=x\n"),
            "tab:1:1: warning: MAILFROM means nothing for the mails of a job, which say what they are\n");
}

TEST(Crontab, OfWindowsHasItsSettingsAndEmptyLines) {
  const Crontab crontab = user_lines("A=b\r\n\r\n# c\r\n* * * * * x\n");
  ASSERT_EQ(crontab.entries.size(), 1u) << text_of(crontab.diagnostics);
  EXPECT_EQ(crontab.entries[0].settings.at("A"), "b");
}

TEST(Crontab, WithoutLinesIsNone) {
  for (const char* text : {"", "\n", "# only\n", "# no newline", "   "}) {
    EXPECT_EQ(findings_of(text), "") << text;
    EXPECT_TRUE(user_lines(text).entries.empty());
  }
}

}  // namespace
}  // namespace ballot::config

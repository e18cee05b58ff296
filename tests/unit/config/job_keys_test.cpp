// Every key of [job.NAME] with a good value, a wrong type, values out of range and a slip of spelling.
#include "config/job_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "config/job_file.hpp"
#include "config/names.hpp"
#include "diagnostics_text.hpp"

namespace ballot::config {
namespace {

struct Row {
  std::string key;
  std::string good;      // not the default
  std::string standard;  // the default as one would write it; "" where it cannot be written
  std::string wrong_type;
  std::vector<std::string> wrong;  // of the right type
};

const std::vector<Row>& job_rows() {
  static const std::vector<Row> all = {
      {"after", "[\"other\"]", "", "\"other\"", {"[]", "[\"a b\"]", "[\"x\", \"x\"]", "[1]"}},
      {"after_status", "\"ended\"", "\"succeeded\"", "1", {"\"success\"", "\"\""}},
      {"background", "\"leave\"", "\"kill\"", "true", {"\"keep\""}},
      {"command", "[\"/bin/echo\", \"x\"]", "", "7", {"[]", "[\"\"]", "\"/bin/true\"", "[1]", "[\"a\\u0000\"]"}},
      {"concurrency", "\"queue\"", "\"skip\"", "1", {"\"skp\""}},
      {"deadline", "\"1h\"", "", "60", {"\"0s\"", "\"1\"", "\"5300w\"", "\"1s1m\""}},
      {"description", "\"text\"", "\"\"", "1", {"\"a\\u0000b\""}},
      {"enabled", "false", "true", "\"yes\"", {}},
      {"env", "{A = \"1\"}", "{}", "\"A=1\"", {"{A = 1}", "{\"A-B\" = \"1\"}", "{BALLOT_X = \"1\"}", "{\"\" = \"1\"}"}},
      {"env_file", "\"/etc/default/x\"", "", "1", {"\"relative\"", "\"\""}},
      {"except", "[\"free\"]", "[]", "\"free\"", {"[1]", "[\"other\"]", "[\"all\"]"}},
      {"expect_success", "\"26h\"", "", "26", {"\"0s\"", "\"500ms\""}},
      {"expect_within", "\"30m\"", "", "30", {"\"0s\""}},
      {"function", "\"report\"", "", "1", {"\"\"", "\"a/b\"", "\"other\""}},
      {"group", "\"nightly\"", "\"default\"", "1", {"\"\"", "\"a/b\"", "\"a.b\"", "\"-a\""}},
      {"groups", "[]", "", "\"adm\"", {"[1]", "[\"no-such-group-at-all\"]"}},
      {"guarantee", "\"at-least-once\"", "\"at-most-once\"", "1", {"\"once\""}},
      {"hook_timeout", "\"1m\"", "\"30s\"", "30", {"\"0s\""}},
      {"jitter", "\"1s\"", "\"0s\"", "1", {"\"-1s\""}},
      {"kill_grace", "\"5s\"", "\"10s\"", "5", {"\"5\""}},
      {"kill_signal", "\"SIGINT\"", "\"TERM\"", "15", {"\"\"", "\"NONE\"", "\"SIG\"", "\"term\""}},
      {"late_after", "\"1m\"", "", "60", {"\"0s\""}},
      {"limits", "{open_files = 10}", "{}", "1", {"{open_files = 0}", "{cpu_time = \"1ms\"}", "{files = 1}"}},
      {"log_output", "true", "false", "1", {}},
      {"lost_after", "\"2h\"", "\"1h\"", "1", {"\"0s\""}},
      {"lost_limit", "3", "2", "\"2\"", {"0"}},
      {"mail_on", "\"always\"", "\"failure\"", "1", {"\"never\""}},
      {"mail_to", "\"root, a@b\"", "\"\"", "[\"root\"]", {"\"a\\nBcc: b\"", "\"a\\tb\"", "\"  \""}},
      {"max_running", "2", "16", "\"2\"", {"0", "17"}},
      {"misfire", "\"all\"", "\"latest\"", "1", {"\"last\""}},
      {"misfire_limit", "5", "100", "1.5", {"0", "1000001"}},
      {"nice", "5", "0", "\"5\"", {"20", "-21"}},
      {"no_new_privs", "true", "false", "1", {"\"yes\""}},
      {"not_after", "2030-01-01T00:00:00Z", "", "\"2030-01-01T00:00:00Z\"", {"2030-01-01T00:00:00", "2030-01-01"}},
      {"not_before", "2020-01-01T00:00:00+01:00", "", "1", {"2020-01-01T00:00:00", "00:00:00"}},
      {"on_error", "\"rerun\"", "\"ignore\"", "1", {"\"retry\""}},
      {"on_failure", "[\"/bin/notify\"]", "[]", "1", {"\"/bin/notify\"", "[\"\"]"}},
      {"on_late", "[\"/bin/notify\"]", "[]", "true", {"[\"\"]", "\"/bin/notify\""}},
      {"on_leadership_lost", "\"finish\"", "\"terminate\"", "1", {"\"stop\""}},
      {"on_missed", "[\"/bin/notify\"]", "[]", "true", {"[\"\"]"}},
      {"on_overdue", "[\"/bin/notify\"]", "[]", "true", {"[\"\"]", "\"/bin/notify\""}},
      {"on_recovery", "[\"/bin/notify\"]", "[]", "true", {"[\"\"]"}},
      {"on_slow", "[\"/bin/notify\"]", "[]", "true", {"[\"\"]", "\"/bin/notify\""}},
      {"on_success", "\"reelect\"", "\"ignore\"", "1", {"\"\""}},
      {"only", "[\"free\"]", "[]", "true", {"[\"\"]", "[\"free\", \"fre\"]"}},
      {"output", "\"discard\"", "\"history\"", "false", {"\"none\""}},
      {"output_limit", "\"1MiB\"", "\"64KiB\"", "1.5", {"\"1MB\"", "-1", "\"1GiB\""}},
      {"ping_url",
       "\"https://hc/x\"",
       "",
       "1",
       {"\"ftp://x\"", "\"https://\"", "\"https://a b\"", "\"https://a/#x\"", "\"https://a/\\u0007\"", "\"\""}},
      {"priority", "-3", "0", "\"1\"", {"1000001"}},
      {"queue_limit", "2", "1", "\"1\"", {"0"}},
      {"queue_overflow", "\"drop-old\"", "\"drop-new\"", "1", {"\"drop\""}},
      {"retries", "1", "0", "true", {"-1"}},
      {"retry_backoff", "1.5", "2.0", "\"2\"", {"0.5", "1001", "nan", "inf"}},
      {"retry_delay", "\"1s\"", "\"10s\"", "10", {"\"ten\""}},
      {"retry_max_delay", "\"1h\"", "\"10m\"", "10", {"\"\""}},
      {"run_on", "\"each\"", "\"leader\"", "true", {"\"all\"", "\"\""}},
      {"schedule", "\"@hourly\"", "[]", "5", {"[5]", "\"61 * * * *\"", "[\"* * * * *\", \"0 0 30 2 *\"]", "\"\""}},
      {"secrets", "{A = \"a\"}", "{}", "[\"a\"]", {"{A = \"\"}", "{\"1\" = \"a\"}"}},
      {"shell", "\"true\"", "", "[\"true\"]", {"\"\""}},
      {"shift", "\"next\"", "\"none\"", "1", {"\"later\""}},
      {"start_deadline", "\"12h\"", "\"5m\"", "300", {"\"0s\""}},
      {"stdin", "\"text\"", "\"\"", "1", {"\"\\u0000\""}},
      {"success_codes", "[0, 3]", "[0]", "0", {"[]", "[256]", "[-1]", "[\"0\"]"}},
      {"timezone", "\"Europe/Paris\"", "\"UTC\"", "1", {"\"\"", "\"No/Where\""}},
      {"trigger_env",
       "[\"DAY\", \"_x1\"]",
       "[]",
       "\"DAY\"",
       {"[1]", "[\"1A\"]", "[\"A-B\"]", "[\"BALLOT_X\"]", "[\"LD_PRELOAD\"]", "[\"A\", \"A\"]"}},
      {"umask", "\"077\"", "\"022\"", "22", {"\"\"", "\"8\"", "\"1777\"", "\"00022\""}},
      {"user", "\"nobody\"", "", "1", {"\"\"", "\"no-such-user-at-all\""}},
      {"working_dir", "\"/srv\"", "", "1", {"\"srv\"", "\"\""}},
  };
  return all;
}

/// What a line that chooses days, or a hook of what is expected, needs beside it.
std::string needs_of(const std::string& line) {
  if (line.starts_with("late_after")) return "schedule = \"0 2 * * *\"\n";
  const bool has_none = line.find("\"none\"") != std::string::npos || line.find("[]") != std::string::npos;
  if (line.starts_with("on_late") && !has_none) return "late_after = \"1s\"\nschedule = \"0 2 * * *\"\n";
  if (line.starts_with("on_overdue") && !has_none) return "expect_success = \"1h\"\n";
  if (line.starts_with("on_slow") && !has_none) return "expect_within = \"1h\"\n";
  if (line.starts_with("shift") && !has_none) return "schedule = \"0 2 * * *\"\nexcept = [\"free\"]\n";
  const bool chooses = line.starts_with("except") || line.starts_with("only");
  return chooses && !has_none ? "schedule = \"0 2 * * *\"\n" : "";
}

/// A job with that one line, which is line 3, below a command unless the line is one.
JobFile read(const std::string& line) {
  const bool runs = line.starts_with("command =") || line.starts_with("shell =") || line.starts_with("function =");
  Identities identities;
  JobSettings settings;
  settings.daemon = 0;
  settings.has_function = [](std::string_view name) { return name == "report"; };
  return read_job_file("[job.x]\n" + std::string(runs ? "" : "command = [\"/bin/true\"]") + "\n" + line + "\n" +
                           needs_of(line) +
                           "[calendar]\nfree.dates = [\"12-25\"]\nall.dates = [\"1800-01-01..2399-12-31\"]\n",
                       {"x.toml", 0}, settings, identities);
}

std::string digest(const std::string& line) {
  const JobFile file = read(line);
  return file.definitions.empty() ? "" : file.definitions.front().definition->digest;
}

TEST(JobKeys, UnknownInGreatNumbersAreOneFileOfAFewFindings) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "k" + std::to_string(i) + " = 1\n";
  const Diagnostics found = read("command = [\"/bin/true\"]\n" + text).diagnostics;
  ASSERT_EQ(found.size(), 101u);
  EXPECT_EQ(found.back().severity, Severity::error);
}

TEST(JobKeys, AreAllInThisTest) {
  std::vector<std::string> tested;
  for (const Row& row : job_rows()) tested.push_back(row.key);
  const auto known = job_key_names();
  EXPECT_EQ(tested, std::vector<std::string>(known.begin(), known.end()));
  EXPECT_EQ(known.size(), 68u);
}

TEST(JobKeys, TakeAGoodValue) {
  for (const Row& row : job_rows()) {
    const JobFile file = read(row.key + " = " + row.good);
    EXPECT_FALSE(has_errors(file.diagnostics)) << text_of(file.diagnostics);
    EXPECT_EQ(file.definitions.size(), 1u) << row.key;
  }
}

TEST(JobKeys, AllHaveAnEffect) {
  const std::map<std::string, std::string> needs{{"after_status", "after = [\"a\"]\n"},
                                                 {"jitter", "schedule = \"* * * * *\"\n"}};
  for (const Row& row : job_rows()) {
    const auto other = needs.find(row.key);
    const std::string keys = (other == needs.end() ? "" : other->second) + row.key + " = " + row.good;
    EXPECT_EQ(text_of(read(keys).diagnostics), "") << row.key;
  }
}

TEST(JobKeys, AreSilentAtTheirDefaults) {
  for (const Row& row : job_rows()) {
    if (row.standard.empty()) continue;
    const JobFile file = read(row.key + " = " + row.standard);
    EXPECT_TRUE(file.diagnostics.empty()) << text_of(file.diagnostics);
  }
}

void expect_one_error(const Row& row, const std::string& value) {
  const JobFile file = read(row.key + " = " + value);
  ASSERT_EQ(file.diagnostics.size(), 1u) << row.key << " = " << value << '\n' << text_of(file.diagnostics);
  EXPECT_EQ(file.diagnostics[0].severity, Severity::error);
  EXPECT_EQ(file.diagnostics[0].line, 3) << row.key << " = " << value;
  EXPECT_GE(file.diagnostics[0].column, static_cast<int>(row.key.size()) + 4) << row.key << " = " << value;
  EXPECT_TRUE(file.definitions.empty());
}

TEST(JobKeys, RefuseAWrongTypeAtTheValue) {
  for (const Row& row : job_rows()) {
    expect_one_error(row, row.wrong_type);
    const JobFile file = read(row.key + " = " + row.wrong_type);
    EXPECT_EQ(file.diagnostics[0].column, static_cast<int>(row.key.size()) + 4);
    EXPECT_NE(file.diagnostics[0].message.find("'" + row.key + "' must be "), std::string::npos)
        << file.diagnostics[0].text();
  }
}

TEST(JobKeys, RefuseWrongValuesWithOneFindingEach) {
  for (const Row& row : job_rows())
    for (const std::string& value : row.wrong) expect_one_error(row, value);
}

TEST(JobKeys, AreSuggestedForASlipOfSpelling) {
  for (const Row& row : job_rows()) {
    const std::string slip = row.key + "x";
    const JobFile file = read(slip + " = " + row.good);
    ASSERT_EQ(file.diagnostics.size(), 1u) << slip << '\n' << text_of(file.diagnostics);
    const std::string text = file.diagnostics[0].text();
    EXPECT_TRUE(text.starts_with("x.toml:3:1: error: unknown key '" + slip + "'; did you mean '" + row.key + "'?"))
        << text;
    for (const Row& other : job_rows()) EXPECT_NE(text.find(other.key), std::string::npos) << other.key;
  }
}

TEST(Digest, ChangesWithEveryKey) {
  std::vector<std::string> seen{digest("")};
  ASSERT_NE(seen[0], "");
  for (const Row& row : job_rows()) {
    seen.push_back(digest(row.key + " = " + row.good));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), seen.back()), 1) << row.key;
  }
}

/// The names of the words that one has and the other has not.
std::set<std::string> other_words(const std::string& one, const std::string& other) {
  const auto words = [](const std::string& text) {
    std::istringstream in(text);
    return std::set<std::string>(std::istream_iterator<std::string>(in), {});
  };
  std::set<std::string> differing, names;
  const auto before = words(one), after = words(other);
  std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(),
                                std::inserter(differing, differing.end()));
  for (const std::string& word : differing) names.insert(word.substr(0, word.find('=')));
  return names;
}

TEST(KeysOf, AJobNameTheKeyThatDiffers) {
  const std::map<std::string, std::string> as{{"shell", "command"}};
  for (const Row& row : job_rows()) {
    const std::string line = row.key + " = " + row.good;
    const bool has_needs = !needs_of(line).empty();
    const JobFile file = read(line);
    ASSERT_FALSE(file.definitions.empty()) << row.key;
    const auto names = other_words(keys_of(read("").definitions.front().definition->job),
                                   keys_of(file.definitions.front().definition->job));
    const auto name = as.find(row.key);
    EXPECT_TRUE(names.contains(name == as.end() ? row.key : name->second)) << row.key;
    if (!has_needs && row.key != "groups" && row.key != "function")
      EXPECT_EQ(names.size(), row.key == "user" ? 2u : 1u) << row.key;  // a user has groups
  }
}

TEST(KeysOf, AJobSayWhatItsCalendarsSay) {
  const auto keys = [](const std::string& days) {
    Identities identities;
    const JobFile file = read_job_file(
        "[job.x]\ncommand = [\"/bin/true\"]\nschedule = \"0 2 * * *\"\nexcept = [\"free\"]\n[calendar.free]\ndates "
        "= [\"" +
            days + "\"]\n",
        {"x.toml", 0}, {}, identities);
    return keys_of(file.definitions.front().definition->job);
  };
  EXPECT_EQ(other_words(keys("12-25"), keys("12-26")), std::set<std::string>{"calendar"});
}

TEST(Digest, DoesNotChangeWithADefaultThatIsWritten) {
  for (const Row& row : job_rows()) {
    if (row.standard.empty()) continue;
    EXPECT_EQ(digest(row.key + " = " + row.standard), digest("")) << row.key;
  }
}

TEST(Digest, ChangesWithEveryLimit) {
  std::vector<std::string> seen;
  for (const char* limit : {"open_files = 1", "processes = 1", "tasks_max = 1", "cpu_weight = 1", "memory_max = 1",
                            "address_space = 1", "cpu_time = \"1s\"", "cpu_time = \"2s\""}) {
    seen.push_back(digest("limits = {" + std::string(limit) + "}"));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), seen.back()), 1) << limit;
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), ""), 0);
}

TEST(Digest, DoesNotTellWaysOfWritingApart) {
  EXPECT_EQ(digest("deadline = \"1h\""), digest("deadline = \"60m\" # an hour"));
  EXPECT_EQ(digest("output_limit = \"1KiB\""), digest("output_limit = 1024"));
  EXPECT_EQ(digest("kill_signal = \"INT\""), digest("kill_signal = \"SIGINT\""));
  EXPECT_EQ(digest("schedule = \"@daily\""), digest("schedule = ['@daily']"));
  EXPECT_EQ(digest("nice = 1\nenv = {A = \"1\", B = \"2\"}"), digest("env.B = \"2\"\nnice = 1\nenv.A = \"1\""));
  EXPECT_EQ(digest("shell = \"true\""), digest("command = [\"/bin/sh\", \"-c\", \"true\"]"));
}

TEST(Digest, TellsWhereOneValueEndsAndTheNextBegins) {
  EXPECT_NE(digest("command = [\"ab\", \"c\"]"), digest("command = [\"a\", \"bc\"]"));
  EXPECT_NE(digest("success_codes = [1, 23]"), digest("success_codes = [12, 3]"));
  EXPECT_NE(digest("env = {A = \"1\", B = \"2\"}"), digest("env = {A = \"1B2\"}"));
}

/// Nodes of different releases compare these: a changed value here splits a fleet that is being upgraded.
TEST(Digest, StaysWhatItIsOverReleases) {
  EXPECT_EQ(digest(""), "78f13cce282180fc61b0ec2305174f21");
  EXPECT_EQ(digest("schedule = [\"0 2 * * *\"]\ntimezone = \"Europe/Paris\"\nenv = {A = \"1\"}\nnice = -5\n"
                   "deadline = \"1h\"\nnot_before = 2020-01-01T00:00:00Z\nenabled = false\nmisfire = \"all\"\n"
                   "retry_backoff = 1.5\nsuccess_codes = [0, 3]\nlimits = {open_files = 10}"),
            "ffa789a19f398637301d22a047aad2d6");
}

}  // namespace
}  // namespace ballot::config

// Texts that somebody else has put into the store: each field of each of them with each value that it must not have.
// What is read is refused as unreadable, or can be reckoned with.
#include <gtest/gtest.h>

#include <functional>

#include "unit/core/hostile_texts.hpp"

namespace ballot::core {
namespace {

using namespace hostile;

// ---- the table

struct Form {
  std::string name;
  std::string text;
  /// nullopt: refused as unreadable; else what of it cannot be reckoned with.
  std::function<std::optional<std::string>(const std::string&)> read;
  std::set<std::string> optional;  // fields that may be missing
  std::set<std::string> often;     // and those that may occur twice
};

template <class R>
std::function<std::optional<std::string>(const std::string&)> reader(Result<R> (*parse)(std::string_view)) {
  return [parse](const std::string& text) -> std::optional<std::string> {
    const auto read = parse(text);
    if (read) return bad(*read);
    EXPECT_EQ(read.error().code, Errc::corrupt) << read.error().what;
    EXPECT_LT(read.error().what.size(), 500u);
    EXPECT_TRUE(is_plain(read.error().what));
    return std::nullopt;
  };
}

std::vector<Form> forms() {
  return {
      {"job register",
       job_text(),
       reader<JobRegister>(parse_job_register),
       {"definition", "timezone",    "schedule", "not_before",     "not_after",    "paused",
        "paused_by",  "pause_terms", "failing",  "claims_passed",  "last_success", "last_end",
        "missed",     "settled",     "run",      "anchor",         "boot",         "ended",
        "chained",    "triggered",   "repaired", "expects_success"},
       {"schedule", "anchor", "boot", "triggered"}},
      {"group register",
       group_text(),
       reader<GroupRegister>(parse_group_register),
       {"ended_at", "cause", "led_before", "paused", "paused_by", "pause_terms", "halted", "halted_at", "repaired",
        "hand_over_to", "turned"},
       {"led_before"}},
      {"request", request_text(), reader<Request>(parse_request), {"wait", "by"}, {}},
      {"done answer", done_text(), reader<Answer>(parse_answer), {"run"}, {}},
      {"refused answer", refused_text(), reader<Answer>(parse_answer), {}, {}},
      {"outcome",
       outcome(),
       reader<Row>(parse_outcome),
       {"reason", "exit_code", "signal", "started_at", "ended_at", "duration_ms", "output_bytes", "leftover"},
       {}},
      {"node record",
       node_text(),
       reader<NodeRecord>(parse_node_record),
       {"unfit", "group", "unfit_group"},
       {"group", "unfit_group"}},
      {"tick register", tick_text(), reader<TickRegister>(parse_tick_register), {"run", "node", "anchor"}, {"anchor"}},
  };
}

const std::vector<std::string>& hostile_values() {
  static const std::vector<std::string> values = {
      "",
      "-1",
      "0",
      "1x",
      "9223372036854775807",
      "9223372036854775808",
      "18446744073709551615",
      "18446744073709551616",
      "4611686018427387905",
      "-9223372036854775808",
      "-9223372036854775809",
      "2147483648",
      "99999999999999999999999999",
      "0x10",
      "+1",
      "1.5",
      "nan",
      "NaN",
      "inf",
      "-inf",
      "1e308",
      "0.5",
      "0000-01-01T00:00:00Z",
      "1969-12-31T23:59:59Z",
      "9999-12-31T23:59:59-23:59",
      "0001-01-01T00:00:00+23:59",
      "2025-02-30T00:00:00Z",
      "106751991167d",
      "9223372036854775807ms",
      "36501d",
      "-1s",
      "00000000-0000-0000-0000-000000000000",
      "../../etc/shadow",
      "/etc/passwd",
      "a\033[2Jb",
      std::string("a\0b", 3),
      "\xff\xfe",
      "a\x7f",
      "a\rb",
      "a=b=c",
      "=",
      ",",
      "0,",
      "0,,1",
      "256",
      "succeeded",
      "queued",
      "running",
      std::string(300, 'x'),
      std::string(10'000, 'x'),
      std::string(40'000, '9'),
      std::string(3000, ','),
  };
  return values;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::string join(const std::vector<std::string>& parts, char with) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? std::string(1, with) : "") + parts[i];
  return text;
}

/// Each word of each line, and each value of a word KEY=VALUE, with `hostile` in its place.
void for_each_place(const std::string& text, const std::string& hostile, const std::function<void(std::string)>& use) {
  const auto lines = split(text, '\n');
  for (std::size_t l = 1; l + 1 < lines.size(); ++l) {
    const auto words = split(lines[l], ' ');
    for (std::size_t w = 1; w < words.size(); ++w) {
      const auto with = [&](const std::string& word) {
        auto changed_words = words;
        changed_words[w] = word;
        auto changed = lines;
        changed[l] = join(changed_words, ' ');
        use(join(changed, '\n'));
      };
      with(hostile);
      const std::size_t equals = words[w].find('=');
      if (equals != std::string::npos) with(words[w].substr(0, equals + 1) + hostile);
    }
  }
}

TEST(HostileTexts, WhatNodesWriteIsRead) {
  for (const Form& form : forms()) EXPECT_EQ(form.read(form.text), "") << form.name << "\n" << form.text;
}

TEST(HostileTexts, EachFieldWithEachValueIsRefusedOrCanBeReckonedWith) {
  for (const Form& form : forms())
    for (const std::string& hostile : hostile_values())
      for_each_place(form.text, hostile, [&](const std::string& text) {
        if (const auto fault = form.read(text); fault && !fault->empty())
          ADD_FAILURE() << form.name << " was read with " << *fault << ":\n" << text.substr(0, 3000);
      });
}

TEST(HostileTexts, AFieldThatIsRequiredIsMissed) {
  for (const Form& form : forms()) {
    const auto lines = split(form.text, '\n');
    for (std::size_t l = 1; l + 1 < lines.size(); ++l) {
      auto without = lines;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(l));
      const std::string key = lines[l].substr(0, lines[l].find(' '));
      EXPECT_EQ(form.read(join(without, '\n')).has_value(), form.optional.contains(key)) << form.name << ": " << key;
    }
    EXPECT_EQ(form.read("ballot 1\n"), std::nullopt) << form.name;
    EXPECT_EQ(form.read(""), std::nullopt) << form.name;
  }
}

TEST(HostileTexts, AFieldThatStandsTwiceIsRefused) {
  for (const Form& form : forms()) {
    const auto lines = split(form.text, '\n');
    for (std::size_t l = 1; l + 1 < lines.size(); ++l) {
      auto twice = lines;
      twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(l), lines[l]);
      const std::string key = lines[l].substr(0, lines[l].find(' '));
      EXPECT_EQ(form.read(join(twice, '\n')).has_value(), form.often.contains(key)) << form.name << ": " << key;
    }
  }
}

TEST(HostileTexts, ARunWithoutAFieldThatItNeedsIsRefused) {
  const std::set<std::string> optional = {
      "lost_after",    "success_codes",   "guarantee",  "lost",     "lost_limit", "retries", "retry_delay",
      "retry_backoff", "retry_max_delay", "on_success", "on_error", "awaited",    "late",    "slow"};
  const auto lines = split(job_text(), '\n');
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (!lines[l].starts_with("run ")) continue;
    const auto words = split(lines[l], ' ');
    for (std::size_t w = 1; w < words.size(); ++w) {
      auto without = words, twice = words;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(w));
      twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(w), words[w]);
      auto changed = lines;
      changed[l] = join(without, ' ');
      const std::string key = words[w].substr(0, words[w].find('='));
      EXPECT_EQ(parse_job_register(join(changed, '\n')).operator bool(), optional.contains(key)) << words[w];
      changed[l] = join(twice, ' ');
      EXPECT_FALSE(parse_job_register(join(changed, '\n')) && w > 1) << words[w];
    }
  }
}

TEST(HostileTexts, ListsThatAreLongerThanNodesMakeThemAreRefused) {
  const auto repeated = [](const std::function<void(JobRegister&, std::uint64_t)>& add, std::uint64_t count) {
    JobRegister r = *parse_job_register(job_text());
    r.runs.clear(), r.dispositions.clear(), r.triggered.clear(), r.kept.reset();
    for (std::uint64_t i = 0; i < count; ++i) add(r, i);
    return parse_job_register(to_text(r)).operator bool();
  };
  const auto run = [](JobRegister& r, std::uint64_t i) {
    r.runs.push_back(claimed_run());
    r.runs.back().id = run_id(i + 1);
  };
  const auto settled = [](JobRegister& r, std::uint64_t i) {
    const WallTime slot = r.since + std::chrono::hours(i);
    r.dispositions.push_back({slot, slot, 1, Status::missed, Reason::misfire});
  };
  const auto triggered = [](JobRegister& r, std::uint64_t i) { r.triggered.push_back(run_id(i)); };
  const auto boot = [](JobRegister& r, std::uint64_t i) { r.kept.edit().boots.push_back(std::to_string(i)); };
  const auto chained = [](JobRegister& r, std::uint64_t i) {
    r.kept.edit().chained.push_back({run_id(i + 1), r.since, true, std::nullopt});
  };
  const auto unknown = [](JobRegister& r, std::uint64_t) { r.unknown.push_back("colour " + std::string(100, 'b')); };
  EXPECT_TRUE(repeated(run, 16));
  EXPECT_FALSE(repeated(run, 17));
  EXPECT_TRUE(repeated(settled, 32));
  EXPECT_FALSE(repeated(settled, 33));
  EXPECT_TRUE(repeated(triggered, 8));
  EXPECT_FALSE(repeated(triggered, 9));
  EXPECT_TRUE(repeated(boot, 16));
  EXPECT_FALSE(repeated(boot, 17));
  EXPECT_TRUE(repeated(chained, 8));
  EXPECT_FALSE(repeated(chained, 9));
  EXPECT_TRUE(repeated(unknown, 9));
  EXPECT_FALSE(repeated(unknown, 10));
}

TEST(HostileTexts, FieldsThatDoNotGoTogetherAreRefused) {
  const JobRegister good = *parse_job_register(job_text());
  const auto reads = [&](const std::function<void(JobRegister&)>& change) {
    JobRegister r = good;
    change(r);
    return parse_job_register(to_text(r)).operator bool();
  };
  EXPECT_TRUE(reads([](JobRegister&) {}));
  EXPECT_FALSE(reads([](JobRegister& r) { r.runs.push_back(r.runs[0]); })) << "one run twice";
  EXPECT_FALSE(reads([](JobRegister& r) { std::swap(r.dispositions[0].from, r.dispositions[0].to); }));
  EXPECT_FALSE(reads([](JobRegister& r) { std::swap(r.dispositions[0], r.dispositions[1]); }));
  EXPECT_FALSE(reads([](JobRegister& r) { r.dispositions[1].from = r.dispositions[0].to; }));
  EXPECT_FALSE(reads([](JobRegister& r) { r.dispositions[0].slots = 0; }));
  EXPECT_FALSE(reads([](JobRegister& r) { r.dispositions[1].slots = 2; })) << "two slots in one second";
  EXPECT_FALSE(reads([](JobRegister& r) { r.dispositions[0].status = Status::succeeded; }));
  EXPECT_FALSE(reads([](JobRegister& r) { r.cursor = r.dispositions[1].to - 1s; }));
}

TEST(HostileTexts, ARequestNamesWhatItsKindIsDoneTo) {
  const auto reads = [](const std::string& lines) {
    const std::string text = "ballot 1\n" + lines + "id " + run_id(1).text() + "\nuntil 2025-03-09T07:00:00.000Z\n";
    return parse_request(text).operator bool();
  };
  const std::string run = "run " + run_id(2).text() + "\n";
  EXPECT_TRUE(reads("do kill\njob a\n" + run));
  EXPECT_FALSE(reads("do kill\njob a\n"));
  EXPECT_FALSE(reads("do kill\n" + run));
  EXPECT_FALSE(reads("do forget\njob a\n"));
  EXPECT_TRUE(reads("do trigger\njob a\n"));
  EXPECT_FALSE(reads("do trigger\ngroup a\n"));
  EXPECT_FALSE(reads("do trigger\n"));
  EXPECT_TRUE(reads("do pause\njob a\n"));
  EXPECT_TRUE(reads("do repair\ngroup a\n"));
  EXPECT_FALSE(reads("do resume\njob a\ngroup a\n"));
  EXPECT_FALSE(reads("do evict\njob a\n"));
  EXPECT_FALSE(reads("do release\njob a\n"));
  EXPECT_TRUE(reads("do release\njob a\ngroup b\n"));
  EXPECT_FALSE(reads("do anything\njob a\n"));
}

TEST(HostileTexts, WhatIsLeftOfARegisterCanBeReckonedWithAndReadAgain) {
  const std::string good = job_text();
  for (const std::string& hostile : hostile_values())
    for_each_place(good, hostile, [&](const std::string& text) {
      JobRegister left = salvage_job_register(text);
      if (left.group.empty()) left.group = "nightly";
      EXPECT_EQ(bad(left), "") << text.substr(0, 3000);
      EXPECT_TRUE(parse_job_register(to_text(left))) << to_text(left).substr(0, 3000);
    });
}

TEST(HostileTexts, ASalvagedRegisterKeepsTheLinesThatMakeSense) {
  std::string text = job_text();
  text.replace(text.find("fence 12\n"), 9, "fence 18446744073709551615\n");
  const JobRegister left = salvage_job_register(text);
  EXPECT_EQ(left.fence, 0u);
  EXPECT_EQ(left.runs.size(), 2u);
  EXPECT_EQ(left.dispositions.size(), 2u);
  EXPECT_EQ(left.cursor, time_at("2025-03-09T07:00:00Z"));
}

TEST(HostileTexts, WhatPeopleSayIsWrittenInOneLine) {
  Request request = *parse_request(request_text());
  request.by = "mallory\njob other\033[2J" + std::string(5000, 'x');
  const auto read = parse_request(to_text(request));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->job, "backup");
  EXPECT_TRUE(read->by.starts_with("mallory job other [2J"));
  EXPECT_LT(read->by.size(), 2048u);
}

TEST(HostileTexts, WhatPeopleSayCanBeReadWhateverItsBytes) {
  for (const std::string& by : {std::string(1500, '\xff'), std::string(1021, 'x') + "\xf0\x9f\x98\x80"}) {
    Request request = *parse_request(request_text());
    request.by = by;
    const std::string text = to_text(request);
    const auto read = parse_request(text);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(to_text(*read), text) << "it stays as it was written";
  }
}

}  // namespace
}  // namespace ballot::core

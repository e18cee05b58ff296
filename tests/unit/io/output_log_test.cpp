#include "io/output_log.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace ballot::io {
namespace {

using namespace std::chrono_literals;

struct OutputLogs : ::testing::Test {
  std::vector<std::string> lines;
  const Log log = [this](Level, std::string_view text, const LogFields& fields) {
    lines.push_back(std::string(text) + (fields.size() > 1 ? " " + fields[0].second : ""));
  };
  const runner::AttemptId id{Random(1).run_id(WallTime{}), 1};
  SteadyTime now{1h};

  static std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  }
};

TEST_F(OutputLogs, EachLineIsLoggedWithItsJobAlsoALastOneWithoutAnEnd) {
  OutputLog output(log);
  output.begin(id.run, "backup");
  output.print({id, "one\ntw"}, now);
  output.print({id, "o\nthree"}, now);
  EXPECT_EQ(lines, (std::vector<std::string>{"one backup", "two backup"}));
  output.end(id, 13);
  EXPECT_EQ(lines.back(), "three backup");
}

TEST_F(OutputLogs, LinesBeyondTheRateAreCountedAndSaidInTheNextSecond) {
  OutputLog output(log, {.lines = 3, .bytes = 1000, .longest = 100});
  output.print({id, repeated("y\n", 1'000'000)}, now);
  EXPECT_EQ(lines.size(), 3u);
  output.print({id, "y\n"}, now + 999ms);
  EXPECT_EQ(lines.size(), 3u);
  output.print({id, "again\n"}, now + 1s);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[3], "999998 lines of output left out of the log: too many in a second");
  EXPECT_EQ(lines[4], "again");
}

TEST_F(OutputLogs, BytesBeyondTheRateAreLeftOutTooAndSaidAtTheEnd) {
  OutputLog output(log, {.lines = 1000, .bytes = 250, .longest = 100});
  output.print({id, repeated(std::string(99, 'x') + "\n", 10)}, now);
  EXPECT_EQ(lines.size(), 2u);
  output.end(id, 1000);
  EXPECT_EQ(lines.back(), "8 lines of output left out of the log: too many in a second");
}

TEST_F(OutputLogs, BytesThatWereNotReceivedAreCountedAtTheEnd) {
  OutputLog output(log);
  output.begin(id.run, "backup");
  output.print({id, "one\n"}, now);
  output.end(id, 1000);
  EXPECT_EQ(lines.back(), "996 bytes of output are not in the log: they did not reach the daemon backup");
  output.begin(id.run, "backup");
  output.end(id, 7);
  EXPECT_EQ(lines.back(), "7 bytes of output are not in the log: they did not reach the daemon backup");
  const std::size_t before = lines.size();
  output.begin(id.run, "backup");
  output.print({id, "one\n"}, now);
  output.end(id, 4);
  EXPECT_EQ(lines.size(), before + 1) << "all were received";
}

/// Another daemon may have logged what it printed before.
TEST_F(OutputLogs, OfARunThatWasAdoptedNothingIsCounted) {
  OutputLog output(log);
  output.print({id, "one\n"}, now);
  output.end(id, 1000);
  EXPECT_EQ(lines, std::vector<std::string>{"one"});
}

TEST_F(OutputLogs, ARunThatTheRunnerDoesNotHaveAnyMoreIsForgottenWithItsLastLine) {
  OutputLog output(log);
  const runner::AttemptId other{Random(2).run_id(WallTime{}), 1};
  output.begin(id.run, "backup");
  output.begin(other.run, "report");
  output.print({id, "lost"}, now);
  output.print({other, "goes "}, now);
  output.keep_only({runner::Running{other, "report"}});
  EXPECT_EQ(lines, std::vector<std::string>{"lost backup"});
  output.print({other, "on\n"}, now);
  EXPECT_EQ(lines.back(), "goes on report");
}

TEST_F(OutputLogs, ALineWithoutAnEndIsSplit) {
  OutputLog output(log, {.lines = 1000, .bytes = 1000, .longest = 100});
  output.print({id, std::string(60, 'x')}, now);
  EXPECT_TRUE(lines.empty());
  output.print({id, std::string(60, 'x')}, now);
  EXPECT_EQ(lines, std::vector<std::string>{std::string(120, 'x')});
}

}  // namespace
}  // namespace ballot::io

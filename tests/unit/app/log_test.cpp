#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "app/log/log_line.hpp"
#include "app/log/log_sink.hpp"

namespace ballot::app {
namespace {

const WallTime at = WallTime(Millis(1741503600250));  // 2025-03-09T07:00:00.250Z

TEST(LogLine, IsPleasantForPeople) {
  const LogFields fields{{"job", "nightly"}, {"error", "no space left"}, {"empty", ""}};
  EXPECT_EQ(human_line({at, Level::warn, "run failed", fields}, Colours::off),
            "2025-03-09T07:00:00.250Z WARN  run failed                                   job=nightly error=\"no space "
            "left\" empty=\"\"");
  EXPECT_EQ(human_line({at, Level::info, "started", {}}, Colours::off), "2025-03-09T07:00:00.250Z INFO  started");
}

TEST(LogLine, HasColoursOnlyWhereAsked) {
  const LogFields fields{{"job", "x"}};
  EXPECT_EQ(human_line({at, Level::error, "failed", fields}, Colours::on).substr(0, 54),
            "\033[2m2025-03-09T07:00:00.250Z\033[0m \033[31mERROR\033[0m failed");
  EXPECT_EQ(human_line({at, Level::error, "failed", fields}, Colours::off).find('\033'), std::string::npos);
}

TEST(LogLine, IsJson) {
  const LogFields fields{{"job", "a\"b"}, {"output", "x\n\xff\x1b[0m"}};
  EXPECT_EQ(json_line({at, Level::fatal, "it \\ is", fields}),
            "{\"time\":\"2025-03-09T07:00:00.250Z\",\"level\":\"fatal\",\"msg\":\"it \\\\ is\",\"job\":\"a\\\"b\","
            "\"output\":\"x\\n\\\\xff\\u001b[0m\"}");
}

TEST(LogLine, IsLogfmt) {
  const LogFields fields{{"job", "nightly"}, {"why", "a=b"}, {"quote", "\""}, {"none", ""}, {"bytes", "\xff"}};
  EXPECT_EQ(raw_line({at, Level::debug, "started again", fields}),
            "time=2025-03-09T07:00:00.250Z level=debug msg=\"started again\" job=nightly why=\"a=b\" quote=\"\\\"\" "
            "none=\"\" bytes=\"\\xff\"");
}

TEST(LogLine, IsOneLineWhateverTheText) {
  const LogFields fields{{"text", "a\nb\r\n"}};
  const LogLine line{at, Level::info, "a\nb", fields};
  for (const std::string& text : {human_line(line, Colours::off), json_line(line), raw_line(line)})
    EXPECT_EQ(text.find_first_of("\r\n"), std::string::npos) << text;
}

TEST(LogSink, WritesToStderrAtOnceWhatIsOfItsLevel) {
  const Log log = make_log({.level = Level::warn, .format = config::LogFormat::raw}, "n");
  ::testing::internal::CaptureStderr();
  log(Level::info, "too little", {});
  log(Level::warn, "100% {} %v", {{"job", "x"}});
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("too little"), std::string::npos);
  EXPECT_NE(text.find(" level=warn msg=\"100% {} %v\" job=x\n"), std::string::npos) << text;
}

/// stderr is a pipe as long as this lives.
class PipeOfStderr {
 public:
  PipeOfStderr() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read_ = ends[0];
    saved_ = ::dup(STDERR_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    ::fcntl(read_, F_SETFL, O_NONBLOCK);
  }
  ~PipeOfStderr() {
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
    ::close(read_);
  }

  std::string read() const {
    std::string text(1 << 16, '\0');
    const ssize_t n = ::read(read_, text.data(), text.size());
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }

 private:
  int read_ = -1;
  int saved_ = -1;
};

TEST(LogSink, OfAPipeThatNobodyReadsLosesLinesAndSaysHowMany) {
  const PipeOfStderr pipe;
  const Log log = make_log({.level = Level::info, .format = config::LogFormat::raw}, "n");
  const std::string text(1000, 'x');
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) log(Level::info, text, {});
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30)) << "a line each 100 ms would be 100 s";
  const std::string before = pipe.read();
  log(Level::info, "read again", {});
  const std::string after = pipe.read();
  const auto written = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  EXPECT_GT(written, 0);
  const std::string said =
      "msg=\"the log was not read for a while\" lines_lost=" + std::to_string(1000 - written) + '\n';
  EXPECT_NE(after.find(said), std::string::npos) << after;
  EXPECT_TRUE(after.ends_with("msg=\"read again\"\n")) << after;
  EXPECT_EQ(after.find("xtime="), std::string::npos) << "a line that was cut has an end";
}

}  // namespace
}  // namespace ballot::app

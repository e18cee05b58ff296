#include <gtest/gtest.h>

#include "app/log_line.hpp"
#include "app/log_sink.hpp"

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

}  // namespace
}  // namespace ballot::app

#include "app/output/output_printer.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace ballot::app {
namespace {

constexpr std::size_t much = 1000;

TEST(OutputPrinter, IsByteForByte) {
  std::ostringstream out;
  OutputPrinter printer(out, OutputText::as_it_is);
  const std::string bytes("a\0\x1b[0m\xff\r", 8);
  printer.print(Output{bytes, "", static_cast<std::int64_t>(bytes.size())});
  printer.finish();
  EXPECT_EQ(out.str(), bytes);
}

TEST(OutputPrinter, SaysWhatIsLeftOutOnALineOfItsOwn) {
  for (const auto& [head, shown] : {std::pair("head", "head\n[ballot: 92 bytes left out]\ntail"),
                                    {"hea\n", "hea\n[ballot: 92 bytes left out]\ntail"}}) {
    std::ostringstream out;
    OutputPrinter(out, OutputText::as_it_is).print(Output{head, "tail", 100});
    EXPECT_EQ(out.str(), shown);
  }
  std::ostringstream discarded;
  OutputPrinter(discarded, OutputText::as_it_is).print(Output{"", "", 7});
  EXPECT_EQ(discarded.str(), "[ballot: 7 bytes left out]\n");
}

TEST(OutputPrinter, GoesOnWhereItStopped) {
  std::ostringstream out;
  OutputPrinter printer(out, OutputText::as_it_is);
  printer.print(OutputPiece{0, "begun\n"});
  EXPECT_EQ(printer.at(), 6);
  printer.print(OutputPiece{6, ""});
  printer.print(Output{"begun\nover\n", "", 11});
  printer.print(Output{"begun\nover\n", "", 11});
  EXPECT_EQ(out.str(), "begun\nover\n");
}

/// As a terminal gets it, whatever pieces it comes in.
std::string harmless(const std::string& text, std::size_t piece) {
  std::ostringstream out;
  OutputPrinter printer(out, OutputText::harmless);
  for (std::size_t at = 0; at < text.size(); at += piece)
    printer.print(OutputPiece{static_cast<std::int64_t>(at), text.substr(at, piece)});
  printer.finish();
  return out.str();
}

TEST(OutputPrinter, IsHarmlessOnATerminal) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{3}, much}) {
    EXPECT_EQ(harmless("\x1b[2J\tx\r\ny\rz\n", piece), "\\u001b[2J\tx\ny\\rz\n") << piece;
    EXPECT_EQ(harmless("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\x8c\n", piece),
              "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\x8c\n")
        << piece;
    EXPECT_EQ(harmless("a\xe2\x82", piece), "a\\xe2\\x82") << piece;
    EXPECT_EQ(harmless("\xc2\x9b"
                       "1m",
                       piece),
              "\\u009b1m")
        << piece;
  }
}

}  // namespace
}  // namespace ballot::app

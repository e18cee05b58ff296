#include "app/print/colors.hpp"

#include <unistd.h>

#include <cstdlib>

namespace ballot::app {
namespace {

struct WordColor {
  std::string_view word, code;
};

constexpr std::string_view red = "\x1b[31m", green = "\x1b[32m", yellow = "\x1b[33m", cyan = "\x1b[36m",
                           bold = "\x1b[1m", reset = "\x1b[0m";
constexpr WordColor words[] = {{"succeeded", green}, {"healthy", green},   {"queued", cyan},     {"claimed", cyan},
                               {"running", cyan},    {"failed", red},      {"timed_out", red},   {"killed", red},
                               {"lost", red},        {"halted", red},      {"not", red},         {"missed", yellow},
                               {"skipped", yellow},  {"paused", yellow},   {"waiting", yellow},  {"clock_skew", yellow},
                               {"drift", yellow},    {"disabled", yellow}, {"degraded", yellow}, {"moved", yellow},
                               {"moving", yellow}};

std::string in_color(std::string_view text, std::string_view code) {
  return std::string(code) + std::string(text) + std::string(reset);
}

}  // namespace

Colors terminal_colors() {
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (::isatty(STDOUT_FILENO) == 0 || (refused != nullptr && *refused != '\0')) return Colors::off;
  return terminal == nullptr || std::string_view(terminal) == "dumb" ? Colors::off : Colors::on;
}

std::string painted(std::string_view text, Colors colors) {
  if (colors == Colors::off) return std::string(text);
  const std::string_view first = text.substr(0, text.find_first_of(": "));
  for (const WordColor& word : words)
    if (first == word.word) return in_color(text, word.code);
  return std::string(text);
}

std::string headed(std::string_view text, Colors colors) {
  return colors == Colors::off ? std::string(text) : in_color(text, bold);
}

}  // namespace ballot::app

// Diagnostic: one thing wrong in what somebody wrote, and where. Collected, never thrown: a reader goes on and finds
// all.
//
// Knows nothing of TOML. Threads: plain values.
//
//   Findings findings("jobs.d/a.toml", diagnostics);
//   findings.error({3, 9}, "'nice' must be an integer from -20 to 19, not a string");
//   diagnostics[0].text()       // jobs.d/a.toml:3:9: error: 'nice' must be ...
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ballot::config {

enum class Severity { error, warning };

/// Both from 1; the column counts characters, not bytes. Line 0: not in a file.
struct Position {
  int line = 1;
  int column = 1;
  bool operator==(const Position&) const = default;
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;  // or, with line 0, what else it came from: "BALLOT_LOG_LEVEL"
  int line = 1;
  int column = 1;
  std::string message;
  std::size_t left_out = 0;  // so many findings it is there in place of, from here on; 0: it is one itself

  /// "file:line:column: error: message", always one line: control characters, also those of C1, and
  /// what is not UTF-8 are shown as \xNN.
  std::string text() const;
  bool operator==(const Diagnostic&) const = default;
};
using Diagnostics = std::vector<Diagnostic>;

bool has_errors(const Diagnostics& diagnostics);

/// How many errors there are, where the first one is, and how to see all; "" where there are none.
std::string summary_of_errors(const Diagnostics& diagnostics);

/// By file, then line, then column.
void sort(Diagnostics& diagnostics);

/// The same, and keeps the first 100 of each file, and says in one more how many there were: an error where one of
/// these is. What this has left out before counts.
void sort_and_bound(Diagnostics& diagnostics);

/// 'text', cut where it is long.
std::string in_quotes(std::string_view text);

/// What is wrong in one file. Refers to both its arguments.
class Findings {
 public:
  Findings(std::string_view file, Diagnostics& into) : file_(file), into_(into) {}

  void error(Position at, std::string message) { add(Severity::error, at, std::move(message)); }
  void warning(Position at, std::string message) { add(Severity::warning, at, std::move(message)); }

 private:
  void add(Severity severity, Position at, std::string message);

  std::string_view file_;
  Diagnostics& into_;
};

}  // namespace ballot::config

#include "app/log/log_sink.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "app/log/log_line.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

Colours colours_of_stderr() {
  const char* terminal = std::getenv("TERM");
  const bool can = terminal != nullptr && std::string_view(terminal) != "dumb";
  return can && ::isatty(STDERR_FILENO) == 1 ? Colours::on : Colours::off;
}

std::string format_line(const LogLine& line, config::LogFormat format, Colours colours) {
  switch (format) {
    case config::LogFormat::human: return human_line(line, colours);
    case config::LogFormat::json: return json_line(line);
    case config::LogFormat::raw: break;
  }
  return raw_line(line);
}

/// Lines on stderr. A reader of a pipe that has stopped reading, or a terminal that was stopped, holds up the daemon by
/// 100 ms once: until it takes lines again they are lost, and the first one after that is preceded by how many were.
class StderrSink {
 public:
  explicit StderrSink(const config::LogSettings& settings) : format_(settings.format), colours_(colours_of_stderr()) {}

  void write(const LogLine& line) {
    const std::lock_guard lock(mutex_);
    if (lost_ > 0 && takes(0)) {
      const std::string lines = std::to_string(lost_);
      const LogFields fields{{"lines_lost", lines}};
      if (send({line.time, Level::warn, "the log was not read for a while", fields})) lost_ = 0;
    }
    if (lost_ > 0 || !send(line)) ++lost_;
  }

 private:
  static bool takes(int milliseconds) {
    pollfd out{STDERR_FILENO, POLLOUT, 0};
    int ready = -1;
    do ready = ::poll(&out, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready == 1 && (out.revents & POLLOUT) != 0;
  }

  /// A pipe that takes anything takes a page (pipe(7), PIPE_BUF), so no part is longer.
  bool send(const LogLine& line) {
    const std::string written = (is_cut_ ? "\n" : "") + format_line(line, format_, colours_) + '\n';
    std::string_view left = written;
    while (!left.empty()) {
      if (!takes(100)) return false;
      const ssize_t n = ::write(STDERR_FILENO, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      left.remove_prefix(static_cast<std::size_t>(n));
      is_cut_ = !left.empty();
    }
    return true;
  }

  const config::LogFormat format_;
  const Colours colours_;
  std::mutex mutex_;
  std::uint64_t lost_ = 0;
  bool is_cut_ = false;  // what was written last is a part of a line
};

/// The journal first, and stderr where it does not take an entry: never waiting for it, as it may be the same journal.
class JournalSink {
 public:
  JournalSink(const config::LogSettings& settings, std::string node, const std::string& socket)
      : format_(settings.format), node_(std::move(node)), journal_(socket) {}

  void write(const LogLine& line) {
    const std::lock_guard lock(mutex_);
    const bool human = format_ == config::LogFormat::human;
    const std::string message = human ? human_text(line, Colours::off) : format_line(line, format_, Colours::off);
    if (lost_ > 0 && send(Level::warn, "the log was not taken for a while", {{"lines_lost", std::to_string(lost_)}}))
      lost_ = 0;
    if (send(line.level, message, line.fields)) return;
    const std::string text = format_line(line, format_, Colours::off) + '\n';
    pollfd out{STDERR_FILENO, POLLOUT, 0};
    const bool room = ::poll(&out, 1, 0) == 1 && (out.revents & POLLOUT) != 0;
    if (!room || ::write(STDERR_FILENO, text.data(), text.size()) < 0) ++lost_;
  }

 private:
  bool send(Level level, std::string_view message, const LogFields& fields) {
    return journal_.send(journal_entry(level, message, node_, fields));
  }

  const config::LogFormat format_;
  const std::string node_;
  std::mutex mutex_;
  Journal journal_;
  std::uint64_t lost_ = 0;
};

}  // namespace

Log make_log(const config::LogSettings& settings, const std::string& node, const std::string& journal) {
  if (is_journal(STDERR_FILENO))
    return [sink = std::make_shared<JournalSink>(settings, node, journal), settings](Level level, std::string_view text,
                                                                                     const LogFields& fields) {
      if (level >= settings.level) sink->write({io::read_clocks().wall, level, text, fields});
    };
  return [sink = std::make_shared<StderrSink>(settings), level_wanted = settings.level](
             Level level, std::string_view text, const LogFields& fields) {
    if (level >= level_wanted) sink->write({io::read_clocks().wall, level, text, fields});
  };
}

}  // namespace ballot::app

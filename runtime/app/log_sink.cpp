#include "app/log_sink.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "app/log_line.hpp"
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

/// Waits for whoever reads stderr as a blocking write does. Where stderr does not block, no longer than 100 ms: whoever
/// does not read it then stops no daemon.
void write_whole(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd out{STDERR_FILENO, POLLOUT, 0};
      if (::poll(&out, 1, 100) == 0) return;
    } else if (errno != EINTR) {
      return;
    }
  }
}

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
  return [mutex = std::make_shared<std::mutex>(), settings, colours = colours_of_stderr()](
             Level level, std::string_view text, const LogFields& fields) {
    if (level < settings.level) return;
    const LogLine line{io::read_clocks().wall, level, text, fields};
    const std::string written = format_line(line, settings.format, colours) + '\n';
    const std::lock_guard lock(*mutex);
    write_whole(written);
  };
}

}  // namespace ballot::app

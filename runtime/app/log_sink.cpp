#include "app/log_sink.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

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

}  // namespace

Log make_log(const config::LogSettings& settings) {
  // Synchronous, and outside of spdlog's registry: a program that embeds ballot may use that as it likes.
  auto logger = std::make_shared<spdlog::logger>("ballot", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::trace);
  return
      [logger, settings, colours = colours_of_stderr()](Level level, std::string_view text, const LogFields& fields) {
        if (level < settings.level) return;
        const LogLine line{io::read_clocks().wall, level, text, fields};
        logger->log(spdlog::level::info, format_line(line, settings.format, colours));
      };
}

}  // namespace ballot::app

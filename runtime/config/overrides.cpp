#include "config/overrides.hpp"

#include "base/duration.hpp"
#include "config/config.hpp"
#include "config/names.hpp"
#include "config/words.hpp"

namespace ballot::config {
namespace {

void report(std::string_view source, std::string message, Diagnostics& diagnostics) {
  Findings(source, diagnostics).error({0, 0}, std::move(message));
}

template <class E>
std::optional<E> parse_one_of(std::string_view text, std::string_view source, Diagnostics& diagnostics) {
  const auto word = parse_word<E>(text);
  if (!word) report(source, "no value " + in_quotes(text) + suggestion(text, all_words<E>()), diagnostics);
  return word;
}

/// Reads one variable after another.
class Environment {
 public:
  Environment(const std::function<const char*(const char*)>& lookup, Diagnostics& diagnostics)
      : lookup_(lookup), diagnostics_(diagnostics) {}

  std::optional<std::string> text(const char* name) const {
    const char* const value = lookup_(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  }

  template <class T>
  std::optional<T> parsed(const char* name,
                          std::optional<T> (*parse)(std::string_view, std::string_view, Diagnostics&)) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    return parse(*value, name, diagnostics_);
  }

 private:
  const std::function<const char*(const char*)>& lookup_;
  Diagnostics& diagnostics_;
};

template <class T>
void fill(std::optional<T>& target, std::optional<T>& weaker) {
  if (!target) target = std::move(weaker);
}

}  // namespace

Overrides Overrides::over(Overrides weaker) const {
  Overrides out = *this;
  fill(out.jobs_dir, weaker.jobs_dir);
  fill(out.plugin_dir, weaker.plugin_dir);
  fill(out.state_dir, weaker.state_dir);
  fill(out.run_dir, weaker.run_dir);
  fill(out.node, weaker.node);
  fill(out.backend, weaker.backend);
  fill(out.name_space, weaker.name_space);
  fill(out.session_timeout, weaker.session_timeout);
  fill(out.log_level, weaker.log_level);
  fill(out.log_format, weaker.log_format);
  return out;
}

Overrides read_environment(const std::function<const char*(const char*)>& lookup, Diagnostics& diagnostics) {
  const Environment environment(lookup, diagnostics);
  Overrides out;
  out.jobs_dir = environment.text("BALLOT_JOBS_DIR");
  out.plugin_dir = environment.text("BALLOT_PLUGIN_DIR");
  out.state_dir = environment.text("BALLOT_STATE_DIR");
  out.run_dir = environment.text("BALLOT_RUN_DIR");
  out.backend = environment.text("BALLOT_BACKEND");
  out.name_space = environment.text("BALLOT_NAMESPACE");
  out.session_timeout = environment.parsed("BALLOT_SESSION_TIMEOUT", parse_session_timeout);
  out.log_level = environment.parsed("BALLOT_LOG_LEVEL", parse_log_level);
  out.log_format = environment.parsed("BALLOT_LOG_FORMAT", parse_log_format);
  return out;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

std::optional<Millis> parse_session_timeout(std::string_view text, std::string_view source, Diagnostics& diagnostics) {
  const auto value = parse_duration(text);
  if (value && *value >= shortest_session_timeout && *value <= longest_session_timeout) return value;
  report(source,
         "must be a duration from " + format_duration(shortest_session_timeout) + " to " +
             format_duration(longest_session_timeout) + ", such as \"6s\", not " + in_quotes(text),
         diagnostics);
  return std::nullopt;
}

std::optional<Level> parse_log_level(std::string_view text, std::string_view source, Diagnostics& diagnostics) {
  return parse_one_of<Level>(text, source, diagnostics);
}

std::optional<LogFormat> parse_log_format(std::string_view text, std::string_view source, Diagnostics& diagnostics) {
  return parse_one_of<LogFormat>(text, source, diagnostics);
}

}  // namespace ballot::config

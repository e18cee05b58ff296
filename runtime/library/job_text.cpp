#include "library/job_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/duration.hpp"
#include "config/toml_text.hpp"
#include "config/words.hpp"

namespace ballot::library {
namespace {

std::string value_of(const std::string& text) { return config::toml_string(text); }
std::string value_of(bool value) { return value ? "true" : "false"; }
std::string value_of(int number) { return std::to_string(number); }
/// A negative one is refused by whoever reads it.
std::string value_of(Millis duration) {
  return value_of(duration < Millis(0) ? std::to_string(duration.count()) + "ms" : format_duration(duration));
}
std::string value_of(const std::vector<std::string>& words) {
  std::string text = "[";
  for (const std::string& word : words) text += (text.size() == 1 ? "" : ", ") + config::toml_string(word);
  return text + "]";
}
/// A number that is none of its words is no word either.
template <class E>
requires std::is_enum_v<E> std::string value_of(E value) {
  for (const auto& word : config::words(value))
    if (word.value == value) return value_of(std::string(word.text));
  return value_of(static_cast<int>(value));
}

/// A text that is made line by line.
class Lines {
 public:
  Lines(std::string_view kind, const std::string& name) {
    add("name", "[" + std::string(kind) + "." + config::toml_string(name) + "]");
  }
  template <class T>
  void set(const char* key, const T& value) {
    add(key, std::string(key) + " = " + value_of(value));
  }
  template <class T>
  void set(const char* key, const std::optional<T>& value) {
    if (value) set(key, *value);
  }
  ProgramText with(const std::string& keys) && {
    all_.text += keys + (keys.empty() ? "" : "\n");
    return std::move(all_);
  }

 private:
  void add(const char* field, const std::string& line) {
    all_.fields.emplace_back(field);
    all_.text += line + "\n";
  }

  ProgramText all_;
};

}  // namespace

std::string ProgramText::place_of(config::Position at) const {
  const std::size_t line = static_cast<std::size_t>(std::max(at.line, 1)), own = fields.size();
  return line <= own ? fields[line - 1] : "keys, line " + std::to_string(line - own);
}

ProgramText text_of(const JobSpec& job) {
  Lines lines("job", job.name);
  lines.set("group", job.group);
  if (!job.schedule.empty()) lines.set("schedule", job.schedule);
  if (!job.command.empty()) lines.set("command", job.command);
  if (job.function) lines.set("function", job.name);
  lines.set("description", job.description);
  lines.set("timezone", job.timezone);
  lines.set("enabled", job.enabled);
  lines.set("run_on", job.run_on);
  lines.set("concurrency", job.concurrency);
  lines.set("jitter", job.jitter);
  lines.set("start_deadline", job.start_deadline);
  lines.set("deadline", job.deadline);
  lines.set("retries", job.retries);
  lines.set("retry_delay", job.retry_delay);
  lines.set("misfire", job.misfire);
  lines.set("guarantee", job.guarantee);
  lines.set("on_leadership_lost", job.on_leadership_lost);
  return std::move(lines).with(job.keys);
}

ProgramText text_of_group(const std::string& name, const std::string& keys) { return Lines("group", name).with(keys); }

}  // namespace ballot::library

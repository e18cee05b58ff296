#include "library/job_text.hpp"

#include <string_view>
#include <vector>

#include "config/toml_text.hpp"

namespace ballot::library {
namespace {

std::string list(const std::vector<std::string>& words) {
  std::string text = "[";
  for (const std::string& word : words) text += (text.size() == 1 ? "" : ", ") + config::toml_string(word);
  return text + "]";
}

std::string table(std::string_view kind, const std::string& name, const std::string& keys) {
  return "[" + std::string(kind) + "." + config::toml_string(name) + "]\n" + keys + (keys.empty() ? "" : "\n");
}

}  // namespace

std::string text_of(const JobSpec& job) {
  std::string own = "group = " + config::toml_string(job.group) + "\n";
  if (!job.schedule.empty()) own += "schedule = " + list(job.schedule) + "\n";
  if (!job.command.empty()) own += "command = " + list(job.command) + "\n";
  if (job.function) own += "function = " + config::toml_string(job.name) + "\n";
  return table("job", job.name, own + job.keys);
}

std::string text_of_group(const std::string& name, const std::string& keys) { return table("group", name, keys); }

}  // namespace ballot::library

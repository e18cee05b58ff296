#include "config/crontab/crontab_job.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "config/crontab/crontab_setting.hpp"
#include "config/toml_text.hpp"

namespace ballot::config {
namespace {

using Settings = std::map<std::string, std::string>;
using Keys = std::vector<std::pair<std::string, std::string>>;  // and values, as TOML

constexpr std::string_view usual_shell = "/bin/sh";
constexpr std::string_view path_of_cron = "/usr/bin:/bin";

std::string setting(const Settings& settings, const std::string& name, std::string_view otherwise) {
  const auto found = settings.find(name);
  return found != settings.end() ? found->second : std::string(otherwise);
}

/// The environment of a line, without the variables that every job has.
Settings environment_of(const CrontabEntry& entry, const CrontabJob& job, const std::string& timezone) {
  Settings environment = entry.settings;
  environment.emplace("PATH", path_of_cron);
  environment.erase("LOGNAME");
  if (timezone != job.timezone) environment.emplace("TZ", job.timezone);  // CRON_TZ is of the times alone
  if (setting(environment, "SHELL", "") == usual_shell) environment.erase("SHELL");
  return environment;
}

/// The address that cron mails a line's output to; "": nobody. The default, the user's name, is not checked.
std::string mail_recipient(const Settings& settings, const std::string& user) {
  const auto found = settings.find("MAILTO");
  if (found == settings.end()) return user;
  return is_mailed_to(found->second) ? found->second : "";
}

std::string as_text(const std::string& name, const Keys& keys) {
  std::size_t width = 0;
  for (const auto& [key, value] : keys)
    if (!key.starts_with("env.")) width = std::max(width, key.size());
  std::string text = "[job." + name + "]\n";
  for (const auto& [key, value] : keys)
    text += key + std::string(width - std::min(width, key.size()), ' ') + " = " + value + "\n";
  return text;
}

}  // namespace

Result<std::string> crontab_job(const CrontabEntry& entry, const CrontabJob& job) {
  const std::string shell = setting(entry.settings, "SHELL", usual_shell);
  const std::string timezone = setting(entry.settings, "CRON_TZ", job.timezone);
  const std::string home = setting(entry.settings, "HOME", "/");
  if (!shell.starts_with('/'))
    return Error{Errc::invalid, "SHELL is '" + shell + "', which cron cannot execute; write the path of the shell"};
  if (!home.starts_with('/')) return Error{Errc::invalid, "HOME is '" + home + "'; write a path that begins with /"};
  const std::string command = toml_string(entry.command);
  const std::string working_dir = job.working_dir.empty() ? setting(entry.settings, "HOME", "") : job.working_dir;
  Keys keys{{"schedule", toml_string(entry.schedule)}, {"timezone", toml_string(timezone)}};
  if (job.run_on == RunOn::each) keys.emplace_back("run_on", toml_string("each"));
  if (shell == usual_shell)
    keys.emplace_back("shell", command);
  else
    keys.emplace_back("command", "[" + toml_string(shell) + ", \"-c\", " + command + "]");
  if (!entry.input.empty()) keys.emplace_back("stdin", toml_string(entry.input));
  keys.emplace_back("user", toml_string(job.user));
  if (!working_dir.empty()) keys.emplace_back("working_dir", toml_string(working_dir));
  if (const std::string to = mail_recipient(entry.settings, job.user); !to.empty()) {
    keys.emplace_back("mail_to", toml_string(to));
    keys.emplace_back("mail_on", toml_string("output"));
  }
  keys.emplace_back("concurrency", toml_string("allow"));
  keys.emplace_back("misfire", toml_string("skip"));
  keys.emplace_back("on_leadership_lost", toml_string("finish"));
  keys.emplace_back("background", toml_string("leave"));
  for (const auto& [name, value] : environment_of(entry, job, timezone))
    keys.emplace_back("env." + name, toml_string(value));
  return as_text(job.name, keys);
}

}  // namespace ballot::config

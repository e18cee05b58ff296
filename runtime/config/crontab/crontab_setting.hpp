// A line `NAME = VALUE` of a crontab, read as Debian's cron does.
//
// Blanks around `=` and at the end do not count; name and value may each be in quotes, single or double. Nothing is
// expanded and nothing is a comment: `PATH=$PATH:/opt/bin # mine` is all value. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "config/crontab/crontab_time.hpp"

namespace ballot::config {

struct CrontabSetting {
  std::string name, value;
  bool bare = false;  // there is nothing behind the `=`: Debian's cron refuses the crontab, others take it as empty
};

/// Reads a setting. None: the line is no setting, and cron reads times and a command. Requires: no blanks in front.
std::optional<std::variant<CrontabSetting, CrontabFault>> read_crontab_setting(std::string_view line);

/// Whether cron mails what a line prints to this MAILTO: it refuses addresses of unusual characters, also blanks.
bool is_mailed_to(std::string_view address);

}  // namespace ballot::config

// The simple commands of a line for the shell, with their words: enough to name a job by, not to run one. Quotes are
// taken off; nothing is expanded. Pure.
//
//   shell_commands("cd / && tar c 'a b' > /srv/x.tar")   // {cd /}, {tar c "a b"} with the target "/srv/x.tar"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ballot::config {

struct ShellCommand {
  std::vector<std::string> words;  // without redirections
  std::string target;              // the first file that the output goes to; "": none, or /dev/null
};

/// The simple commands of a line that have words, in order.
std::vector<ShellCommand> shell_commands(std::string_view text);

}  // namespace ballot::config

// Programs: what the system says of the files that jobs execute, each asked for once. Threads: one.
//
//   if (programs.at("/usr/bin/sudo").changes_identity) ...
#pragma once

#include <map>
#include <string>

namespace ballot::config {

struct Program {
  bool changes_identity = false;   // it has a setuid or setgid bit
  std::string writable_by_others;  // what of it, or of the way to it, and how; "": only root may write to it
};

class Programs {
 public:
  /// Of a path that is relative, or names no file, nothing is known.
  const Program& at(const std::string& path);

 private:
  std::map<std::string, Program, std::less<>> known_;
};

}  // namespace ballot::config

// Programs: what the system says of the files that jobs execute and of the folders that they run in, each asked for
// once. Threads: one.
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
  /// The facts of the program at an absolute path; a default Program for a relative path or a missing file.
  const Program& at(const std::string& path);

  /// The folder or link by which others than root could lead a run elsewhere, or change what lies in the folder `path`,
  /// and how; "": there is none. A sticky folder such as /tmp is well: nobody replaces what is another user's there.
  const std::string& fault_of_folder(const std::string& path);

 private:
  std::map<std::string, Program, std::less<>> known_;
  std::map<std::string, std::string, std::less<>> folders_;
};

}  // namespace ballot::config

// Runs a program as another user, to its end. Needs root.
//
//   const Ran ran = run_as({.uid = 65534, .groups = {group_id("staff")}}, {BALLOT_PROGRAM, "jobs"});
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/process/run_program.hpp"

namespace ballot::testing {

struct User {
  uid_t uid = 65534;
  gid_t gid = 65534;
  std::vector<gid_t> groups = {};  // beside gid
};

inline gid_t group_id(const std::string& name) {
  const group* const found = ::getgrnam(name.c_str());
  if (found == nullptr) throw std::runtime_error("this machine has no group " + name);
  return found->gr_gid;
}

/// The program's file is opened before the user changes, so that the folders on the way to it need not be open to all.
inline Ran run_as(const User& user, const std::vector<std::string>& arguments) {
  const TempFolder folder;
  const std::string out = folder.write("out", ""), err = folder.write("err", "");
  const UniqueFd program(::open(arguments.at(0).c_str(), O_PATH | O_CLOEXEC));
  const UniqueFd to_out(::open(out.c_str(), O_WRONLY | O_CLOEXEC)), to_err(::open(err.c_str(), O_WRONLY | O_CLOEXEC));
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  char path[] = "PATH=/usr/bin:/bin";
  char* environment[] = {path, nullptr};
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_other = ::setgroups(user.groups.size(), user.groups.data()) == 0 &&
                          ::setresgid(user.gid, user.gid, user.gid) == 0 &&
                          ::setresuid(user.uid, user.uid, user.uid) == 0;
    if (!is_other || ::dup2(to_out.get(), 1) < 0 || ::dup2(to_err.get(), 2) < 0) ::_exit(254);
    ::fexecve(program.get(), argv.data(), environment);
    ::_exit(255);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) throw std::runtime_error("cannot run a program");
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out), text_of(err)};
}

}  // namespace ballot::testing

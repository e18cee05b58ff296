// Runs a program at a terminal of its own, where somebody answers what it asks.
//
//   const AtTerminal ran = run_at_terminal({BALLOT_PROGRAM, "election", "evict", "g"}, "[y/N]", "n\n");
#pragma once

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"

namespace ballot::testing {

struct AtTerminal {
  int code = -1;  // 128 + n for signal n
  std::string shown;
};

/// `answer` is typed once `question` is shown; "": nobody answers.
inline AtTerminal run_at_terminal(std::vector<std::string> arguments, const std::string& question = "",
                                  const std::string& answer = "") {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int master = -1;
  const pid_t pid = ::forkpty(&master, nullptr, nullptr, nullptr);
  if (pid < 0) throw std::runtime_error("no terminal for a program");
  if (pid == 0) {
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  const UniqueFd terminal(master);
  AtTerminal ran;
  bool answered = answer.empty();
  char bytes[512];
  for (ssize_t size; (size = ::read(terminal.get(), bytes, sizeof bytes)) > 0;) {
    ran.shown.append(bytes, static_cast<std::size_t>(size));
    if (answered || ran.shown.find(question) == std::string::npos) continue;
    answered = ::write(terminal.get(), answer.data(), answer.size()) > 0;
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

}  // namespace ballot::testing

// Runs a program: to its end, keeping what it said; or beside the test.
//
//   const Ran ran = run_program({BALLOT_PROGRAM, "check", "x.toml"}, {"BALLOT_CONFIG=y.toml"});
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {

struct Ran {
  int code = -1;  // 128 + n for signal n
  std::string out, err;
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A program that runs, its standard output to be read line by line; killed with this object if it has not ended.
class Running {
 public:
  /// `environment` is the whole of it but for PATH.
  explicit Running(std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    out_.reset(ends[0]);
    const UniqueFd child_end(ends[1]);
    pid_ = spawn(std::move(arguments), std::move(environment), child_end.get());
  }
  ~Running() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), wait();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// The next line; "" if none comes within ten seconds, or the output has ended.
  std::string line() {
    while (read_.find('\n') == std::string::npos) {
      pollfd waiting{out_.get(), POLLIN, 0};
      char chunk[4096];
      if (::poll(&waiting, 1, 10'000) <= 0) return {};
      const ssize_t size = ::read(out_.get(), chunk, sizeof chunk);
      if (size <= 0) return {};
      read_.append(chunk, static_cast<std::size_t>(size));
    }
    const std::string text = read_.substr(0, read_.find('\n'));
    read_.erase(0, text.size() + 1);
    return text;
  }
  void stop_reading() { out_.reset(); }
  void send(int signal) const {
    if (pid_ > 0) ::kill(pid_, signal);
  }

  /// How it ended; 128 + n for signal n.
  int wait() {
    int status = 0;
    if (::waitpid(std::exchange(pid_, -1), &status, 0) < 0) throw std::runtime_error("cannot wait for a child");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// Standard output goes to `out`, standard error to `err`, or to this process's own. Signals that this process
  /// ignores, as one that a shell started in the background does, end the child all the same.
  static pid_t spawn(std::vector<std::string> arguments, std::vector<std::string> environment, int out, int err = 2) {
    environment.push_back("PATH=/usr/bin:/bin");
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> all;
      for (std::string& text : texts) all.push_back(text.data());
      all.push_back(nullptr);
      return all;
    };
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out, 1);
    ::posix_spawn_file_actions_adddup2(&actions, err, 2);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t end;
    ::sigemptyset(&end);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) ::sigaddset(&end, signal);
    ::posix_spawnattr_setsigdefault(&attributes, &end);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t pid = 0;
    const int failed = ::posix_spawn(&pid, arguments.front().c_str(), &actions, &attributes, pointers(arguments).data(),
                                     pointers(environment).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("cannot run " + arguments.front());
    return pid;
  }

 private:
  pid_t pid_ = -1;
  UniqueFd out_;
  std::string read_;
};

/// `environment` is the whole of it but for PATH. Standard output goes to `out_path`, if one is given.
inline Ran run_program(std::vector<std::string> arguments, std::vector<std::string> environment = {},
                       const std::string& out_path = "") {
  const TempFolder folder;
  const std::string out_name = out_path.empty() ? folder / "out" : out_path;
  const UniqueFd out(::open(out_name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const UniqueFd err(::open((folder / "err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const pid_t pid = Running::spawn(std::move(arguments), std::move(environment), out.get(), err.get());
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid) throw std::runtime_error("cannot wait for a child");
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, out_path.empty() ? text_of(out_name) : "", text_of(folder / "err")};
}

}  // namespace ballot::testing

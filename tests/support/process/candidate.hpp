// CandidateProcess: a real `ballot run ...` or `ballot election ...` beside others of one folder, with its log to wait
// on; its children report to one file that all share.
//
//   ElectionFolder folder;
//   CandidateProcess a(folder, {"run", "once", "--candidate-id", "a", "--", "/bin/sh", "-c", folder.saying("sleep
//   1")}); ASSERT_TRUE(a.wait_for("child started")); EXPECT_EQ(a.stop(SIGTERM), 143);
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "support/process/process_facts.hpp"
#include "support/process/run_program.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {

using Arguments = std::vector<std::string>;

/// `ballot run once` of a candidate that goes on after a success, if the flags do not say otherwise; the configuration
/// comes later.
inline Arguments once(const std::string& candidate, const Arguments& flags, const Arguments& command) {
  Arguments all{"run", "once", "--candidate-id", candidate};
  const bool is_told = std::find(flags.begin(), flags.end(), "--on-child-success") != flags.end();
  if (!is_told) all.insert(all.end(), {"--on-child-success", "reelect"});
  all.insert(all.end(), flags.begin(), flags.end());
  all.emplace_back("--");
  all.insert(all.end(), command.begin(), command.end());
  return all;
}
inline Arguments shell(const std::string& script) { return {"/bin/sh", "-c", script}; }
inline bool is_gone(pid_t pid) { return state_of(pid) == '-' || state_of(pid) == 'Z'; }

/// A configuration, a store, and the file that children write to.
class ElectionFolder {
 public:
  explicit ElectionFolder(const std::string& more = "") {
    folder.write("ballot.toml",
                 "state_dir = \"" + (folder / "state") + "\"\nrun_dir = \"" + (folder / "run") + "\"\n" + more);
    folder.write("said", "");
  }

  /// A shell script that says START, does `what`, and says END; each with its pid, its time in milliseconds and its
  /// BALLOT_NODE, _EPOCH and _SLOT. It has a lock meanwhile, and says OVERLAP if another one has it.
  std::string saying(const std::string& what) const {
    const std::string lock =
        "exec 9>> " + (folder / "lock") + "; flock -n 9 || echo OVERLAP $$ >> " + (folder / "said") + "; ";
    const auto line = [this](const char* word) {
      return "echo " + std::string(word) + " $$ $(date +%s%3N) $BALLOT_NODE ${BALLOT_EPOCH:--} ${BALLOT_SLOT:--} >> " +
             (folder / "said") + "; ";
    };
    return lock + line("START") + what + "; " + line("END");
  }
  /// The lines that begin with `word`.
  std::vector<std::string> said(const std::string& word = "") const {
    std::istringstream text(text_of(folder / "said"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
      if (line.starts_with(word)) lines.push_back(line);
    return lines;
  }
  bool wait_until_said(const std::string& word, std::size_t count = 1) const {
    return wait_until([&] { return said(word).size() >= count; });
  }
  std::string config() const { return folder / "ballot.toml"; }

  const TempFolder folder;
};

/// Field `n` of a line that a child said.
inline std::string field(const std::string& line, int n) {
  std::istringstream words(line);
  std::string word;
  for (int i = 0; i <= n; ++i) words >> word;
  return word;
}
inline pid_t pid_of(const std::string& line) { return static_cast<pid_t>(std::stoi(field(line, 1))); }
inline std::int64_t time_of(const std::string& line) { return std::stoll(field(line, 2)); }

class CandidateProcess {
 public:
  /// `arguments`: of ballot; the configuration is put in before `--`.
  CandidateProcess(const ElectionFolder& shared, std::vector<std::string> arguments,
                   std::vector<std::string> environment = {}) {
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    arguments.insert(end, {"--config", shared.config()});
    arguments.insert(arguments.begin(), BALLOT_PROGRAM);
    const UniqueFd out(::open((own_ / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0600));
    const UniqueFd err(::open((own_ / "err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0600));
    pid_ = Running::spawn(std::move(arguments), std::move(environment), out.get(), err.get());
  }
  ~CandidateProcess() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  CandidateProcess(const CandidateProcess&) = delete;
  CandidateProcess& operator=(const CandidateProcess&) = delete;

  std::string out() const { return text_of(own_ / "out"); }
  std::string log() const { return text_of(own_ / "err"); }
  /// Lines of the log with `text` in them.
  std::size_t count(const std::string& text) const {
    const std::string all = log();
    std::size_t found = 0;
    for (std::size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) ++found;
    return found;
  }
  bool wait_for(const std::string& text, std::size_t times = 1) const {
    return wait_until([&] { return count(text) >= times; });
  }

  pid_t pid() const { return pid_; }
  void send(int signal) const {
    if (pid_ > 0) ::kill(pid_, signal);
  }
  /// How it ended; 128 + n for signal n. Kills what does not end within half a minute.
  int wait() {
    int status = 0;
    if (!wait_until([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) {
      send(SIGKILL);
      ::waitpid(pid_, &status, 0);
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// Stopped by `signal` about the end of a run: it ends as the signal says, or as a child does that has just ended
  /// well.
  bool stops_between_runs(int signal) {
    const int code = stop(signal);
    return code == 128 + signal || code == 0;
  }
  int stop(int signal) {
    send(signal);
    return wait();
  }
  /// The process that keeps its child.
  pid_t guard() const {
    const auto children = children_of(pid_);
    return children.empty() ? -1 : children.front();
  }

 private:
  const TempFolder own_;
  pid_t pid_ = -1;
};

/// The embedded store of a folder, locked by a writer that never finishes: until this object goes nobody can take part.
class LockedStore {
 public:
  /// The store is first made, by a candidate that ends at once.
  explicit LockedStore(const ElectionFolder& folder) {
    CandidateProcess maker(folder, once("maker", {"--on-child-success", "exit"}, {"/bin/true"}));
    if (maker.wait() != 0) throw std::runtime_error("the store cannot be made: " + maker.log());
    lock_.reset(::open((folder.folder / "state/local/ballot/lock").c_str(), O_RDWR | O_CLOEXEC));
    struct flock writers {};  // the bytes that daemons lock as they write; below them are those of their sessions
    writers.l_type = F_WRLCK;
    writers.l_whence = SEEK_SET;
    writers.l_start = off_t{1} << 61;
    writers.l_len = 1;
    if (::fcntl(lock_.get(), F_OFD_SETLK, &writers) != 0) throw std::runtime_error("the store cannot be locked");
  }
  void let_go() { lock_.reset(); }

 private:
  UniqueFd lock_;
};

}  // namespace ballot::testing

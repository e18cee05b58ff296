// Oracle: is outside all faults; every probe reports its START and its END to it. Each probe has a socket open to it,
// so that it also sees the end of those that are killed, and can order those that wait how to end. Knows nothing of
// daemons and ledgers.
//
// A killed probe is seen gone a little late. That never makes an overlap: when a START is handled, every other probe
// of that job is first asked whether it lives, and one that does not was gone before that START.
//
// Threads: any; it has one of its own.
//
//   Oracle oracle(folder / "oracle");
//   daemon.job("tick", "schedule = \"* * * * * *\"\n" + oracle.command({"--for", "200ms"}));
//   ASSERT_TRUE(oracle.wait_until([](const Reports& all) { return all.size() >= 3; }));
//   oracle.end("tick", 7);                      // all of it that wait: exit code 7
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"
#include "support/judge/report.hpp"

namespace ballot::testing {

using Reports = std::vector<Report>;

class Oracle {
 public:
  /// Listens at `path`, at most 107 bytes. Throws std::runtime_error.
  explicit Oracle(std::string path);
  ~Oracle();
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  const std::string& path() const { return path_; }
  /// A job file's line `command = [...]`: the probe with these orders.
  std::string command(const std::vector<std::string>& orders = {}) const;

  /// In the order in which they were handled.
  Reports reports() const;
  Reports reports(const std::string& job) const;
  /// False: `limit` passed first. `seen` is asked after each message, under the oracle's lock.
  bool wait_until(const std::function<bool(const Reports&)>& seen,
                  std::chrono::seconds limit = std::chrono::seconds(30)) const;

  /// What every living probe of `job` that waits exits with.
  void end(const std::string& job, int exit_code);
  /// Messages that no probe of a run sends; none in a sound test.
  std::vector<std::string> unread() const;

 private:
  struct Line {  // one probe's socket
    UniqueFd socket;
    std::optional<std::size_t> report;  // its number; none before its START
  };

  void listen();
  void accept_all();
  void take(int socket);
  void on_message(Line& line, std::string_view message);
  void settle_the_gone(const Report& next);
  void close(int socket);

  const std::string path_;
  UniqueFd listener_, poller_, wakeup_;
  mutable std::mutex mutex_;
  mutable std::condition_variable heard_;
  Reports reports_;
  std::vector<std::string> unread_;
  std::map<int, Line> lines_;  // by socket
  std::thread thread_;
};

}  // namespace ballot::testing

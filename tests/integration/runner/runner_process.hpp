// RunnerProcess: a ballot-runner of its own for a test, and a daemon's end of its socket. Every wait has a time-out.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"

namespace ballot::runner {

/// Whether the environment of the tests says to runners that there are no cgroups, which needs failpoints.
bool without_cgroups();

struct RunnerOptions {
  std::optional<Millis> linger = {};
  std::optional<uid_t> user = {};                         // root's tests: whom the runner runs as
  std::string failpoints = {};                            // rules, as in base/failpoint.hpp
  std::string cgroup = {};                                // root's tests: the folder of the one that it starts in
  std::optional<rlim_t> open_files = {}, processes = {};  // its limits, soft and hard
};

class RunnerProcess {
 public:
  /// Throws, with "did not start" in it, where the runner ended instead.
  explicit RunnerProcess(RunnerOptions options = {});
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;
  ~RunnerProcess();

  pid_t pid() const { return pid_; }
  const std::string& folder() const { return folder_; }
  std::string socket_path() const { return folder_ + "/runner.sock"; }

  ToRunner role = Command{"test"};  // what is said first over the next connection
  /// Connects (anew); false if nobody listens.
  bool dial();
  /// Connects (anew) and takes Hello; what follows it is left to be read.
  void connect();
  void disconnect() { connection_.reset(); }
  /// The connection, to be kept open while connect() makes another.
  UniqueFd take_connection() { return std::move(connection_); }
  /// One that was taken.
  void adopt_connection(UniqueFd connection) {
    passed_.clear();
    reader_ = {};
    connection_ = std::move(connection);
  }
  bool connected() const { return static_cast<bool>(connection_); }

  void send(const ToRunner& message);
  void send_bytes(std::string_view bytes);

  /// The next message; none at the end of the connection. A test that waits longer than 20 s ends.
  std::optional<FromRunner> next();

  /// The next message that has come already.
  std::optional<FromRunner> next_if_there();

  /// The next T, of the attempt where one is named; what comes before it is kept for later calls.
  template <class T>
  T wait(const std::optional<AttemptId>& id = {}) {
    for (auto it = passed_.begin(); it != passed_.end(); ++it)
      if (matches<T>(*it, id)) {
        T found = std::get<T>(*it);
        passed_.erase(it);
        return found;
      }
    while (auto message = next()) {
      if (matches<T>(*message, id)) return std::get<T>(*message);
      passed_.push_back(std::move(*message));
    }
    ADD_FAILURE() << "the runner closed the connection";
    return {};
  }

  /// Waits until `text` is in what the attempt streamed; gives all of it.
  std::string wait_printed(const AttemptId& id, std::string_view text);

  /// Sends it and waits for its end.
  Ended run(const Start& start);

  /// Waits until the process has gone.
  void wait_gone();

  std::size_t descriptors() const;
  std::int64_t resident_kib() const;
  Millis processor_time() const;
  std::vector<pid_t> children() const;

 private:
  template <class T>
  static bool matches(const FromRunner& message, const std::optional<AttemptId>& id) {
    const T* wanted = std::get_if<T>(&message);
    if constexpr (requires { wanted->id; }) return wanted && (!id || wanted->id == *id);
    return wanted != nullptr;
  }

  void start(const RunnerOptions& options);
  std::string passed_by() const;

  std::string folder_;
  pid_t pid_ = 0;
  UniqueFd process_;
  UniqueFd connection_;
  FrameReader reader_;
  std::deque<FromRunner> passed_;
};

/// A Start with an id of its own that may begin within a minute, run by /bin/sh.
Start shell(const std::string& script);
Start command(std::vector<std::string> argv);

/// Started, and past its `echo ready`.
Start ready(RunnerProcess& runner, Start start);

/// All that was kept of it.
std::string printed(const Ended& ended);

SteadyTime steady();

/// Waits until the process has gone, by its number. At once where there is none.
void wait_process_gone(pid_t pid);
bool process_exists(pid_t pid);

}  // namespace ballot::runner

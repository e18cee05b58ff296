// BallotDaemon: a real `ballot serve` of its own folder, with its log to wait on and its ledger to read. The log is a
// file, so that a daemon whose log nobody reads goes on.
//
//   BallotDaemon daemon;
//   daemon.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
//   daemon.start();
//   daemon.wait_for("succeeded", 3);            // three lines of the log that say so
//   EXPECT_EQ(daemon.stop(), 0);
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/duration.hpp"
#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "storage/reader.hpp"
#include "support/judge/deed.hpp"
#include "support/process/run_program.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {

class BallotDaemon {
 public:
  /// What ballot.toml says of a new daemon's backend, at its end; without it the embedded one.
  static inline std::function<std::string()> backend;

  explicit BallotDaemon(std::string node = "n1") : BallotDaemon(std::move(node), backend ? backend() : "") {}
  BallotDaemon(std::string node, std::string on_backend) : node_(std::move(node)), backend_(std::move(on_backend)) {
    std::filesystem::create_directory(folder / "jobs.d");
    folder.write("log", "");
    ::inotify_add_watch(log_grows_.get(), (folder / "log").c_str(), IN_MODIFY);
    configure("");
  }
  ~BallotDaemon() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    end_runner();
  }
  BallotDaemon(const BallotDaemon&) = delete;
  BallotDaemon& operator=(const BallotDaemon&) = delete;

  /// T of the next start; of the backend it is what that says, else the default.
  void session_timeout(Millis timeout) {
    const std::string key = "session_timeout = \"";
    if (backend_.empty()) backend_ = "[coordination]\n" + key + "\"\n";
    const std::size_t from = backend_.find(key) + key.size();
    backend_.replace(from, backend_.find('"', from) - from, format_duration(timeout));
    configure("");
  }

  /// Rewrites ballot.toml with `more` behind what every test needs.
  void configure(const std::string& more) {
    folder.write("ballot.toml", "node = \"" + node_ + "\"\njobs_dir = \"" + (folder / "jobs.d") + "\"\nstate_dir = \"" +
                                    (folder / "state") + "\"\nrun_dir = \"" + (folder / "run") + "\"\n" + more + "\n" +
                                    backend_);
  }
  /// Another store from the next start on: what ballot.toml says of it.
  void move_to(std::string on_backend) {
    backend_ = std::move(on_backend);
    configure("");
  }
  /// A file jobs.d/NAME.toml with one job; replaced as a whole, as configuration management does.
  void job(const std::string& name, const std::string& keys) { file(name, "[job." + name + "]\n" + keys + "\n"); }
  void file(const std::string& name, const std::string& text) {
    if (!deeds_.empty()) did({"edit", name});  // it has run, and knows another one
    folder.write("new", text);
    std::filesystem::rename(folder / "new", folder / ("jobs.d/" + name + ".toml"));
  }
  void remove(const std::string& name) {
    if (!deeds_.empty()) did({"edit", name});  // it has run, and knows another one
    std::filesystem::remove(folder / ("jobs.d/" + name + ".toml"));
  }

  void start(std::vector<std::string> flags = {}) {
    read_log();
    read_ = log.size();  // what an earlier one said is past
    const UniqueFd child_end(::open((folder / "log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    std::vector<std::string> arguments{program, "serve", "--config", folder / "ballot.toml"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    did({"start"});
    pid_ = Running::spawn(std::move(arguments), environment, 1, child_end.get());
    ended_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  }

  /// Reads the log until `count` more lines have `text` in them. False: that took longer than `limit`, or it ended.
  bool wait_for(const std::string& text, int count = 1, std::chrono::seconds limit = std::chrono::seconds(30)) {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (true) {
      const bool ended = has_ended();  // asked before the log is read: what it said last is in there
      read_log();
      for (std::size_t end = log.find('\n', read_); end != std::string::npos; end = log.find('\n', read_)) {
        const bool found = log.substr(read_, end - read_).find(text) != std::string::npos;
        read_ = end + 1;
        if (found && --count == 0) return true;
      }
      const auto left = std::chrono::ceil<Millis>(until - std::chrono::steady_clock::now());
      if (ended || left.count() <= 0) return false;
      pollfd waiting[] = {{log_grows_.get(), POLLIN, 0}, {ended_.get(), POLLIN, 0}};
      ::poll(waiting, 2, static_cast<int>(left.count()));
      char events[4096];
      if (waiting[0].revents) (void)!::read(log_grows_.get(), events, sizeof events);
    }
  }

  /// Takes what it has logged since.
  void read_log() {
    std::ifstream file(folder / "log", std::ios::binary);
    file.seekg(static_cast<std::streamoff>(log.size()));
    log.append(std::istreambuf_iterator<char>(file), {});
  }

  void send(int signal) const {
    for (const auto& [number, name] : {std::pair(SIGTERM, "TERM"), {SIGSTOP, "STOP"}, {SIGCONT, "CONT"}})
      if (signal == number) did({name});
    if (pid_ > 0) ::kill(pid_, signal);
  }
  void kill() {
    did({"KILL"});
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
    ended_.reset();
  }
  /// TERM, and how it ended.
  int stop() {
    send(SIGTERM);
    return wait();
  }
  /// Kills what does not end within a minute.
  int wait() {
    if (pid_ <= 0) return -1;  // it does not run; kill(-1) would be meant for every process
    pollfd ending{ended_.get(), POLLIN, 0};
    if (::poll(&ending, 1, 60'000) <= 0) ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    ended_.reset();
    read_log();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  pid_t pid() const { return pid_; }
  bool has_ended() const {
    pollfd ended{ended_.get(), POLLIN, 0};
    return pid_ <= 0 || ::poll(&ended, 1, 0) > 0;
  }
  const std::string& node() const { return node_; }

  /// `ballot COMMAND ...` with this daemon's configuration; `of_command`: the command's environment.
  Ran ballot(std::vector<std::string> arguments, std::vector<std::string> of_command = {}) const {
    const std::size_t deed = did(arguments);
    arguments.insert(arguments.begin(), program);
    arguments.insert(arguments.end(), {"--config", folder / "ballot.toml"});
    Ran ran = run_program(std::move(arguments), std::move(of_command));
    const std::lock_guard lock(mutex_);
    deeds_[deed].until = wall_now();
    deeds_[deed].done = ran.code == 0;
    return ran;
  }

  /// The ledger, oldest first.
  std::vector<Row> rows(const std::string& job = "") const {
    (void)ballot({"history", "--limit", "1"});  // a living daemon writes what it has gathered
    std::vector<Row> rows;
    auto reader = storage::Reader::open(history);
    if (!reader) return rows;
    storage::Filter filter;
    if (!job.empty()) filter.jobs = {job};
    filter.limit = 1'000'000;
    (void)reader->history(filter, [&](const Row& row) { return rows.insert(rows.begin(), row), true; });
    return rows;
  }

  /// What was done to it and asked of it.
  std::vector<Deed> deeds() const {
    const std::lock_guard lock(mutex_);
    return deeds_;
  }
  static WallTime wall_now() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

  /// A daemon that was killed leaves its runner behind, which says who it is, and ends on TERM: then it says how its
  /// runs have ended, to whoever asks meanwhile. Returns when it is gone.
  void end_runner(int signal = SIGTERM) const {
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder / "run/runner.sock").copy(address.sun_path, sizeof address.sun_path - 1);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    runner::FrameReader frames;
    char chunk[4096];
    for (ssize_t size = 1; (size = ::read(socket.get(), chunk, sizeof chunk)) > 0;) {
      frames.feed({chunk, static_cast<std::size_t>(size)});
      const auto message = frames.next_from_runner();
      if (!message || !*message) continue;
      const auto* hello = std::get_if<runner::Hello>(&**message);
      if (!hello) return;
      const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(hello->pid), 0)));
      ::kill(static_cast<pid_t>(hello->pid), signal);
      pollfd ending{process.get(), POLLIN, 0};
      if (process) ::poll(&ending, 1, 10'000);
      return;
    }
  }

  const TempFolder folder;
  std::string log;
  std::string program = BALLOT_PROGRAM;               // of the next start() and ballot()
  std::string history = folder / "state/history.db";  // where rows() looks
  std::vector<std::string> environment;               // of the next start(), but for PATH

 private:
  std::size_t did(std::vector<std::string> words) const {
    const std::lock_guard lock(mutex_);
    deeds_.push_back({.node = node_, .words = std::move(words), .from = wall_now(), .until = wall_now()});
    return deeds_.size() - 1;
  }
  const std::string node_;
  std::string backend_;
  mutable std::mutex mutex_;  // tests ask for things on several threads
  mutable std::vector<Deed> deeds_;
  pid_t pid_ = -1;
  UniqueFd ended_;  // readable once it has
  UniqueFd log_grows_{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  std::size_t read_ = 0;
};

}  // namespace ballot::testing

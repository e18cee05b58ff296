// LocalBackend: the embedded backend. Its calls only enqueue; a thread of its own holds the Session with its files and
// carries out whatever waits in one commit. That thread ends the session too when the loop has not renewed it for T,
// and hears what other daemons do. Layers: this (queue, thread, timers) - Session, Observer (what calls mean) -
// RegisterDb, LockFile, Bell, Neighbours (the files, the others).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "ballot/backend.hpp"
#include "calls.hpp"
#include "observer.hpp"
#include "session.hpp"
#include "standing.hpp"
#include "wakeup.hpp"

namespace ballot::local {

class LocalBackend final : public Backend {
 public:
  /// Nothing is opened or made before open(). Throws std::system_error where there is no thread or descriptor to be
  /// had.
  LocalBackend(Host& host, std::string folder);
  /// Carries out what was asked before, resigns, and joins the thread: a commit or two.
  ~LocalBackend() override;
  LocalBackend(const LocalBackend&) = delete;
  LocalBackend& operator=(const LocalBackend&) = delete;

  void open(const SessionRequest& request) noexcept override;
  void renew(RequestId request) noexcept override;
  void campaign(const std::string& group) noexcept override;
  void resign(const std::string& group) noexcept override;
  void write(RequestId request, std::vector<RegisterWrite> batch) noexcept override;
  void read(RequestId request, std::vector<std::string> names) noexcept override;
  void create(RequestId request, std::vector<Record> records) noexcept override;
  void remove(RequestId request, std::vector<std::string> names) noexcept override;
  void watch(const std::string& prefix) noexcept override;
  void observe(RequestId request, const std::string& group) noexcept override;
  void evict(RequestId request, const std::string& group) noexcept override;
  void list(RequestId request, std::string prefix) noexcept override;
  void close(bool keep) noexcept override;

 private:
  struct OpenCall {
    SessionRequest request;
    SteadyTime asked{};
  };
  struct CloseCall {
    bool keep = false;
  };
  using Request = std::variant<OpenCall, CloseCall, Call>;

  void enqueue(Request request);
  std::vector<Request> take();

  // The thread's own.
  void run() noexcept;
  std::optional<SteadyTime> next_due() const;
  void serve(std::vector<Request> requests);
  void serve(const OpenCall& call);
  void serve(const CloseCall& call);
  void carry_out(std::vector<Call>& calls);
  void expire();
  void open_session(const Session::Opening& opening);
  void observe(const Session::Opening& opening);
  void hear();
  void look();
  void publish(Events events);
  void finish(Cause cause, std::string text);
  bool wait_for_file(int tries) const;

  Host& host_;
  const std::string folder_;
  Wakeup wakeup_;
  std::mutex mutex_;
  std::vector<Request> queue_;  // under mutex_
  std::atomic<bool> stopping_{false};
  Millis timeout_{0};      // the loop's: T
  bool observer_ = false;  // the loop's
  /// When the session ends if nobody asks to renew it before. Set by the loop only.
  std::atomic<SteadyTime> expires_{};

  std::uint64_t generation_ = 0;
  std::unique_ptr<Standing> standing_;
  std::int64_t session_ = 0;  // its id; 0: none, or an observer's
  std::set<std::int64_t> spent_;
  SteadyTime next_look_{};
  SteadyTime rested_{};  // no look before: looking in vain takes a tenth of the time at most
  std::thread thread_;   // last: it sees the others made
};

}  // namespace ballot::local

// Worker: the thread of a LocalBackend, which holds the Session with its files and carries out whatever waits in one
// commit. It ends the session too when the loop has not renewed it for T, and hears what other daemons do. Knows
// nothing of the loop: requests come in a queue, answers go to an Outlet.
//
//   auto worker = std::make_shared<Worker>(host, folder);
//   std::thread thread([worker] { worker->run(); });   ... worker->ask(call) ...
//   worker->stop();  if (worker->wait_ended(2s)) thread.join(); else worker->abandon(), thread.detach();
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "ballot/backend.hpp"
#include "observer.hpp"
#include "session.hpp"
#include "standing.hpp"
#include "support/calls.hpp"
#include "support/wakeup.hpp"

namespace ballot::local {

/// A host until it is closed; afterwards what comes is dropped.
class Outlet final : public Host {
 public:
  explicit Outlet(Host& host) : host_(&host) {}
  void post(BackendEvent event) noexcept override;
  void log(Level level, std::string_view text) noexcept override;
  void close() noexcept;

 private:
  std::mutex mutex_;
  Host* host_;  // under mutex_
};

struct OpenCall {
  SessionRequest request;
  SteadyTime asked{};
};
struct CloseCall {
  bool keep = false;
};
using WorkerCall = std::variant<OpenCall, CloseCall, Call>;

class Worker {
 public:
  /// Throws std::system_error where there is no descriptor to be had.
  Worker(Host& host, std::string folder) : host_(host), folder_(std::move(folder)) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // From any thread.
  void ask(WorkerCall call);
  /// When the session ends if nobody asks to renew it before.
  void set_expiry(SteadyTime at) noexcept { expires_ = at; }
  SteadyTime expiry() const noexcept { return expires_; }
  /// What was asked before is carried out; then run() returns.
  void stop();
  /// False: it still waits for its disk.
  bool wait_ended(Millis limit);
  /// Nothing is posted or logged any more.
  void abandon() noexcept { host_.close(); }

  void run() noexcept;

 private:
  std::vector<WorkerCall> take();
  std::optional<SteadyTime> next_due() const;
  void serve(std::vector<WorkerCall> calls);
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

  Outlet host_;
  const std::string folder_;
  Wakeup wakeup_;
  std::mutex mutex_;
  std::vector<WorkerCall> queue_;  // under mutex_
  bool ended_ = false;             // under mutex_
  std::condition_variable end_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> renewal_waits_{false};  // in the queue: nothing else may wait for long
  std::atomic<SteadyTime> expires_{};

  // The thread's own.
  std::uint64_t generation_ = 0;
  StuckWriter stuck_;
  std::unique_ptr<Standing> standing_;
  std::int64_t session_ = 0;  // its id; 0: none, or an observer's
  std::set<std::int64_t> spent_;
  SteadyTime next_look_{};
  SteadyTime rested_{};  // no look before: looking in vain takes a tenth of the time at most
};

}  // namespace ballot::local

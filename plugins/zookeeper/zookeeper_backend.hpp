// ZookeeperBackend: the backend on an ensemble of ZooKeeper. Its calls only enqueue; a thread of its own holds the
// Session and hears what the client library's threads tell. That thread ends the session too when the loop has not
// renewed it for T. Layers: this (queue, thread, timers) - Session (what it is in the store) - Elections, Registers,
// Watches, Observation, Membership (what calls mean) - Client (the library).
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "ballot/backend.hpp"
#include "inbox.hpp"
#include "paths.hpp"
#include "session.hpp"
#include "settings.hpp"
#include "support/calls.hpp"
#include "support/handle_store.hpp"

namespace ballot::zookeeper {

class ZookeeperBackend final : public Backend {
 public:
  static constexpr Millis default_timeout{10'000};

  /// Nothing is opened before open(). Throws std::system_error where there is no thread or descriptor to be had.
  ZookeeperBackend(Host& host, Settings settings, const std::string& name_space, std::string state_dir);
  /// Ends the session, waiting a quarter of a second for it at most.
  ~ZookeeperBackend() override;
  ZookeeperBackend(const ZookeeperBackend&) = delete;
  ZookeeperBackend& operator=(const ZookeeperBackend&) = delete;

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
  };
  struct CloseCall {
    bool keep = false;
  };
  using Request = std::variant<OpenCall, CloseCall, Call>;

  void enqueue(Request request) { queue_.push(std::move(request)); }

  // The thread's own.
  void run() noexcept;
  std::optional<SteadyTime> next_due() const;
  void serve(const Request& request);
  void open_session(const SessionRequest& request);
  void publish();
  void end_session();
  void finish(const backend::SessionClosed& closed);

  Host& host_;
  const Settings settings_;
  const Paths paths_;
  const std::string root_;
  const std::shared_ptr<Wakeup> wakeup_ = std::make_shared<Wakeup>();
  Mailbox<Request> queue_{wakeup_};
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>(wakeup_);
  std::atomic<bool> stopping_{false};
  std::atomic<Millis> timeout_{Millis(0)};  // T, as granted
  /// When the session ends if nobody asks to renew it before.
  std::atomic<SteadyTime> expires_{SteadyTime::max()};

  std::uint64_t generation_ = 0;
  std::unique_ptr<Session> session_;
  bool opened_ = false;  // told
  HandleStore handles_;
  std::thread thread_;  // last: it sees the others made
};

}  // namespace ballot::zookeeper

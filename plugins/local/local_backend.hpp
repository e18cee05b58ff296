// LocalBackend: the embedded backend. Its calls only enqueue for its Worker. Layers: this, Worker (queue, thread,
// timers)
// - Session, Observer (what calls mean) - RegisterDb, LockFile, Leases, Bell, Neighbours (the files, the others).
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ballot/backend.hpp"
#include "worker.hpp"

namespace ballot::local {

class LocalBackend final : public Backend {
 public:
  /// Nothing is opened or made before open(). Throws std::system_error where there is no thread or descriptor to be
  /// had.
  LocalBackend(Host& host, std::string folder);
  /// Carries out what was asked before and resigns: a commit or two. A thread whose disk does not answer is left behind
  /// after a second; it holds its own until it ends, and posts nothing.
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
  void ask(WorkerCall call) { worker_->ask(std::move(call)); }

  const std::shared_ptr<Worker> worker_;
  Millis timeout_{0};  // T
  bool observer_ = false;
  std::thread thread_;  // last: it sees the others made
};

}  // namespace ballot::local

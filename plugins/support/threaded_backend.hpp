// ThreadedBackend: a Backend whose calls only enqueue, for a thread of its own that runs a SessionDriver. It keeps the
// generation, drops the calls of a session that is over, and closes a session that the loop has not renewed for T, also
// where the loop hangs. Knows nothing of the store.
//
//   return new ThreadedBackend(host, "ballot-local", [=](Outlet& outlet) { return std::make_unique<Driver>(outlet); });
#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballot/backend.hpp"
#include "support/calls.hpp"
#include "support/session_driver.hpp"

namespace ballot::support {

class SessionThread;

class ThreadedBackend final : public Backend {
 public:
  /// `thread`: its name, at most 15 letters. `make` is called at once.
  /// Throws std::system_error where there is no thread or descriptor to be had.
  ThreadedBackend(Host& host, const char* thread, const MakeDriver& make);
  /// Calls made before are carried out, and the session closed, within a quarter of a second. A thread that does
  /// not answer for a second, as its disk does not, is left behind; it owns what it uses until it ends, and posts
  /// nothing.
  ~ThreadedBackend() override;
  ThreadedBackend(const ThreadedBackend&) = delete;
  ThreadedBackend& operator=(const ThreadedBackend&) = delete;

  void configure(std::map<std::string, Options> groups) noexcept override;
  void open(const SessionRequest& request) noexcept override;
  void renew(RequestId request) noexcept override;
  void campaign(const std::string& group) noexcept override { ask(CampaignCall{group}); }
  void resign(const std::string& group) noexcept override { ask(ResignCall{group}); }
  void write(RequestId request, std::vector<RegisterWrite> batch) noexcept override {
    ask(WriteCall{request, std::move(batch)});
  }
  void read(RequestId request, std::vector<std::string> names) noexcept override {
    ask(ReadCall{request, std::move(names)});
  }
  void create(RequestId request, std::vector<Record> records) noexcept override {
    ask(CreateCall{request, std::move(records)});
  }
  void remove(RequestId request, std::vector<std::string> names) noexcept override {
    ask(RemoveCall{request, std::move(names)});
  }
  void watch(const std::string& prefix) noexcept override { ask(WatchCall{prefix}); }
  void observe(RequestId request, const std::string& group) noexcept override { ask(ObserveCall{request, group}); }
  void evict(RequestId request, const std::string& group) noexcept override { ask(EvictCall{request, group}); }
  void list(RequestId request, std::string prefix) noexcept override { ask(ListCall{request, std::move(prefix)}); }
  void close(bool keep) noexcept override;

 private:
  void ask(Call call) noexcept;

  const std::shared_ptr<SessionThread> session_;
  std::thread thread_;  // last: it sees the others made
};

}  // namespace ballot::support

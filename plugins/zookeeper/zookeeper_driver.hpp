// ZookeeperDriver: the backend on an ensemble of ZooKeeper, on its thread. It opens one Session after the other, and
// keeps what one leaves behind for the next. Layers: support's ThreadedBackend (queue, thread, watchdog) - this -
// Session (what it is in the store) - Elections, Registers, Watches, Observation, Membership (what calls mean) - Client
// (the library).
//
//   new ThreadedBackend(host, "ballot-zk", [=](Outlet& to) { return std::make_unique<ZookeeperDriver>(to, place); })
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inbox.hpp"
#include "paths.hpp"
#include "session.hpp"
#include "settings.hpp"
#include "support/handle_store.hpp"
#include "support/session_driver.hpp"

namespace ballot::zookeeper {

class ZookeeperDriver final : public SessionDriver {
 public:
  static constexpr Millis default_timeout{10'000};

  /// Where it works.
  struct Place {
    Settings settings;
    std::string name_space, state_dir;
    std::string root() const { return settings.chroot + "/" + name_space; }
  };

  /// Nothing is opened before open().
  ZookeeperDriver(Outlet& outlet, Place place);

  void open(const SessionRequest& request, SteadyTime asked) override;
  void carry_out(std::vector<Call> calls) override;
  void close(bool keep) override;
  void expire() override;
  void drop() noexcept override;
  void receive(bool readable) override;
  void advance() override;
  std::optional<SteadyTime> due() const override { return session_ ? session_->due() : std::nullopt; }

 private:
  void publish();
  void leave();
  void finish(Cause cause, std::string text);

  Outlet& outlet_;
  const Place place_;
  const Paths paths_;
  const std::shared_ptr<Inbox> inbox_;
  HandleStore handles_;
  std::unique_ptr<Session> session_;
};

}  // namespace ballot::zookeeper

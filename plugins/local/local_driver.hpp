// LocalDriver: the embedded backend on its thread. It holds the Session with its files, carries out whatever waits in
// one commit, and hears what other daemons do. Layers: support's ThreadedBackend (queue, thread, watchdog) - this -
// Session, Observer (what calls mean) - RegisterDb, LockFile, Leases, Bell, Neighbours (the files, the others).
//
//   new ThreadedBackend(host, "ballot-local", [folder](Outlet& to) { return std::make_unique<LocalDriver>(to, folder);
//   })
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "session.hpp"
#include "standing.hpp"
#include "support/session_driver.hpp"

namespace ballot::local {

class LocalDriver final : public SessionDriver {
 public:
  /// Nothing is opened or made before open().
  LocalDriver(Outlet& outlet, std::string folder) : outlet_(outlet), folder_(std::move(folder)) {}

  void open(const SessionRequest& request, SteadyTime asked) override;
  void carry_out(std::vector<Call> calls) override;
  void close(bool keep) override;
  void expire() override;
  void drop() noexcept override { standing_.reset(); }
  void hear(bool readable) override;
  void advance() override;
  std::optional<SteadyTime> due() const override { return std::max(next_look_, rested_); }
  std::vector<int> descriptors() const override;
  SteadyTime deadline() const override { return standing_ ? standing_->deadline() : SteadyTime::max(); }

 private:
  void open_session(const Session::Opening& opening);
  void observe(const Session::Opening& opening);
  void publish(Events events);
  void finish(Cause cause, std::string text);
  bool wait_for_file(int tries) const;

  Outlet& outlet_;
  const std::string folder_;
  StuckWriter stuck_;
  std::unique_ptr<Standing> standing_;
  std::int64_t session_ = 0;  // its id; 0: none, or an observer's
  std::set<std::int64_t> spent_;
  SteadyTime next_look_{};
  SteadyTime rested_{};  // no look before: looking in vain takes a tenth of the time at most
};

}  // namespace ballot::local

// LocalDriver: the embedded backend on its thread. It owns the Session with its files, carries out whatever waits in
// one commit, and notices what other daemons do. Layers: support's ThreadedBackend (queue, thread, watchdog) - this -
// Session (what calls mean) - Store (the files).
//
//   new ThreadedBackend(host, "ballot-local", [folder](Outlet& to) { return std::make_unique<LocalDriver>(to, folder);
//   })
//
//   | state   | members               | means                                                                      |
//   | ------- | --------------------- | -------------------------------------------------------------------------- |
//   | closed  | neither               | nothing is open                                                            |
//   | waiting | missing_              | an observer's: there is no store, which it takes for an empty one          |
//   | open    | session_              | a session is open                                                          |
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "session.hpp"
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
  void drop() noexcept override { session_.reset(); }
  void receive(bool readable) override;
  void advance() override;
  std::optional<SteadyTime> due() const override { return std::max(next_poll_, no_poll_before_); }
  std::vector<int> descriptors() const override { return session_ ? session_->wait_fds() : std::vector<int>{}; }
  SteadyTime deadline() const override { return session_ ? session_->deadline() : SteadyTime::max(); }

 private:
  /// An observer's, where there is no store yet: nothing is made for it.
  struct Missing {
    Opening opening;
    std::set<std::string> watches;
  };

  void open_session(const Opening& opening);
  void open_observer(const Opening& opening);
  void find_store();
  void answer_empty(const Call& call);
  void publish(Events events);
  void finish(backend::SessionClosed closed);
  Millis poll_interval() const;
  bool wait_for_file(int tries) const;

  Outlet& outlet_;
  const std::string folder_;
  StuckWriter stuck_;
  std::unique_ptr<Session> session_;
  std::optional<Missing> missing_;
  std::set<std::int64_t> spent_;  // sessions that ended with all their terms
  SteadyTime next_poll_{};
  SteadyTime no_poll_before_{};  // polling in vain takes a tenth of the time at most
};

}  // namespace ballot::local

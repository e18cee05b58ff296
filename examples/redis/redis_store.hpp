// RedisStore: one Redis server as a KeyStore. All that is done there is one script (script.hpp). What has changed is
// asked for, with a second connection as the bell: it waits for the next line of the log, or for the next session's
// end, and what the line says is read over the first connection, in order with all else. Used on the plugin's thread
// only.
//
//   | poll                                   | when                                                           |
//   | -------------------------------------- | -------------------------------------------------------------- |
//   | of all that is followed                | a prefix is followed; after a poll that has failed             |
//   | of what has changed since the last one | the bell; after each renewal, which is answered when it is done |
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "link.hpp"
#include "settings.hpp"
#include "support/keys/key_store.hpp"
#include "support/session_driver.hpp"

namespace redis {

class RedisStore final : public ballot::support::KeyStore {
 public:
  RedisStore(Listener& listener, ballot::support::Outlet& outlet, const Settings& settings);

  /// The script compares the term in the step that writes.
  ballot::Capability capability() const override { return ballot::Capability::fenced; }

  void begin(ballot::Millis timeout, const std::optional<ballot::support::Handle>& resumed,
             Done<ballot::support::SessionBegun> done) override;
  void bind(const std::string& key, const std::string& value, Done<ballot::support::KeyAnswer> done) override;
  bool keep(Done<ballot::support::KeyAnswer> done) override;
  void renew(const std::string& key, const std::string& value, Done<ballot::support::KeyAnswer> done) override;
  void end(Done<ballot::support::KeyAnswer> done) override;
  void abandon() noexcept override { abandoned_ = true; }

  void commit(std::vector<ballot::support::KeyChange> changes,
              Done<std::vector<ballot::support::KeyAnswer>> done) override;
  void get(std::vector<std::string> keys, Done<ballot::support::KeyRead> done) override;
  void list(const std::string& prefix, Done<ballot::support::KeyRead> done) override;

  void follow(const std::string& prefix) override;
  void watch(const std::string& prefix) override;
  ballot::SteadyTime observed_until() const override { return observed_until_; }

  std::optional<ballot::WallTime> clock() const override { return clock_; }
  void state(Done<ballot::StoreState> done) override;

  void receive() override;
  void tick(ballot::SteadyTime now) override;
  std::optional<ballot::SteadyTime> due() const override;

 private:
  using Words = std::vector<std::string>;
  using Priority = ballot::support::Priority;

  void ask(Words command, Link::Done done, Priority priority = Priority::normal, std::size_t weight = 1);
  void run(const Words& what, Link::Done done, Priority priority = Priority::normal, std::size_t weight = 1);
  void look(std::function<void(const Reply& info, const std::string& appendfsync)> done);
  void enter(ballot::Millis timeout, const std::optional<ballot::support::Handle>& resumed,
             Done<ballot::support::SessionBegun> done);
  void commit_some(const std::vector<ballot::support::KeyChange>& changes,
                   Done<std::vector<ballot::support::KeyAnswer>> done);

  void poll(std::function<void()> then = {});
  void on_polled(const Words& words);
  void hang_bell(ballot::Millis wait);

  Listener& listener_;
  ballot::support::Outlet& outlet_;
  const std::string root_;
  Link link_, bell_;
  std::string session_;
  ballot::Millis patience_{2000};
  std::optional<ballot::WallTime> clock_;

  std::set<std::string> followed_, watched_;  // prefixes
  std::set<std::string> touched_;             // watched ones that are to be reported
  std::string place_;                         // in the log: all before it was reported; "": nothing was
  std::size_t follows_ = 0;                   // calls of follow(): a poll that is older knows too little
  bool bell_hangs_ = false;
  std::optional<ballot::SteadyTime> poll_at_;
  ballot::SteadyTime observed_until_{};
  bool silent_ = false;  // the server did not answer
  bool abandoned_ = false;
};

}  // namespace redis

// KeyDriver: the backend on a store of keys, on its plugin's thread: the node's name, its session, its elections,
// registers and what others see of them, all as keys of a KeyStore, which is the only part that knows which store it
// is.
//
// Below the namespace:
//
//   | key             | value                                                                                 |
//   | --------------- | ------------------------------------------------------------------------------------- |
//   | `s/NODE`        | the session that has the node's name; bound to it, so that it goes with it            |
//   | `m/NODE`        | what that session said of itself when it renewed itself last (MemberRecord)           |
//   | `t/GROUP`       | the group's last term (TermRecord). Whoever writes the next epoch over it leads       |
//   | `c/GROUP/NODE`  | a candidate (CandidateText) and its session; it counts while that session is open     |
//   | `r/NAME`        | registers and records                                                                 |
//
// A group is vacant where its last term has ended, or its leader's session is over: one key goes with a session,
// however many groups it leads. A session that is over never comes back, so what was seen of it cannot be stale.
//
//   return make_key_driver(place, [=](KeyStore::Listener& to, Outlet& outlet) { return make_store(to, outlet); });
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/handle_store.hpp"
#include "support/keys/key_store.hpp"
#include "support/session_driver.hpp"

namespace ballot::support {

/// Where a KeyDriver works.
struct KeyPlace {
  std::string backend;         // the plugin's name
  std::string name_space;      // as it is in ballot.toml
  std::string root;            // where the keys lie in the store, for people and handles
  std::string servers;         // for people
  std::string state_dir;       // of the daemon: session handles lie there
  Millis default_timeout{0};   // asked for where nobody says
  Millis shortest_timeout{0};  // that the store takes
  Millis vacancy_pause{0};     // after a leader's session is over without its own wish: lock_delay
};

/// For each session a new one. Throws where it cannot be made.
using MakeKeyStore = std::function<std::unique_ptr<KeyStore>(KeyStore::Listener& to, Outlet& outlet)>;

class KeySession;

/// As a plugin's prepare() gives it.
MakeDriver make_key_driver(KeyPlace place, MakeKeyStore make);

class KeyDriver final : public SessionDriver {
 public:
  /// Nothing is opened before open().
  KeyDriver(Outlet& outlet, KeyPlace place, MakeKeyStore make);
  ~KeyDriver() override;

  void configure(std::map<std::string, Options> groups) override;
  void open(const SessionRequest& request, SteadyTime asked) override;
  void carry_out(std::vector<Call> calls) override;
  void close(bool keep) override;
  void expire() override;
  void drop() noexcept override;
  void receive(bool readable) override;
  void advance() override;
  std::optional<SteadyTime> due() const override;

 private:
  void publish();
  void leave();
  void finish(backend::SessionClosed closed);

  Outlet& outlet_;
  const KeyPlace place_;
  const MakeKeyStore make_;
  HandleStore handles_;
  std::map<std::string, Options> groups_;
  std::unique_ptr<KeySession> session_;
};

}  // namespace ballot::support

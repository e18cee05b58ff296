// Store: the servers of one backend as a fault sees them: killed, frozen, restored, cut off from one another or from a
// node. Each node has its own way to it. Knows nothing of daemons and jobs.
//
//   auto store = backend.open({.servers = 3});
//   fleet on store->configuration("n1", "t1", timeout), ...
//   store->cut("n1", Store::Cut::silent);  ...  store->heal("n1");
//   store->kill(store->leader());          ...  store->start();
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "support/servers/lost.hpp"

namespace ballot::chaos {

/// What a scenario asks of a store, beyond that it is there.
enum class Need {
  own_way,       // a node is cut from the store while others are not
  lost_answers,  // what a node asks is done, and it is not told
  servers,       // several, of which one leads
  parting,       // a server is cut from the others while it serves a node
  outage,        // nobody is served for a time
  snapshot,      // it goes back to what it was
  renewals,      // a renewal of the session is something else than a write, and can fail alone
  namespaces,    // several fleets share it by name
  clock,         // it tells what its own clock says
  weak_updates,  // conditional updates that may not be atomic
  crowd,         // ten thousand groups
};

class Store {
 public:
  /// How a node's way is cut: nothing goes through; both sides notice; what it asks is lost; what it is told is lost.
  enum class Cut { silent, broken, requests, answers };
  /// What is lost, of Need::renewals.
  enum class Half { renewals, writes };

  Store() = default;
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// What a node's ballot.toml says of it: [coordination] and the backend's own. `name_space` "": says none.
  virtual std::string configuration(const std::string& node, const std::string& name_space, Millis timeout) = 0;
  /// Of a daemon that is to be let down.
  virtual std::vector<std::string> environment(const std::string&) { return {}; }
  /// False: terms may overlap.
  virtual bool exclusive() const { return true; }
  /// What is damaged in its files, when no daemon runs.
  virtual std::vector<std::string> damage() const { return {}; }
  /// How long an expired session may stand, beyond its timeout.
  virtual Millis grain() const { return Millis(0); }

  // ---- a node's way
  virtual void cut(const std::string&, Cut) { refuse(); }
  /// Of the node's way, and of what a server has been cut off from.
  virtual void heal(const std::string&) { refuse(); }
  virtual void delay(const std::string&, Millis) { refuse(); }
  /// How many bytes a cut has taken so far; of answers or requests.
  virtual std::size_t lost(const std::string&) const { return 0; }
  virtual void lose(const std::string&, Half) { refuse(); }
  /// Until its way is healed the node is served by one server alone: one that does not lead the others, or the one that
  /// does. What that one needs to serve again is its own matter: Consul's gossip takes 30 s to find a lost server.
  enum class Place { follower, leader };
  virtual void bind(const std::string&, Place) { refuse(); }
  /// Between that server and the others nothing goes through; or one way only.
  virtual void part_from_others(const std::string&) { refuse(); }
  virtual void part_one_way(const std::string&, testing::Lost) { refuse(); }
  /// Programs are served soon by the others while one way is lost to or from the server in that place.
  virtual bool serves_beside(Place, testing::Lost) const { return true; }

  // ---- its servers
  virtual std::size_t servers() const { return 1; }
  virtual std::size_t leader() { return 0; }
  virtual void kill(std::size_t) { refuse(); }
  /// How often the leader can be killed, each time another server, before what was acknowledged is lost.
  virtual int leader_kills() const { return std::numeric_limits<int>::max(); }
  /// What does not run; returns when all serve.
  virtual void start() { refuse(); }
  /// Nobody is served from here on; connections stand. Ends with go_on().
  virtual void stand_still() = 0;
  virtual void go_on() = 0;
  /// As stand_still(), or by killing them.
  virtual void go_down() = 0;
  virtual void come_back() = 0;
  /// Keeps what it has stored; goes back to it, while nodes run.
  virtual void save() { refuse(); }
  virtual void restore() { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("this store cannot do that: its backend should say why"); }
};

struct StoreSettings {
  std::size_t servers = 1;
  bool parted = false;      // each can be cut off from the others
  bool as_shipped = false;  // set up as its users do, not to be quick
};

/// A backend that this build has.
struct Backend {
  std::string name;
  Millis shortest_timeout, default_timeout;
  std::unique_ptr<Store> (*open)(const StoreSettings&);
  /// Why its store cannot do that; "": it can.
  std::string (*cannot)(Need);
};

/// What every networked backend's ballot.toml begins with. No `timeout`: the default.
std::string coordination(const std::string& backend, const std::string& name_space, Millis timeout);

/// All of this build, in the order of their columns.
const std::vector<Backend>& backends();

}  // namespace ballot::chaos

// Children: programs that are no runs: hooks, sendmail, pings. The runner starts them as it starts runs, with another
// user, an environment of their own, a deadline with TERM and KILL for the whole group, and they have attempt 0, which
// no run has. So many at once; the others wait in bounded memory. How one ends is logged.
//
// Thread: the loop's. Handlers of a child are called from takes(), once.
//
//   Children hooks({.at_once = 32}, [&](const runner::ToRunner& m) { runner.send(m); }, log);
//   hooks.on_runner(RunnerLink::begun);
//   hooks.run({.key = "nightly", .what = "on_failure", .start = start, .fields = {{"job", "nightly"}}});
//   if (hooks.takes(message)) return;              // the runner spoke of one of them
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "ballot/log.hpp"
#include "base/random.hpp"
#include "base/runner_wire.hpp"
#include "io/notify/fair_queue.hpp"
#include "io/runner_link.hpp"

namespace ballot::io {

using ToRunner = std::function<void(const runner::ToRunner&)>;

struct Child {
  std::string key;      // whose it is: see FairQueue
  std::string what;     // for the log: "on_failure", "mail"
  runner::Start start;  // but for its id; empty once the runner has it
  LogFields fields;
  std::function<void()> on_ended;  // however it ends; also where it is dropped, or never starts
};

class Children {
 public:
  Children(QueueBounds bounds, ToRunner send, Log log);

  void run(Child child);
  /// TERM, then KILL `grace` later, to those of the key that are under way.
  void kill(const std::string& key, Millis grace);

  /// The runner has sent its inventory, or its link is broken. Where the link is taken up, a child that the inventory
  /// does not name is started again, as the runner never heard of it; a child of a runner that is gone is lost.
  void on_runner(RunnerLink link);
  /// An earlier daemon began it, and it goes on: what is to come of the key waits for it.
  void adopt(const runner::Running& running, const std::string& key);
  /// True: the message was of one of these.
  bool takes(const runner::FromRunner& message);

  bool is_idle() const { return queue_.waiting() == 0 && queue_.under_way() == 0; }
  std::size_t open() const { return queue_.waiting() + queue_.under_way(); }

 private:
  void begin_next();
  void end(const RunId& id, const std::string& problem, LogFields more);
  void drop(Child child);

  FairQueue<Child> queue_;
  const ToRunner send_;
  const Log log_;
  Random random_;
  bool ready_ = false;
  std::map<RunId, Child> under_way_;
  std::set<RunId> inventory_;  // those that the runner has named since the link was broken
};

/// Whether a message of the runner's is of a child that is no run.
bool is_of_child(const runner::FromRunner& message);

}  // namespace ballot::io

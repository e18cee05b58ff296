// Children: programs that are no runs: hooks, sendmail, pings. The runner starts them as it starts runs, with another
// user, an environment of their own, a deadline with TERM and KILL for the whole group, and they have attempt 0, which
// no run has. So many at once; the others wait in bounded memory. How one ends is logged.
//
// Thread: the loop's. Handlers of a child are called from takes(), once.
//
//   Children hooks({.at_once = 32}, [&](const runner::ToRunner& m) { runner.send(m); }, log);
//   hooks.ready(true);
//   hooks.run({.key = "nightly", .what = "on_failure", .start = start, .fields = {{"job", "nightly"}}, .on_ended =
//   {}}); if (hooks.takes(message)) return;              // the runner spoke of one of them
#pragma once

#include <functional>
#include <map>
#include <string>

#include "ballot/log.hpp"
#include "base/random.hpp"
#include "base/runner_wire.hpp"
#include "io/notify/fair_queue.hpp"

namespace ballot::io {

using ToRunner = std::function<void(const runner::ToRunner&)>;

struct Child {
  std::string key;      // whose it is: see FairQueue
  std::string what;     // for the log: "on_failure", "mail"
  runner::Start start;  // but for its id
  LogFields fields;
  std::function<void()> on_ended;  // however it ends; also where it is dropped, or never starts
};

class Children {
 public:
  Children(QueueBounds bounds, ToRunner send, Log log);

  void run(Child child);
  /// TERM, then KILL `grace` later, to those of the key that are under way.
  void kill(const std::string& key, Millis grace);

  /// The runner is there and has sent its inventory; or it is gone, and all that it had with it.
  void ready(bool is_ready);
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
};

/// Whether a message of the runner's is of a child that is no run.
bool is_of_child(const runner::FromRunner& message);

}  // namespace ballot::io

// PrefixWatches: the prefixes that a session watches in a store of one folder, over a ChangeNotifier: a topic for each
// first letter of a name, so that whoever changes a register notifies one file, and one topic for elections. Knows
// nothing of the store. One thread.
//
//   PrefixWatches watches(folder, lock);
//   watches.add("j/");
//   watches.notify({'j'});                      // before the commit: whoever is woken waits for that
//   ... poll(watches.descriptor()) ...  if (watches.take_changes(wait, events)) ... elections have changed
#pragma once

#include <functional>
#include <set>
#include <string>

#include "support/calls.hpp"
#include "support/machine/change_notifier.hpp"
#include "support/machine/lock_file.hpp"

namespace ballot::support {

class PrefixWatches {
 public:
  /// `lock` outlives this.
  PrefixWatches(const std::string& folder, const LockFile& lock) : notifier_(folder), lock_(lock) {}

  /// False: changes may be missed from now on. The same of elections.
  bool add(const std::string& prefix);
  bool add_elections();
  /// Names that begin with one of these have changed.
  void notify(const std::set<char>& letters) const noexcept;
  void notify_elections() const noexcept { notifier_.notify(elections); }

  /// Adds what has changed. Waits for whoever writes just now, as long as `wait` says; see WriteLock. True: elections
  /// may have changed.
  bool take_changes(const std::function<bool(int)>& wait, Events& events);
  /// Adds what was notified before its commit, once that is over.
  void settle(Events& events);
  /// Adds all: the store has changed, and the notification may have been missed.
  void add_all(Events& events) const;

  /// A change was notified before its commit, which may not be over: poll.
  bool unsettled() const noexcept { return !unsettled_.empty(); }
  bool lossy() const noexcept { return notifier_.lossy(); }
  int descriptor() const noexcept { return notifier_.descriptor(); }

 private:
  static constexpr const char* elections = "elections";

  void add_changed(const std::set<std::string>& topics, Events& events) const;

  ChangeNotifier notifier_;
  const LockFile& lock_;
  std::set<std::string> prefixes_;
  std::set<std::string> unsettled_;  // topics
};

}  // namespace ballot::support

// ChangeNotifier: how the processes of one folder notify each other that something has changed, without polling. A
// topic is an empty file under `bell/`, made by whoever listens; notify() touches it, and inotify wakes the listeners.
// It is not said what has changed. Knows nothing of what topics mean. One thread.
//
//   ChangeNotifier notifier(folder);
//   notifier.listen("elections");
//   ... poll(notifier.descriptor()) ...  for (const std::string& topic : notifier.changed()) ...
//   other.notify("elections");                     // a few microseconds; nothing at all where nobody listens
#pragma once

#include <map>
#include <set>
#include <string>

#include "support/descriptor.hpp"

namespace ballot::support {

class ChangeNotifier {
 public:
  explicit ChangeNotifier(const std::string& folder);

  void notify(const std::string& topic) const noexcept;

  /// From now on. Where it cannot be had (no inotify, a full disk), the notifier is lossy.
  void listen(const std::string& topic);
  /// Topics that have changed since the last call, and those that may have.
  std::set<std::string> changed();
  /// Changes of some topic are missed: poll.
  bool lossy() const noexcept { return !missing_.empty(); }
  int descriptor() const noexcept { return inotify_.get(); }

 private:
  const std::string folder_;
  Descriptor inotify_;
  std::map<int, std::string> topics_;  // by watch
  std::set<std::string> missing_;      // topics that have no watch
};

}  // namespace ballot::support

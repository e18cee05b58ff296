// Bell: how the processes of one folder tell each other that something has changed, without looking again and again. A
// topic is an empty file under `bell/`, made by whoever listens; ringing touches it, and inotify wakes the listeners.
// Who rings says nothing of what has changed: whoever hears looks. Knows nothing of what topics mean. One thread.
//
//   Bell bell(folder);
//   bell.listen("elections");
//   ... poll(bell.descriptor()) ...  for (const std::string& topic : bell.heard()) ...
//   other.ring("elections");                       // a few microseconds; nothing at all where nobody listens
#pragma once

#include <map>
#include <set>
#include <string>

#include "support/descriptor.hpp"

namespace ballot::local {

using support::Descriptor;

class Bell {
 public:
  explicit Bell(const std::string& folder);

  void ring(const std::string& topic) const noexcept;

  /// From now on. Where it cannot be had (no inotify, a full disk), the bell is deaf.
  void listen(const std::string& topic);
  /// What was rung since the last call; also what may have been.
  std::set<std::string> heard();
  /// Some topic that is listened to cannot be heard.
  bool deaf() const noexcept { return !missing_.empty(); }
  int descriptor() const noexcept { return inotify_.get(); }

 private:
  const std::string folder_;
  Descriptor inotify_;
  std::map<int, std::string> topics_;  // by watch
  std::set<std::string> missing_;
};

}  // namespace ballot::local

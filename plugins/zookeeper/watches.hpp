// Watches: which prefixes are watched for changes. A folder of registers is watched for what comes and goes in it, and
// for its own value, which every change of a register in it touches. Changed is posted after the watch is set again.
#pragma once

#include <set>
#include <string>

#include "session_context.hpp"

namespace ballot::zookeeper {

class Watches {
 public:
  explicit Watches(SessionContext& context) : context_(context) {}

  void add(const std::string& prefix);
  /// A folder's letter; 0: the folder of all letters.
  void on_watch(char letter);
  /// What changed meanwhile may have been missed.
  void on_connected();

 private:
  void arm(char letter);
  void post_changed(char letter);

  SessionContext& context_;
  std::set<std::string> prefixes_;
  std::set<char> armed_;   // letters whose watches are set, or being set
  std::set<char> absent_;  // letters whose folder was not there when its value was to be watched
  std::set<char> failed_;  // to be armed when the store answers again
};

}  // namespace ballot::zookeeper

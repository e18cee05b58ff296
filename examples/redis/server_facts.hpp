// ServerFacts: what a server says of itself (INFO, CONFIG GET appendfsync): whether it can be used, and what it does
// not promise. Pure.
//
//   const ServerFacts facts(info, "always");
//   if (!facts.refusal().empty()) ...      for (const std::string& one : facts.state().warnings) ...
#pragma once

#include <map>
#include <string>

#include "ballot/backend.hpp"

namespace redis {

class ServerFacts {
 public:
  /// `info`: lines of KEY:VALUE. `appendfsync`: "" where this user may not ask.
  ServerFacts(const std::string& info, std::string appendfsync);

  /// Why it cannot be used at all, and what to do; "": it can.
  std::string refusal() const;
  ballot::StoreState state() const;

 private:
  std::string at(const std::string& key) const;

  std::map<std::string, std::string> info_;
  const std::string appendfsync_;
};

}  // namespace redis

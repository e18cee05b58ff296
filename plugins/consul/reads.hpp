// Reads: keys and prefixes of keys as they are in Consul now. On the plugin's thread.
//
//   reads.get({"s/host-1", "m/host-1"}, done);   reads.list("c/nightly/", done);
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent.hpp"
#include "key_paths.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::consul {

class Reads {
 public:
  using Done = std::function<void(const support::KeyRead&)>;

  Reads(Agent& agent, const KeyPaths& paths) : agent_(agent), paths_(paths) {}

  void get(std::vector<std::string> keys, Millis patience, Done done);
  void list(const std::string& prefix, Millis patience, Done done);

 private:
  struct Get;
  void get_some(const std::shared_ptr<Get>& get, std::vector<std::string> keys);
  void on_some(const std::shared_ptr<Get>& get, std::vector<std::string> keys, const Reply& reply);

  Agent& agent_;
  const KeyPaths& paths_;
};

}  // namespace ballot::consul

// ClusterState: what etcd's servers say of themselves: each server that is named in the settings is asked, and one of
// them for the cluster's members and alarms. Used on the plugin's thread only.
//
//   state.ask(patience, [](const StoreState& state) { ... });
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gateway.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::etcd {

class ClusterState {
 public:
  using Done = support::KeyStore::Done<StoreState>;

  explicit ClusterState(Gateway& gateway) : gateway_(gateway) {}

  void ask(Millis patience, Done done);

 private:
  struct Found {
    std::vector<Reply> servers;  // by index
    Reply members, alarms;
  };

  StoreState state_of(const Found& found) const;

  Gateway& gateway_;
};

}  // namespace ballot::etcd

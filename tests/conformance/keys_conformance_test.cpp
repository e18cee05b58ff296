// The conformance suite on what backends on stores of keys have in common (KeyDriver), with a store in memory: fenced,
// and without a fence.
#include "conformance/backend_conformance.hpp"
#include "conformance/memory_keys.hpp"
#include "support/keys/key_driver.hpp"
#include "support/temp_folder.hpp"
#include "support/threaded_backend.hpp"

namespace ballot::conformance {
namespace {

class KeysCluster final : public Cluster {
 public:
  explicit KeysCluster(Capability capability) : capability_(capability) {}

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    MemoryKeys& keys = stores_[name_space];
    support::KeyPlace place{"memory", name_space, name_space + "/", "memory", folder_.path(), timeout(), timeout(), {}};
    const auto make_store = [&keys, node, capability = capability_](support::KeyStore::Listener& to,
                                                                    support::Outlet& outlet) {
      return std::make_unique<MemoryKeyStore>(keys, node, to, outlet.wakeup(), capability);
    };
    const auto make_driver = [place, make_store](support::Outlet& outlet) {
      return std::make_unique<support::KeyDriver>(outlet, place, make_store);
    };
    auto backend = std::make_unique<support::ThreadedBackend>(host, "ballot-memory", make_driver);
    nodes_[backend.get()] = {node, &keys};
    return backend;
  }

  std::set<Ability> abilities() const override {
    return {Ability::resume, Ability::cut, Ability::expire, Ability::restart};
  }
  Millis timeout() const override { return Millis(1000); }
  void cut(Backend& backend) override { nodes_.at(&backend).keys->cut(nodes_.at(&backend).node, true); }
  void heal(Backend& backend) override { nodes_.at(&backend).keys->cut(nodes_.at(&backend).node, false); }
  void expire(Backend& backend) override { nodes_.at(&backend).keys->expire("s/" + nodes_.at(&backend).node); }
  void restart() override {
    for (auto& [name, keys] : stores_) keys.restart();
  }

 private:
  struct Node {
    std::string node;
    MemoryKeys* keys;
  };
  const Capability capability_;
  TempFolder folder_;
  std::map<std::string, MemoryKeys> stores_;  // by namespace
  std::map<const Backend*, Node> nodes_;
};

INSTANTIATE_TEST_SUITE_P(
    Keys, BackendConformance,
    ::testing::Values(BackendUnderTest{"fenced", [] { return std::make_unique<KeysCluster>(Capability::fenced); }},
                      BackendUnderTest{"sealed", [] { return std::make_unique<KeysCluster>(Capability::sealed); }}),
    name_of);

}  // namespace
}  // namespace ballot::conformance

// The conformance suite on the simulated backend: what the core's simulation builds on keeps the promises too.
#include <map>

#include "conformance/backend_fixture.hpp"
#include "support/sim/sim_backend.hpp"

namespace ballot::conformance {
namespace {

class SimCluster final : public Cluster {
 public:
  explicit SimCluster(std::uint64_t seed, SimStore::Settings settings = {}) : loop_(seed), settings_(settings) {}

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    auto& store = stores_[name_space];
    if (!store) store = std::make_unique<SimStore>(loop_, settings_);
    auto backend = std::make_unique<SimBackend>(*store, loop_, links_[node], clock_, host);
    nodes_[backend.get()] = node;
    return backend;
  }

  std::set<Ability> abilities() const override {
    std::set<Ability> all{Ability::crash,  Ability::freeze,  Ability::cut,
                          Ability::expire, Ability::restart, Ability::resume};
    if (settings_.death_frees) all.insert(Ability::free_at_death);
    if (settings_.hold) all.insert(Ability::hold);
    return all;
  }
  Millis timeout() const override { return 2s; }
  Millis slack() const override { return 200ms; }
  Millis settling() const override { return 5s; }
  Millis crash_handover() const override { return settings_.death_frees ? slack() : timeout() + slack(); }
  SteadyTime now() const override { return clock_.now().steady; }
  bool wait(const std::function<bool()>& done, Millis limit) override { return loop_.run_while_not(done, limit); }

  void crash(Backend& backend) override { static_cast<SimBackend&>(backend).crash(); }
  void freeze(Backend& backend) override { links_[nodes_[&backend]].frozen = true; }
  void thaw(Backend& backend) override { links_[nodes_[&backend]].frozen = false; }
  void cut(Backend& backend) override { links_[nodes_[&backend]].cut = true; }
  void heal(Backend& backend) override { links_[nodes_[&backend]].cut = false; }
  void expire(Backend& backend) override { stores_["test"]->expire(nodes_[&backend]); }
  void lose_quorum() override { stores_["test"]->lose_quorum(); }
  void restart() override {
    if (!stores_["test"]->down()) stores_["test"]->stop();
    loop_.run_for(500ms);
    stores_["test"]->start();
  }

 private:
  SimLoop loop_;
  SimStore::Settings settings_;
  SimClock clock_{loop_, 1h};
  std::map<std::string, std::unique_ptr<SimStore>> stores_;
  std::map<std::string, SimLink> links_;
  std::map<const Backend*, std::string> nodes_;
};

BackendUnderTest with_seed(std::uint64_t seed) {
  return {"seed_" + std::to_string(seed), [seed] { return std::make_unique<SimCluster>(seed); }};
}

const BackendUnderTest on_one_machine{"on_one_machine", [] {
                                        SimStore::Settings settings;
                                        settings.death_frees = true;
                                        return std::make_unique<SimCluster>(4, settings);
                                      }};

const BackendUnderTest on_outage_hold{"on_outage_hold", [] {
                                        SimStore::Settings settings;
                                        settings.hold = true;
                                        return std::make_unique<SimCluster>(6, settings);
                                      }};

const BackendUnderTest without_fence{"without_fence", [] {
                                       SimStore::Settings settings;
                                       settings.capability = Capability::sealed;
                                       return std::make_unique<SimCluster>(5, settings);
                                     }};

INSTANTIATE_TEST_SUITE_P(Sim, BackendConformance,
                         ::testing::Values(with_seed(1), with_seed(2), with_seed(3), on_one_machine, on_outage_hold,
                                           without_fence),
                         name_of);

}  // namespace
}  // namespace ballot::conformance

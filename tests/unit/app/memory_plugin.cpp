// The backend "memory": a store of keys in each process, with which it starts: group "db" is led by n1, and n2 has
// published that it is unfit to lead it. Of itself it says what its tables say. For tests of what ballot makes of a
// store's words.
#include "ballot/plugin.hpp"
#include "conformance/memory_keys.hpp"
#include "support/keys/key_context.hpp"
#include "support/keys/key_driver.hpp"
#include "support/texts.hpp"
#include "support/threaded_backend.hpp"

namespace {

using namespace ballot;

std::string text_problem(const OptionValue& value) noexcept {
  return std::holds_alternative<std::string>(value) ? "" : "must be a string";
}

constexpr OptionKey keys[] = {{"capability", text_problem}, {"unfit", text_problem}, {"warning", text_problem}};
constexpr OptionKey group_keys[] = {{"color", text_problem}, {"unfit", text_problem}};
constexpr BackendTraits traits{.keys = keys, .group_keys = group_keys, .session_timeout = Millis(2000)};

std::string text_of(const Options& options, const char* key) {
  const auto found = options.find(key);
  return found == options.end() ? "" : std::get<std::string>(found->second);
}

class ToldStore final : public conformance::MemoryKeyStore {
 public:
  ToldStore(conformance::MemoryKeys& all, Listener& listener, std::shared_ptr<support::Wakeup> wakeup,
            const Options& options)
      : MemoryKeyStore(all, "client", listener, std::move(wakeup),
                       text_of(options, "capability") == "sealed" ? Capability::sealed : Capability::fenced),
        told_(listener),
        options_(options) {
    unfit_[""] = text_of(options, "unfit");
  }

  void configure(const std::map<std::string, Options>& groups) override {
    groups_ = groups;
    for (const auto& [name, options] : groups) unfit_[name] = text_of(options, "unfit");
  }
  std::vector<std::string> environment(const std::string& group) const override {
    const auto found = groups_.find(group);
    return found == groups_.end() ? std::vector<std::string>{}
                                  : std::vector{"COLOR=" + text_of(found->second, "color")};
  }
  void state(Done<StoreState> done) override {
    MemoryKeyStore::state([this, done](StoreState state) {
      if (const std::string text = text_of(options_, "warning"); !text.empty()) state.warnings.push_back(text);
      done(state);
    });
  }
  void receive() override {
    MemoryKeyStore::receive();
    for (const auto& [group, why] : unfit_)
      if (said_[group] != why) told_.on_unfit(group, said_[group] = why);
  }

 private:
  Listener& told_;
  const Options options_;
  std::map<std::string, Options> groups_;
  std::map<std::string, std::string> unfit_, said_;  // groups and why; "": all
};

void fill(conformance::MemoryKeys& all) {
  using support::KeyNames;
  all.put(KeyNames::session("n1"), "s0");
  all.put(KeyNames::term("db"), support::format(support::TermRecord{7, "s0", "n1", "boot"}));
  all.put(KeyNames::candidate("db", "n1"), support::format(support::CandidateText{"n1", WallTime(Millis(1))}) + " s0");
  all.put(KeyNames::of_register("n/n2.1"),
          "ballot 1\nnode n2\nsession s9\nat 2026-01-01T00:00:00Z\nunfit_group db check 'db' is critical\n"
          "unfit_group web no service 'web' is registered\n");
}

Backend* create(Host& host, const BackendSettings& settings, Error&) noexcept {
  support::KeyPlace place;
  place.backend = "memory";
  place.name_space = settings.name_space;
  place.state_dir = settings.state_dir;
  place.default_timeout = traits.session_timeout;
  const auto all = std::make_shared<conformance::MemoryKeys>();
  fill(*all);
  return new support::ThreadedBackend(host, "ballot-memory", [=, options = settings.options](support::Outlet& outlet) {
    return std::make_unique<support::KeyDriver>(
        outlet, place, [all, options](support::KeyStore::Listener& to, support::Outlet& posts) {
          return std::make_unique<ToldStore>(*all, to, posts.wakeup(), options);
        });
  });
}

}  // namespace

BALLOT_PLUGIN("memory", "1", traits, create)

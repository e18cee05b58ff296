// AskedStore: a KeyStore that keeps what it is asked until the test answers it; and a host and a listener that nobody
// hears.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/keys/key_store.hpp"

namespace ballot::support {

class NoHost final : public Host {
 public:
  void post(BackendEvent) noexcept override {}
  void log(Level, std::string_view) noexcept override {}
};

class NoListener final : public KeyStore::Listener {
 public:
  void on_listed(const std::string&, const std::vector<KeyEntry>&) override {}
  void on_written(const KeyEntry&) override {}
  void on_removed(const std::string&) override {}
  void on_touched(const std::string&) override {}
  void on_session_lost(const std::string&) override {}
  void on_connected() override {}
  void on_unfit(const std::string&, const std::string&) override {}
};

class AskedStore final : public KeyStore {
 public:
  struct Commit {
    std::vector<KeyChange> changes;
    Done<std::vector<KeyAnswer>> done;
  };
  std::vector<Done<SessionBegun>> begins;
  std::vector<Done<KeyAnswer>> binds, keeps;
  std::vector<Commit> commits;
  std::vector<std::pair<std::vector<std::string>, Done<KeyRead>>> gets;
  std::vector<Done<KeysThere>> names;

  void answer(std::size_t i) {
    const std::vector<KeyAnswer> answers(commits.at(i).changes.size(), KeyAnswer{StoreResult::done, 1});
    const auto done = commits[i].done;
    done(answers);
  }

  Capability capability() const override { return Capability::fenced; }
  void begin(Millis, const std::optional<Handle>&, Done<SessionBegun> done) override {
    begins.push_back(std::move(done));
  }
  void bind(const std::string&, const std::string&, Done<KeyAnswer> done) override { binds.push_back(std::move(done)); }
  bool keep(Done<KeyAnswer> done) override {
    keeps.push_back(std::move(done));
    return true;
  }
  void renew(const std::string&, const std::string&, Done<KeyAnswer>) override {}
  void end(Done<KeyAnswer>) override {}
  void abandon() noexcept override {}
  void commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) override {
    commits.push_back({std::move(changes), std::move(done)});
  }
  void get(std::vector<std::string> keys, Done<KeyRead> done) override {
    gets.emplace_back(std::move(keys), std::move(done));
  }
  void list(const std::string&, Done<KeyRead>) override {}
  bool name_keys(const std::string&, std::size_t, Done<KeysThere> done) override {
    names.push_back(std::move(done));
    return true;
  }
  void follow(const std::string&) override {}
  void watch(const std::string&) override {}
  SteadyTime observed_until() const override { return {}; }
  void state(Done<StoreState>) override {}
  void receive() override {}
  void tick(SteadyTime) override {}
  std::optional<SteadyTime> due() const override { return std::nullopt; }
};

}  // namespace ballot::support

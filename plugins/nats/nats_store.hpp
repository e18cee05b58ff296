// NatsStore: JetStream as a store of keys: two buckets, of which one forgets what is not written again in time. Layers:
// support's KeyDriver (what keys mean) - this - OwnSession, Sweep (what is written when) - Bucket (how one writes),
// Feed (how one reads) - Client (a connection). Used on the plugin's thread only.
//
//   KeyDriver driver(outlet, place, [=](KeyStore::Listener& to, Outlet& out) {
//     return std::make_unique<NatsStore>(to, out, settings, "production"); });
//
//   | stage      | means                                              | next                                         |
//   | ---------- | -------------------------------------------------- | -------------------------------------------- |
//   | apart      | there is no connection                             | connecting: begin(), a moment later          |
//   | connecting | each server is tried once                          | connected; apart                             |
//   | connected  | buckets are looked at, or made; updates are tried  | ready; apart: the connection is lost         |
//   | ready      | both buckets are there, and read                   | apart: the connection is lost                |
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bucket.hpp"
#include "jetstream/client.hpp"
#include "own_session.hpp"
#include "self_test.hpp"
#include "settings.hpp"
#include "support/keys/key_store.hpp"
#include "support/session_driver.hpp"
#include "sweep.hpp"

namespace ballot::nats {

using namespace support;

class NatsStore final : public KeyStore, private Feed::Listener {
 public:
  /// In which the servers know message ids.
  static constexpr Millis shortest_window{120'000};

  NatsStore(KeyStore::Listener& listener, Outlet& outlet, const Settings& settings, std::string name_space);

  Capability capability() const override { return Capability::sealed; }
  void begin(Millis timeout, const std::optional<Handle>& resumed, Done<SessionBegun> done) override;
  void bind(const std::string& key, const std::string& value, Done<KeyAnswer> done) override;
  void renew(const std::string& key, const std::string& value, Done<KeyAnswer> done) override;
  void end(Done<KeyAnswer> done) override;
  void abandon() noexcept override { abandoned_ = true; }

  void commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) override;
  void get(std::vector<std::string> keys, Done<KeyRead> done) override;
  void list(const std::string& prefix, Done<KeyRead> done) override;
  void follow(const std::string& prefix) override;
  void watch(const std::string& prefix) override;
  SteadyTime observed_until() const override { return session_.observed_until(); }

  std::optional<WallTime> clock() const override { return session_.clock(); }
  void state(Done<StoreState> done) override;

  void receive() override;
  void tick(SteadyTime now) override;
  std::optional<SteadyTime> due() const override;

 private:
  enum class Stage { apart, connecting, connected, ready };
  struct Beginning {
    Millis timeout;
    std::optional<Handle> resumed;
    Done<SessionBegun> done;
    SteadyTime late;
    Answer registers = {}, sessions = {};  // of opening them
  };
  using Shared = std::shared_ptr<Beginning>;

  void on_filled(const Feed& feed) override;
  void on_change(const Feed& feed, const std::string& key, const Stored& stored) override;
  void on_disagreement(const Feed& feed, const std::string& text) override;
  void on_renumbered(const Feed& feed) override;

  void on(Message& message);
  void connect();
  void on_connected();
  void leave();
  void open();
  void on_opened();
  void on_tried(const SelfTest& found);
  void on_ready();
  void enter();
  void begun(const SessionBegun& answer);
  void denied(const std::string& what);
  void refused(std::string why) { begun({SessionBegun::How::refused, {}, {}, Millis(0), std::move(why)}); }
  void full(const Bucket& bucket);
  void unknown(std::string why) { begun({SessionBegun::How::unknown, {}, {}, Millis(0), std::move(why)}); }

  Bucket& bucket_of(const std::string& key);
  const Feed& feed_of(const std::string& key) const;
  void write(KeyChange change, Bucket::Done done);
  void on_removed(const std::string& key, const KeyAnswer& answer, const Bucket::Done& done);
  std::vector<KeyEntry> found_below(const std::string& prefix) const;
  /// On the next iteration, as nothing is answered from within.
  void later(std::function<void()> work) { later_.push_back(std::move(work)); }
  void run_later();
  SteadyTime late() const;

  KeyStore::Listener& listener_;
  Outlet& outlet_;
  const Settings settings_;
  const std::string name_space_;
  const std::shared_ptr<Inbox> inbox_;
  Client client_;
  Bucket registers_, sessions_;
  OwnSession session_;
  Sweep sweep_;

  Stage stage_ = Stage::apart;
  Shared beginning_;  // null: nothing is to be begun
  std::optional<SteadyTime> connect_at_;
  Millis patience_{2000}, max_age_{0};
  SelfTest tried_;
  std::set<std::string> followed_, watched_, touched_;  // prefixes
  std::vector<std::function<void()>> later_;
  std::string denied_;      // what was said last that this user may not
  SteadyTime warned_at_{};  // of replicas that do not agree
  bool observes_ = false;
  bool abandoned_ = false;
};

}  // namespace ballot::nats

// NatsStore: JetStream as a store of keys: two buckets, of which one forgets what is not written again in time. Layers:
// support's KeyDriver (what keys mean) - this - OwnSession, Leases (what is written when) - Bucket (how one writes),
// Feed (how one reads) - Client (the library). Used on the plugin's thread only.
//
//   KeyDriver driver(outlet, place, [=](KeyStore::Listener& to, Outlet& out) {
//     return std::make_unique<NatsStore>(to, out, NatsPlace{...}); });
//
//   | stage      | what is under way                                     | next                                |
//   | ---------- | ----------------------------------------------------- | ----------------------------------- |
//   | apart      | nothing                                               | connecting: begin(), a closed one   |
//   | connecting | the library tries each server once                    | opening; apart                      |
//   | opening    | the buckets are looked at, or made; updates are tried | ready; connected: it did not work   |
//   | connected  | nothing                                               | opening: begin()                    |
//   | ready      | both are there, and read                              | connecting: the library has given up |
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bucket.hpp"
#include "client.hpp"
#include "feed.hpp"
#include "leases.hpp"
#include "own_session.hpp"
#include "self_test.hpp"
#include "settings.hpp"
#include "support/keys/key_store.hpp"
#include "support/session_driver.hpp"
#include "tidy.hpp"

namespace ballot::nats {

using namespace support;

/// Where a NatsStore works.
struct NatsPlace {
  Access access;
  std::string bucket, name_space;
  int replicas = 0;
};

class NatsStore final : public KeyStore, private Feed::Listener {
 public:
  /// In which the servers know message ids.
  static constexpr Millis shortest_window{120'000};

  NatsStore(KeyStore::Listener& listener, Outlet& outlet, NatsPlace place);

  Capability capability() const override { return Capability::sealed; }
  void begin(Millis timeout, const std::optional<Handle>& resumed, Done<SessionBegun> done) override;
  void bind(const std::string& key, const std::string& value, Done<KeyAnswer> done) override;
  void renew(const std::string& key, const std::string& value, Done<KeyAnswer> done) override;
  void end(Done<KeyAnswer> done) override;
  void abandon() noexcept override;

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
  bool idle() const;

 private:
  enum class Stage { apart, connecting, opening, connected, ready };
  struct Beginning {
    Millis timeout{0};
    std::optional<Handle> resumed;
    Done<SessionBegun> done;
    SteadyTime late{};
  };
  struct Opening;

  void on_filled(const Feed& feed) override;
  void on_change(const Feed& feed, const std::string& key, const Stored& stored) override;

  void on(Message& message);
  void connect();
  void on_failed(const Message& message);
  void open();
  void on_opened(const std::shared_ptr<Opening>& opening);
  void try_updates(const std::shared_ptr<Opening>& opening);
  void on_ready();
  void begun(SessionBegun begun);
  void not_begun(SessionBegun::How how, std::string text);

  void start(Feed& feed);
  Feed& feed_of(const std::string& key);
  Bucket& bucket_of(const std::string& key);
  void write(KeyChange change, Bucket::Done done);
  void listed(const Feed& feed, const std::string& prefix);
  KeyRead found(const std::vector<std::string>& keys) const;
  KeyRead found_below(const std::string& prefix) const;
  /// On the next iteration, as nothing is answered from within.
  void later(std::function<void()> work) { later_.push_back(std::move(work)); }
  void run_later();
  SteadyTime late() const;

  KeyStore::Listener& listener_;
  Outlet& outlet_;
  const NatsPlace place_;
  const std::shared_ptr<Inbox> inbox_;
  Client client_;
  Feed registers_feed_, sessions_feed_;
  Bucket registers_, sessions_;
  OwnSession session_;
  std::optional<Leases> leases_;
  Tidy tidy_;

  Stage stage_ = Stage::apart;
  std::optional<Beginning> beginning_;
  std::uint64_t begun_ = 0;  // how often it was begun
  std::optional<SteadyTime> connect_at_;
  Millis patience_{2000}, max_age_{0};
  SelfTest tried_;
  struct Prefixes {
    std::set<std::string> followed, watched, touched;
  } prefixes_;
  std::vector<std::function<void()>> later_;
  bool observes_ = false;
  bool abandoned_ = false;
};

}  // namespace ballot::nats

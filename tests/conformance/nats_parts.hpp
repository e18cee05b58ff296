// NatsParts: what the plugin nats is made of, one connection of it, in the test's own thread.
//
//   NatsParts writer(cluster[0].address(), "t1");
//   ASSERT_TRUE(writer.make(3s));
//   writer.bucket.write({"r/j/x", "text", 0}, Priority::normal, late, [&](const KeyAnswer& answer) { ... });
//   NatsParts::pump({&writer}, [&] { return answered; }, 5s);
#pragma once

#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jetstream/client.hpp"
#include "nats/bucket.hpp"
#include "support/clock.hpp"
#include "support/wakeup.hpp"

namespace ballot::testing {

class NatsParts final : private nats::Feed::Listener {
 public:
  NatsParts(const std::string& server, const std::string& bucket_name)
      : inbox(std::make_shared<nats::Inbox>(std::make_shared<support::Wakeup>())),
        client(inbox, access_to(server)),
        bucket(client, bucket_name, *this) {
    client.connect({}, Millis(1000));
  }

  /// Connects and opens the bucket, which forgets after `max_age`, and waits until it is read. False: it did not work.
  bool make(Millis max_age, const std::string& description = "test") {
    constexpr Millis limit{20'000};
    const SteadyTime end = support::boot_now() + limit;
    std::optional<nats::Answer> opened;
    const auto open = [&] {
      nats::StreamConfig wanted{"", description, max_age, max_age > Millis(0) ? max_age : Millis(120'000), 0};
      bucket.open(wanted, nats::Bucket::Missing::make, [&](const auto& found) { opened = found; });
    };
    pump(
        {this}, [this] { return connected; }, limit);
    while (support::boot_now() < end && (!opened || opened->failed())) {
      opened.reset();
      open();
      pump(
          {this}, [&] { return opened.has_value(); }, limit);
    }
    bucket.feed().start(Millis(500));
    return pump(
        {this}, [this] { return bucket.feed().is_live(); }, limit);
  }

  /// Until `done`. False: it was not so within `limit`.
  static bool pump(const std::vector<NatsParts*>& all, const std::function<bool()>& done, Millis limit) {
    const SteadyTime end = support::boot_now() + limit;
    while (!done()) {
      if (support::boot_now() >= end) return false;
      for (NatsParts* one : all) one->turn();
      ::usleep(200);
    }
    return true;
  }

  const std::shared_ptr<nats::Inbox> inbox;
  nats::Client client;
  nats::Bucket bucket;
  bool connected = false;
  int disagreements = 0, renumbered = 0;
  std::function<void(const std::string& key, const nats::Stored&)> changed;

 private:
  static nats::Access access_to(const std::string& server) {
    nats::Access access;
    access.servers.hosts = {server};
    return access;
  }
  void on_filled(const nats::Feed&) override {}
  void on_disagreement(const nats::Feed&, const std::string&) override { ++disagreements; }
  void on_renumbered(const nats::Feed&) override { ++renumbered, bucket.forget_versions(); }
  void on_change(const nats::Feed&, const std::string& key, const nats::Stored& stored) override {
    if (changed) changed(key, stored);
  }
  void on_notice(nats::Message::Kind kind) {
    if (kind == nats::Message::Kind::denied) return;
    connected = kind == nats::Message::Kind::connected;
    connected ? bucket.feed().on_connected() : client.connect({}, Millis(1000));
  }
  void turn() {
    for (nats::Message& message : inbox->take()) {
      if (client.on(message)) continue;
      if (message.kind == nats::Message::Kind::message)
        bucket.feed().on(message);
      else
        on_notice(message.kind);
    }
    client.tick(support::boot_now());
    bucket.feed().tick(support::boot_now());
  }
};

}  // namespace ballot::testing

// ServedStore: a store of one server or several, and a relay from each node to each of them. `Ensemble` starts and
// stops the servers (support/servers); what a node's file says of them is the backend's own.
#pragma once

#include <chrono>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "chaos/stores/store.hpp"
#include "support/servers/reserved_port.hpp"
#include "support/servers/tcp_relay.hpp"

namespace ballot::chaos {

using testing::ReservedPort;
using testing::TcpRelay;

template <typename Ensemble>
class ServedStore : public Store {
 public:
  template <typename... Settings>
  explicit ServedStore(Settings&&... settings) : servers_(std::forward<Settings>(settings)...) {}

  void cut(const std::string& node, Cut how) override {
    for (TcpRelay& relay : way(node).relays) switch (how) {
        case Cut::silent: relay.cut(); break;
        case Cut::broken: relay.lead_to(nowhere_.number()), relay.break_connections(); break;
        case Cut::requests: relay.drop(TcpRelay::Way::to_server, true); break;
        case Cut::answers: relay.drop(TcpRelay::Way::to_client, true); break;
      }
    way(node).how = how;
  }
  void heal(const std::string& node) override {
    Way& own = way(node);
    servers_.heal();
    std::size_t server = 0;
    for (TcpRelay& relay : own.relays) {
      relay.lead_to(own.ports[server++]);
      if (own.how == Cut::requests || own.how == Cut::answers || own.bound) relay.break_connections();
      relay.heal();
      relay.delay(TcpRelay::Way::to_server, Millis(0));
      relay.delay(TcpRelay::Way::to_client, Millis(0));
      relay.lose_requests("");
      for (const auto to : {TcpRelay::Way::to_server, TcpRelay::Way::to_client}) relay.drop(to, false);
    }
    own.how = Cut::silent;
    own.bound.reset();
  }
  void delay(const std::string& node, Millis by) override {
    for (TcpRelay& relay : way(node).relays)
      for (const auto to : {TcpRelay::Way::to_server, TcpRelay::Way::to_client}) relay.delay(to, by);
  }
  std::size_t lost(const std::string& node) const override {
    std::size_t all = 0;
    for (const TcpRelay& relay : ways_.at(node).relays) all += relay.dropped();
    return all;
  }
  void bind(const std::string& node, Place place) override {
    Way& own = way(node);
    own.bound = leader();
    if (place == Place::follower) own.bound = *own.bound == 0 ? 1 : 0;
    for (TcpRelay& relay : own.relays) relay.lead_to(servers_[*own.bound].port()), relay.break_connections();
  }
  void part_from_others(const std::string& node) override { servers_.cut_off(way(node).bound.value()); }
  void part_one_way(const std::string& node, testing::Lost lost) override {
    servers_.cut_way(way(node).bound.value(), lost);
  }

  std::size_t servers() const override { return servers_.size(); }
  /// They may be electing one.
  std::size_t leader() override {
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);;) try {
        return index_of(servers_.leader());
      } catch (const std::runtime_error&) {
        if (std::chrono::steady_clock::now() > end) throw;
        std::this_thread::sleep_for(Millis(50));  // there is nothing else to wait for
      }
  }
  std::size_t index_of(const auto& leading) {
    for (std::size_t i = 0; i < servers_.size(); ++i)
      if (&servers_[i] == &leading) return i;
    return 0;
  }
  void kill(std::size_t server) override { servers_[server].kill(); }
  void start() override { servers_.start(); }
  void stand_still() override {
    for (std::size_t i = 0; i < servers_.size(); ++i) servers_[i].freeze();
  }
  void go_on() override {
    for (std::size_t i = 0; i < servers_.size(); ++i) servers_[i].thaw();
  }
  void go_down() override {
    for (std::size_t i = 0; i < servers_.size(); ++i) servers_[i].kill();
  }
  void come_back() override { servers_.start(); }
  void save() override {
    go_down();
    for (std::size_t i = 0; i < servers_.size(); ++i) servers_[i].save();
    start();
  }
  void restore() override {
    go_down();
    for (std::size_t i = 0; i < servers_.size(); ++i) servers_[i].restore();
    start();
  }

 protected:
  struct Way {
    std::vector<int> ports;      // to which the node speaks
    std::list<TcpRelay> relays;  // one to each of them
    Cut how = Cut::silent;
    std::optional<std::size_t> bound;  // to this server alone
  };

  Way& way(const std::string& node) {
    const auto [found, is_new] = ways_.try_emplace(node);
    if (is_new) {
      found->second.ports = ports_for(ways_.size() - 1);
      for (const int port : found->second.ports) found->second.relays.emplace_back(port);
    }
    return found->second;
  }
  /// Of the relays, each with `before` in front.
  std::string addresses(const std::string& node, const std::string& before = "") {
    std::string all;
    for (const TcpRelay& relay : way(node).relays) all += (all.empty() ? "" : ",") + before + relay.address();
    return all;
  }
  /// Whom the nodes speak to, in the order in which they are named: all servers.
  virtual std::vector<int> ports_for(std::size_t) {
    std::vector<int> all;
    for (std::size_t i = 0; i < servers_.size(); ++i) all.push_back(servers_[i].port());
    return all;
  }
  /// Requests with that text are lost until the way is healed.
  void lose_requests(const std::string& node, const std::string& text) {
    for (TcpRelay& relay : way(node).relays) relay.lose_requests(text);
    way(node).how = Cut::requests;
  }

  Ensemble servers_;

 private:
  const ReservedPort nowhere_;
  std::map<std::string, Way> ways_;
};

}  // namespace ballot::chaos

// ZookeeperPlace: a path of its own at a real ZooKeeper server that all tests of a program share; and what an operator
// finds there.
//
//   ZookeeperPlace place;                              // the server runs, whatever the test before has done to it
//   ElectionFolder folder(place.config(3s));
//   TcpRelay relay(place.server().port());
//   CandidateProcess a(folder, once("a", place.through(relay), shell("true")));
//   EXPECT_EQ(place.queue("default").size(), 1u);
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/servers/zookeeper_client.hpp"
#include "support/servers/zookeeper_server.hpp"

namespace ballot::testing {

class ZookeeperPlace {
 public:
  static constexpr Millis tick{200}, longest_timeout{20'000};

  ZookeeperPlace() : path_("/t" + std::to_string(++last())) { store().start(); }

  static ZookeeperServer& server() { return store()[0]; }
  static void start_server() { store().start(); }

  /// What ballot.toml says of the store.
  std::string config(Millis timeout) const {
    return "[coordination]\nbackend = \"zookeeper\"\nallow_open_store = true\nsession_timeout = \"" +
           format_duration(timeout) + "\"\n[zookeeper]\ntick = \"" + format_duration(tick) + "\"\nservers = \"" +
           at(server().address()) + "\"\n";
  }
  /// The address of a server, and this path at it.
  std::string at(const std::string& address) const { return address + path_; }
  /// Flags of a candidate that reaches the server by the relay.
  std::vector<std::string> through(const TcpRelay& relay, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--zookeeper-servers", at(relay.address())});
    return more;
  }

  /// In the default namespace.
  std::string path(const std::string& below) const { return path_ + "/ballot/" + below; }
  /// The nodes of a group's candidates, in order of their names.
  std::vector<std::string> queue(const std::string& group) const {
    auto names = ZookeeperClient(server().address()).children(path("e/" + group));
    std::sort(names.begin(), names.end());
    return names;
  }
  /// What a candidate of `run` or `election` is called below `m/`.
  static std::string member(const std::string& candidate, const std::string& group = "default") {
    return "m/" + candidate + "@" + group;
  }
  /// Whether a session has the name.
  bool has_session(const std::string& candidate) const {
    return !ZookeeperClient(server().address()).children(path(member(candidate))).empty();
  }
  /// All that is known of candidates, also of those that are gone.
  std::vector<std::string> members() const { return ZookeeperClient(server().address()).children(path("m")); }
  /// A node's data; "": there is none.
  std::string text(const std::string& below) const {
    std::string found;
    ZookeeperClient(server().address()).get(path(below), &found);
    return found;
  }
  /// Removes the group's node of the candidate. False: it has none.
  bool remove_candidate(const std::string& group, const std::string& candidate) const {
    ZookeeperClient store(server().address());
    for (const std::string& name : store.children(path("e/" + group))) {
      std::string found;
      if (store.get(path("e/" + group + "/" + name), &found) != ZOK) continue;
      if (!found.starts_with(candidate + "@" + group + " ")) continue;
      return store.remove(path("e/" + group + "/" + name)) == ZOK;
    }
    return false;
  }

 private:
  static ZookeeperEnsemble& store() {
    static ZookeeperEnsemble one(
        1, {.tick = tick, .more = "maxSessionTimeout=" + std::to_string(longest_timeout.count()) + "\n"});
    return one;
  }
  static int& last() {
    static int number = 0;
    return number;
  }

  const std::string path_;
};

}  // namespace ballot::testing

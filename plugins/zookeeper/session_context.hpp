// SessionContext: what the parts of one open session share. Used on the plugin's thread only.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballot/backend.hpp"
#include "client.hpp"
#include "client_id.hpp"
#include "paths.hpp"
#include "support/calls.hpp"
#include "support/clock.hpp"
#include "support/member_name.hpp"

namespace ballot::zookeeper {

using namespace support;

struct SessionContext {
  SessionContext(Client& its_client, const Paths& its_paths, Host& its_host, SessionRequest request)
      : client(its_client), paths(its_paths), host(its_host), self(std::move(request)) {}

  Client& client;
  const Paths& paths;
  Host& host;
  const SessionRequest self;
  std::string session = {};       // ours, as text
  std::string session_path = {};  // of the node that exists while the session does; "" for an observer
  bool deputy = false;            // for a dead daemon, to leave on its behalf
  Events events = {};             // to be posted, in order
  std::uint64_t highest = 0;      // zxid seen

  void post(Event event) { events.push_back(std::move(event)); }
  void see(const Stat& stat) {
    for (const std::int64_t zxid : {stat.czxid, stat.mzxid, stat.pzxid})
      highest = std::max(highest, static_cast<std::uint64_t>(std::max<std::int64_t>(zxid, 0)));
  }

  /// Makes the folders above everything, where they are missing. `done` gets the last code.
  void make_folders(const std::function<void(int rc)>& done) {
    const auto& folders = paths.folders();
    for (const std::string& folder : folders) {
      const bool last = &folder == &folders.back();
      client.create(folder, {}, ZOO_PERSISTENT, [done, last](const Reply& reply) {
        if (last) done(reply.rc == ZNODEEXISTS ? ZOK : reply.rc);
      });
    }
  }

  /// What is read in `then` is at least as new as all that was acknowledged before this call: a write that changes
  /// nothing is committed first. An observer, which decides nothing, lets its server catch up instead.
  void after_barrier(std::function<void(int rc)> then) {
    waiting_.push_back(std::move(then));
    if (passing_.empty()) pass();
  }

 private:
  void pass() {
    passing_ = std::exchange(waiting_, {});
    const auto passed = [this](const Reply& reply) {
      const auto all = std::exchange(passing_, {});
      for (const auto& then : all) then(reply.rc);
      if (passing_.empty() && !waiting_.empty()) pass();
    };
    if (session_path.empty()) return client.sync(paths.registers(), passed);
    auto multi = client.multi();
    multi->check(session_path);
    client.commit(std::move(multi), passed);
  }

  std::vector<std::function<void(int)>> waiting_, passing_;
};

}  // namespace ballot::zookeeper

#include "server_facts.hpp"

#include <sstream>
#include <utility>

namespace redis {

ServerFacts::ServerFacts(const std::string& info, std::string appendfsync) : appendfsync_(std::move(appendfsync)) {
  std::istringstream lines(info);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (const std::size_t colon = line.find(':'); colon != std::string::npos)
      info_[line.substr(0, colon)] = line.substr(colon + 1);
  }
}

std::string ServerFacts::at(const std::string& key) const {
  const auto found = info_.find(key);
  return found == info_.end() ? "" : found->second;
}

std::string ServerFacts::refusal() const {
  if (at("cluster_enabled") == "1")
    return "the server is one of a Redis Cluster, which loses acknowledged writes: set a server that is alone";
  if (at("role") != "master")
    return "the server is a replica, whose writes count for nothing: set a server that is alone";
  return {};
}

ballot::StoreState ServerFacts::state() const {
  const bool appends = at("aof_enabled") == "1";
  const std::string synced = !appends ? "no" : appendfsync_.empty() ? "unknown" : appendfsync_;
  ballot::StoreState state{{{"version", at("redis_version")}, {"appendfsync", synced}}, {}};
  if (synced != "always")
    state.warnings.push_back("appendfsync is " + synced +
                             ": a server that crashes forgets what it has acknowledged, and slots may run twice. "
                             "Set appendonly yes and appendfsync always");
  if (at("maxmemory") != "0" && at("maxmemory_policy") != "noeviction")
    state.warnings.push_back("maxmemory-policy is " + at("maxmemory_policy") +
                             ": where memory is short the server removes what is stored here. Set noeviction");
  if (at("connected_slaves") != "0")
    state.warnings.push_back("the server has replicas: where one of them takes over, acknowledged writes are lost");
  return state;
}

}  // namespace redis

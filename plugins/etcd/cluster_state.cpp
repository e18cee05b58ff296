#include "cluster_state.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "support/join.hpp"

namespace ballot::etcd {

namespace {

constexpr std::uint64_t most_lag = 1000;  // entries of the log

using Names = std::map<std::string, std::string, std::less<>>;  // of members, by id

Names names_of(const Reply& members) {
  Names names;
  for (const http::json::value& one : http::array_at(members.body, "members")) {
    const std::string id(http::text_at(one, "ID")), name(http::text_at(one, "name"));
    names[id] = name.empty() ? "member " + id + ", not started" : name;
  }
  return names;
}

std::string name_of(const Names& names, std::string_view id) {
  const auto found = names.find(id);
  return found == names.end() ? "member " + std::string(id) : found->second;
}

std::string megabytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

/// "a, leader, etcd 3.4.23, 2.1 MB (1.0 MB in use)".
std::string server_text(const Reply& reply, const Names& names) {
  const std::string_view id = http::text_at(reply.body, "header", "member_id");
  const bool leads = http::text_at(reply.body, "leader") == id;
  return name_of(names, id) + (leads ? ", leader" : "") + ", etcd " +
         std::string(http::text_at(reply.body, "version")) + ", " + megabytes(http::number_at(reply.body, "dbSize")) +
         " (" + megabytes(http::number_at(reply.body, "dbSizeInUse")) + " in use)";
}

/// What is wrong with a server that answers; `newest`: the highest index of any server's log.
void warn_of(const std::string& server, const Reply& reply, std::uint64_t newest, std::vector<std::string>& warnings) {
  if (http::number_at(reply.body, "leader") == 0) warnings.push_back(server + " knows of no leader: it has no quorum");
  if (http::truth_at(reply.body, "isLearner")) warnings.push_back(server + " is a learner: it has no vote");
  const std::uint64_t applied = http::number_at(reply.body, "raftAppliedIndex");
  if (newest > applied + most_lag)
    warnings.push_back(server + " is behind by " + std::to_string(newest - applied) + " entries of the log");
  for (const http::json::value& one : http::array_at(reply.body, "errors"))
    warnings.push_back(server + ": " + std::string(http::text_of(one)));
}

void warn_of_alarms(const Reply& alarms, const Names& names, std::vector<std::string>& warnings) {
  for (const http::json::value& one : http::array_at(alarms.body, "alarms")) {
    const std::string kind(http::text_at(one, "alarm"));
    const std::string where = name_of(names, http::text_at(one, "memberID"));
    if (kind == "NOSPACE")
      warnings.push_back("alarm NOSPACE at " + where +
                         ": nothing can be written. Compact, defragment, and disarm it (etcdctl alarm disarm)");
    else
      warnings.push_back("alarm " + kind + " at " + where);
  }
}

}  // namespace

void ClusterState::ask(Millis patience, Done done) {
  const auto found = std::make_shared<Found>();
  found->servers.resize(gateway_.servers());
  const support::Join join([this, found, done = std::move(done)] { done(state_of(*found)); });
  const auto into = [found, &join](Reply& place) {
    return [found, &place, end = join.part()](const Reply& reply) {
      place = reply;
      end();
    };
  };
  for (std::size_t i = 0; i < gateway_.servers(); ++i)
    gateway_.ask({"/v3/maintenance/status", "{}", Repeat::never, patience, i}, into(found->servers[i]));
  gateway_.ask({"/v3/cluster/member/list", "{}", Repeat::safe, patience}, into(found->members));
  gateway_.ask({"/v3/maintenance/alarm", "{\"action\":\"GET\"}", Repeat::safe, patience}, into(found->alarms));
}

StoreState ClusterState::state_of(const Found& found) const {
  StoreState state;
  const Names names = names_of(found.members);
  std::set<std::string> versions, leaders;
  std::uint64_t newest = 0;
  for (const Reply& one : found.servers) newest = std::max(newest, http::number_at(one.body, "raftIndex"));
  const auto answered =
      std::count_if(found.servers.begin(), found.servers.end(), [](const Reply& one) { return one.done(); });
  state.facts.emplace_back("servers", std::to_string(answered) + " of " + std::to_string(found.servers.size()) +
                                          " answer; the cluster has " + std::to_string(names.size()) + " members");
  for (std::size_t i = 0; i < found.servers.size(); ++i) {
    const Reply& one = found.servers[i];
    const std::string server = gateway_.server(i);
    state.facts.emplace_back(server, one.done() ? server_text(one, names) : "does not answer");
    if (!one.done()) {
      state.warnings.push_back(server + " does not answer: " + one.text);
      continue;
    }
    warn_of(server, one, newest, state.warnings);
    versions.emplace(http::text_at(one.body, "version"));
    if (http::number_at(one.body, "leader") != 0) leaders.emplace(http::text_at(one.body, "leader"));
  }
  if (versions.size() > 1) state.warnings.push_back("the servers are of different versions");
  if (leaders.size() > 1) state.warnings.push_back("the servers do not agree who leads them");
  if (answered > 0 && names.size() == 2)
    state.warnings.push_back("the cluster has two members: it stands still when either of them is down");
  warn_of_alarms(found.alarms, names, state.warnings);
  return state;
}

}  // namespace ballot::etcd

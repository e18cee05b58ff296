#include "store_facts.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "support/join.hpp"

namespace ballot::consul {

namespace {

using http::json::value;

enum Question : std::size_t { leader, peers, self, raft, checks, count };

constexpr std::array<const char*, count> targets = {"/v1/status/leader", "/v1/status/peers", "/v1/agent/self",
                                                    "/v1/operator/raft/configuration", "/v1/agent/checks"};

using Replies = std::array<Reply, count>;

void add_servers(const Replies& replies, StoreState& state) {
  const auto& servers = http::array_at(replies[raft].json, "Servers");
  std::string names;
  std::size_t voters = 0;
  for (const value& server : servers) {
    if (http::truth_at(server, "Voter")) ++voters;
    names += (names.empty() ? "" : ", ") + std::string(http::text_at(server, "Node")) +
             (http::truth_at(server, "Leader") ? " (leader)" : "") +
             (http::truth_at(server, "Voter") ? "" : " (no voter)");
  }
  if (servers.empty()) {
    for (const value& one : http::array_of(replies[peers].json)) {
      ++voters;
      names += (names.empty() ? "" : ", ") + std::string(http::text_of(one));
    }
  }
  if (!names.empty()) state.facts.emplace_back("servers", names);
  if (voters > 0 && voters % 2 == 0)
    state.warnings.push_back(std::to_string(voters) + " servers stand the loss of no more of them than " +
                             std::to_string(voters - 1) + " do: have an odd number");
}

void add_agent(const Replies& replies, StoreState& state) {
  const value& json = replies[self].json;
  if (const std::string name(http::text_at(json, "Config", "NodeName")); !name.empty())
    state.facts.emplace_back("agent", name + (http::truth_at(json, "Config", "Server") ? ", a server" : ""));
  for (const auto& [fact, field] : {std::pair("version", "Version"), std::pair("datacenter", "Datacenter")})
    if (const auto found = http::text_at(json, "Config", field); !found.empty()) state.facts.emplace_back(fact, found);
  const value& all = replies[checks].json;
  if (!all.is_object()) return;
  for (const auto& entry : all.get_object())
    if (http::text_at(entry.value(), "ServiceID").empty() && http::text_at(entry.value(), "Status") == "critical")
      state.warnings.push_back("this host's check '" + std::string(http::text_at(entry.value(), "Name")) +
                               "' is critical");
}

StoreState state_of(const Replies& replies) {
  StoreState state;
  const Reply& leads = replies[leader];
  if (leads.is(Reply::Meaning::unknown)) {
    state.warnings.push_back("the agent does not answer: " + leads.text());
    return state;
  }
  const std::string_view at = http::text_of(leads.json);
  if (at.empty())
    state.warnings.push_back("no cluster leader: nothing can be written");
  else
    state.facts.emplace_back("leader", at);
  add_servers(replies, state);
  add_agent(replies, state);
  return state;
}

}  // namespace

void ask_facts(Agent& agent, std::function<void(const StoreState&)> done) {
  const auto replies = std::make_shared<Replies>();
  const support::Join join([replies, done = std::move(done)] { done(state_of(*replies)); });
  for (std::size_t i = 0; i < count; ++i)
    agent.get(targets[i], [replies, i, end = join.part()](const Reply& reply) {
      (*replies)[i] = reply;
      if (!reply.is(Reply::Meaning::done)) (*replies)[i].json = nullptr;
      end();
    });
}

}  // namespace ballot::consul

#include "store_facts.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>

namespace ballot::consul {

namespace {

using http::json::value;

enum Question : std::size_t { leader, peers, self, raft, checks, count };

constexpr std::array<const char*, count> targets = {"/v1/status/leader", "/v1/status/peers", "/v1/agent/self",
                                                    "/v1/operator/raft/configuration", "/v1/agent/checks"};

struct Asked {
  std::array<Reply, count> replies = {};
  std::size_t open = count;
  std::function<void(const StoreState&)> done;
};

std::string text(std::string_view words) { return std::string(words); }

void add_servers(const Asked& asked, StoreState& state) {
  const auto& servers = http::array_at(asked.replies[raft].json, "Servers");
  std::string names;
  std::size_t voters = 0;
  for (const value& server : servers) {
    if (http::truth_at(server, "Voter")) ++voters;
    names += (names.empty() ? "" : ", ") + text(http::text_at(server, "Node")) +
             (http::truth_at(server, "Leader") ? " (leader)" : "") +
             (http::truth_at(server, "Voter") ? "" : " (no voter)");
  }
  if (servers.empty()) {
    for (const value& one : http::array_of(asked.replies[peers].json)) {
      ++voters;
      names += (names.empty() ? "" : ", ") + text(http::text_of(one));
    }
  }
  if (!names.empty()) state.facts.emplace_back("servers", names);
  if (voters > 0 && voters % 2 == 0)
    state.warnings.push_back(std::to_string(voters) + " servers stand the loss of no more of them than " +
                             std::to_string(voters - 1) + " do: have an odd number");
}

void add_agent(const Asked& asked, StoreState& state) {
  const value& json = asked.replies[self].json;
  if (const auto name = http::text_at(json, "Config", "NodeName"); !name.empty())
    state.facts.emplace_back("agent", text(name) + (http::truth_at(json, "Config", "Server") ? ", a server" : ""));
  if (const auto version = http::text_at(json, "Config", "Version"); !version.empty())
    state.facts.emplace_back("version", text(version));
  if (const auto center = http::text_at(json, "Config", "Datacenter"); !center.empty())
    state.facts.emplace_back("datacenter", text(center));
  const value& all = asked.replies[checks].json;
  if (!all.is_object()) return;
  for (const auto& entry : all.get_object())
    if (http::text_at(entry.value(), "ServiceID").empty() && http::text_at(entry.value(), "Status") == "critical")
      state.warnings.push_back("this host's check '" + text(http::text_at(entry.value(), "Name")) + "' is critical");
}

StoreState state_of(const Asked& asked) {
  StoreState state;
  const Reply& leads = asked.replies[leader];
  if (leads.is(Reply::Meaning::unknown)) {
    state.warnings.push_back("the agent does not answer: " + leads.text());
    return state;
  }
  const std::string at = text(http::text_of(leads.json));
  if (at.empty())
    state.warnings.push_back("no cluster leader: nothing can be written");
  else
    state.facts.emplace_back("leader", at);
  add_servers(asked, state);
  add_agent(asked, state);
  return state;
}

}  // namespace

void ask_facts(Agent& agent, std::function<void(const StoreState&)> done) {
  const auto asked = std::make_shared<Asked>();
  asked->done = std::move(done);
  for (std::size_t i = 0; i < count; ++i)
    agent.get(targets[i], [asked, i](const Reply& reply) {
      asked->replies[i] = reply;
      if (!reply.is(Reply::Meaning::done)) asked->replies[i].json = nullptr;
      if (--asked->open == 0) asked->done(state_of(*asked));
    });
}

}  // namespace ballot::consul

#include "agent.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace ballot::consul {

namespace {

using Meaning = Reply::Meaning;

Meaning meaning_of(const http::Event& event) {
  if (!event.problem.empty()) return Meaning::unknown;
  switch (event.status) {
    case 200: return Meaning::done;
    case 404: return Meaning::absent;
    case 409: return Meaning::refused;
    case 401:
    case 403: return Meaning::forbidden;
    case 400:
    case 405:
    case 413: return Meaning::failed;
    default: return Meaning::unknown;
  }
}

Reply reply_of(http::Event event) {
  Reply reply{meaning_of(event), {}, 0, event.body.size()};
  const std::string_view index = event.header("X-Consul-Index");
  std::from_chars(index.data(), index.data() + index.size(), reply.index);
  reply.body = event.problem.empty() ? std::move(event.body) : std::move(event.problem);
  // It serves a query of its own copy then, and nobody says whether that is the store's.
  if (reply.is(Meaning::done) && event.header("X-Consul-Knownleader") == "false")
    return {Meaning::unknown, "no cluster leader", 0, 0};
  return reply;
}

}  // namespace

std::string Reply::text() const {
  if (is(Meaning::forbidden))
    return "Consul does not let this token do it (" + body +
           "): look at [consul] token_file, and at the rules in docs/backends/consul.md";
  return body.substr(0, 300);
}

Agent::Agent(std::unique_ptr<http::Client> client, std::string token, std::function<void()> on_connected)
    : client_(std::move(client)), token_(std::move(token)), on_connected_(std::move(on_connected)) {}

Agent::~Agent() = default;

void Agent::call(Call call, Done done) { send(std::move(call), std::move(done), false); }

void Agent::poll(std::string target, Millis patience, Done done) {
  send({"GET", std::move(target), {}, patience}, std::move(done), true);
}

void Agent::send(Call call, Done done, bool polls) {
  http::Request request;
  request.method = std::move(call.method);
  request.target = std::move(call.target);
  request.body = std::move(call.body);
  request.patience = call.patience;
  request.long_poll = polls;
  request.idempotent = request.method == "GET";
  if (!token_.empty()) request.headers.emplace_back("X-Consul-Token", token_);
  asked_[client_->ask(std::move(request))] = {std::move(done), polls};
  if (!polls) ++under_way_;
}

void Agent::receive() {
  for (const auto& work : std::exchange(later_, {})) work();
  for (http::Event& event : client_->take()) {
    const auto found = asked_.find(event.id);
    if (found == asked_.end()) continue;
    const Asked asked = std::move(found->second);
    asked_.erase(found);
    if (!asked.polls) --under_way_;
    const Reply reply = reply_of(std::move(event));
    judge(reply);
    asked.done(reply);
  }
}

void Agent::judge(const Reply& reply) {
  saw(reply.index);
  if (reply.is(Meaning::unknown)) {
    silent_ = true;
  } else if (std::exchange(silent_, false)) {
    on_connected_();
  }
}

void Agent::saw(std::uint64_t revision) noexcept { revision_ = std::max(revision_, revision); }

void Agent::abandon() noexcept {
  asked_.clear();
  later_.clear();
  under_way_ = 0;
}

}  // namespace ballot::consul

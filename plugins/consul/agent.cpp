#include "agent.hpp"

#include <charconv>
#include <stdexcept>

#include "support/excerpt.hpp"

namespace ballot::consul {

namespace {

using Meaning = Reply::Meaning;

Meaning meaning_of(int status) {
  switch (status) {
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
  if (!event.problem.empty()) {
    Reply reply(Meaning::unknown, std::move(event.problem));
    reply.too_large = event.too_large;
    return reply;
  }
  // The agent answers from its own copy then, which may be stale.
  if (event.status == 200 && event.header("X-Consul-Knownleader") == "false")
    return Reply(Meaning::unknown, "no cluster leader");
  const std::string_view text = event.header("X-Consul-Index");
  std::uint64_t index = 0;
  std::from_chars(text.data(), text.data() + text.size(), index);
  return Reply(meaning_of(event.status), std::move(event.body), index);
}

}  // namespace

std::string Reply::text() const {
  if (is(Meaning::forbidden))
    return "Consul does not let this token do it (" + support::excerpt(body) +
           "): look at [consul] token_file, and at the rules in docs/backends/consul.md";
  return support::excerpt(body);
}

StoreResult outcome_of(const Reply& reply) {
  if (reply.is(Meaning::done)) return StoreResult::done;
  return reply.is(Meaning::forbidden) || reply.is(Meaning::failed) ? StoreResult::failed : StoreResult::unknown;
}

Agent::Agent(const http::Settings& settings, std::shared_ptr<support::Wakeup> wakeup, std::string token,
             std::function<void()> on_connected)
    : token_(std::move(token)), on_connected_(std::move(on_connected)) {
  auto client = http::Client::make(settings, std::move(wakeup));
  if (!client) throw std::runtime_error(client.error().what);
  client_ = std::move(*client);
}

void Agent::transact(const std::vector<std::string>& operations, Done done, std::optional<Millis> patience) {
  std::string body;
  for (const std::string& one : operations) body += (body.empty() ? '[' : ',') + one;
  call({"PUT", "/v1/txn?consistent", body + ']', patience}, std::move(done));
}

/// The agent adds up to a sixteenth to the wait.
void Agent::poll(std::string target, std::uint64_t since, Millis wait, Done done) {
  if (since > 0) target += "&index=" + std::to_string(since) + "&wait=" + std::to_string(wait.count()) + "ms";
  call({"GET", std::move(target), {}, wait + wait / 16 + patience_, true}, std::move(done));
}

void Agent::call(Call call, Done done) {
  http::Request request{.method = std::move(call.method), .target = std::move(call.target)};
  request.body = std::move(call.body);
  request.largest = call.largest;
  request.patience = call.patience.value_or(patience_);
  request.long_poll = call.polls;
  request.idempotent = request.method == "GET";
  if (!token_.empty()) request.headers.emplace_back("X-Consul-Token", token_);
  asked_[client_->ask(std::move(request))] = std::move(done);
}

void Agent::receive() {
  for (http::Event& event : client_->take()) {
    const auto asked = asked_.extract(event.id);
    if (asked.empty()) continue;
    const Reply reply = reply_of(std::move(event));
    if (std::exchange(silent_, reply.is(Meaning::unknown)) && !silent_) on_connected_();
    asked.mapped()(reply);
  }
}

}  // namespace ballot::consul

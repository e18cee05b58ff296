#include "gateway.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http_client/json.hpp"
#include "support/clock.hpp"
#include "support/excerpt.hpp"

namespace ballot::etcd {

using namespace std::chrono_literals;

namespace {

constexpr Millis shortest_try = 250ms, connect_patience = 1000ms, token_patience = 500ms;
constexpr std::size_t most_tries = 6;

// gRPC's codes, as the gateway gives them.
constexpr std::uint64_t code_denied = 7, code_exhausted = 8, code_out_of_range = 11, code_unauthenticated = 16;
constexpr std::uint64_t codes_refused[] = {3, 9, 12};  // invalid argument, failed precondition, unimplemented

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// What an operator can do about this error, where that is known.
std::string advice(std::string_view message) {
  if (has(message, "database space exceeded"))
    return ": its quota is used up. Compact it, defragment it, and disarm the alarm (etcdctl alarm disarm)";
  if (has(message, "user name is empty")) return ": its servers ask who this is. Set [etcd] auth";
  if (has(message, "invalid user ID or password")) return ": see [etcd] auth";
  if (has(message, "authentication is not enabled"))
    return ": [etcd] auth is set, but the servers ask nobody who he is. Enable authentication there, or remove auth";
  if (has(message, "permission denied"))
    return ": the user's role must be allowed to read and write what begins with [etcd] prefix";
  return "";
}

bool is_full(std::uint64_t code, std::string_view message) {
  return code == code_exhausted && has(message, "space exceeded");
}

bool is_unauthenticated(const Reply& reply) {
  return reply.kind == Reply::Kind::refused && has(reply.text, "invalid auth token");
}

Reply::Kind kind_of(std::uint64_t code, std::string_view message) {
  if (has(message, "lease not found")) return Reply::Kind::not_found;
  if (code == code_out_of_range && has(message, "compacted")) return Reply::Kind::compacted;
  const bool refused = code == code_denied || code == code_unauthenticated || code == code_out_of_range ||
                       is_full(code, message) ||
                       std::find(std::begin(codes_refused), std::end(codes_refused), code) != std::end(codes_refused);
  return refused ? Reply::Kind::refused : Reply::Kind::unknown;
}

}  // namespace

StoreResult outcome_of(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::done: return StoreResult::done;
    case Reply::Kind::unknown:
    case Reply::Kind::compacted: return StoreResult::unknown;
    case Reply::Kind::not_found:
    case Reply::Kind::refused: break;
  }
  return StoreResult::failed;
}

Reply reply_of(const http::Event& event) {
  if (!event.problem.empty()) return {Reply::Kind::unknown, {}, event.problem};
  Reply reply{Reply::Kind::done, http::parse_json(event.body)};
  if (event.status == 200 && reply.body.is_object()) return reply;
  const std::string message = support::excerpt(http::text_at(reply.body, "error"));
  if (!message.empty()) {
    const std::uint64_t code = http::number_at(reply.body, "code");
    return {kind_of(code, message), {}, message + advice(message), false, is_full(code, message)};
  }
  const std::string text = "server returned HTTP " + std::to_string(event.status);
  if (event.status >= 500) return {Reply::Kind::unknown, {}, text};
  Reply foreign{Reply::Kind::refused, {}, text + ": is it etcd 3.4 or later, with its JSON gateway enabled?"};
  foreign.foreign = true;
  return foreign;
}

http::Settings client_settings(const Settings& settings) {
  http::Settings client{.servers = settings.servers};
  client.tls = settings.tls;
  client.connect_patience = connect_patience;
  return client;
}

Gateway::Gateway(const Settings& settings, std::string password, std::shared_ptr<support::Wakeup> wakeup)
    : servers_(settings.servers),
      user_(settings.user),
      password_(std::move(password)),
      credentials_(user_.empty() ? Credentials::none : Credentials::needed) {
  auto client = http::Client::make(client_settings(settings), std::move(wakeup));
  if (!client) throw std::runtime_error(client.error().what);
  client_ = std::move(*client);
}

void Gateway::ask(Call call, Done done) {
  const SteadyTime until = support::boot_now() + call.patience;
  send({std::move(call), std::move(done), until});
}

/// A call that another server may answer too gets half of the time at this one.
void Gateway::send(Asked asked) {
  if (!client_) return;
  const bool shows = !asked.call.anonymous;
  if (shows && credentials_ == Credentials::needed) authenticate();
  if (shows && credentials_ == Credentials::asking) return waiting_.push_back(std::move(asked));
  Millis left = std::max(asked.until - support::boot_now(), Millis(1));
  const bool elsewhere = asked.call.repeat == Repeat::safe && !asked.call.server && servers_.size() > 1;
  if (elsewhere) left = std::min(left, std::max(left / 2, shortest_try));
  http::Request request{.method = "POST", .target = asked.call.path, .body = asked.call.body, .patience = left};
  request.server = asked.call.server;
  request.long_poll = asked.call.urgent;
  request.largest = asked.call.largest;
  if (shows && credentials_ == Credentials::held) request.headers.emplace_back("Authorization", token_);
  asked.token = token_;
  ++asked.tries;
  asked_.emplace(client_->ask(std::move(request)), std::move(asked));
}

void Gateway::authenticate() {
  credentials_ = Credentials::asking;
  const http::json::value body{{"name", user_}, {"password", password_}};
  http::Request request{.method = "POST", .target = "/v3/auth/authenticate", .body = http::json::serialize(body)};
  request.patience = token_patience;
  Asked asked{{}, [this](const Reply& reply) { on_token(reply); }};
  asked_.emplace(client_->ask(std::move(request)), std::move(asked));
}

/// Without a token the calls that wait for it fail with the same reply.
void Gateway::on_token(const Reply& reply) {
  token_ = http::text_at(reply.body, "token");
  credentials_ = token_.empty() ? Credentials::needed : Credentials::held;
  Reply none = reply;
  if (none.done()) none.kind = Reply::Kind::unknown;
  for (Asked& one : std::exchange(waiting_, {}))
    credentials_ == Credentials::held ? send(std::move(one)) : one.done(none);
}

std::uint64_t Gateway::stream(const std::string& path, const std::string& body, Millis patience, OnLine on_line,
                              OnEnd on_end) {
  http::Request request{.method = "POST", .target = path, .body = body, .patience = patience};
  request.largest = support::bounds::list;
  // Else a server that has no quorum is silent.
  request.headers.emplace_back("Grpc-Metadata-hasleader", "true");
  if (credentials_ == Credentials::held) request.headers.emplace_back("Authorization", token_);
  const std::uint64_t id = client_->stream(std::move(request));
  streams_[id] = {std::move(on_line), std::move(on_end)};
  return id;
}

void Gateway::cancel(std::uint64_t stream) {
  if (streams_.erase(stream) > 0) client_->cancel(stream);
}

void Gateway::leave(std::uint64_t stream) {
  if (const auto found = streams_.find(stream); found != streams_.end()) client_->leave(found->second.server);
}

void Gateway::abandon() noexcept {
  asked_.clear();
  waiting_.clear();
  streams_.clear();
  client_.reset();
}

void Gateway::receive() {
  if (!client_) return;
  for (const http::Event& event : client_->take()) {
    if (!client_) return;  // it was abandoned meanwhile
    streams_.contains(event.id) ? on_stream(event) : on_answer(event);
  }
}

void Gateway::note(const Reply& reply) {
  if (reply.kind == Reply::Kind::unknown)
    contact_ = Contact::lost;
  else if (contact_ == Contact::lost)
    contact_ = Contact::found;
}

bool Gateway::take_reconnected() {
  if (contact_ != Contact::found) return false;
  contact_ = Contact::good;
  return true;
}

void Gateway::on_answer(const http::Event& event) {
  auto node = asked_.extract(event.id);
  if (node.empty()) return;
  Asked asked = std::move(node.mapped());
  const Reply reply = reply_of(event);
  note(reply);
  if (reply.kind == Reply::Kind::unknown && event.problem.empty()) client_->leave(event.server);
  repeats(asked, reply, event) ? send(std::move(asked)) : asked.done(reply);
}

/// A call that was refused for its token has done nothing, so it is sent again with a new one.
bool Gateway::repeats(const Asked& asked, const Reply& reply, const http::Event& event) {
  if (asked.tries == 0 || asked.tries >= most_tries) return false;
  if (is_unauthenticated(reply) && !user_.empty() && !asked.call.anonymous) {
    if (asked.tries > 1) return false;
    if (credentials_ == Credentials::held && asked.token == token_) credentials_ = Credentials::needed;
    return true;
  }
  if (reply.foreign && asked.call.repeat == Repeat::safe && !asked.call.server && asked.tries < servers_.size()) {
    client_->leave(event.server);
    return true;
  }
  if (reply.kind != Reply::Kind::unknown || asked.call.repeat == Repeat::never) return false;
  if (!event.sent && !event.problem.empty()) return false;  // each server has been tried
  return !asked.call.server && support::boot_now() + shortest_try <= asked.until;
}

void Gateway::on_stream(const http::Event& event) {
  if (event.kind == http::Event::Kind::line) {
    streams_.at(event.id).server = event.server;
    const OnLine on_line = streams_.at(event.id).on_line;
    return on_line(http::parse_json(event.body));
  }
  const OnEnd on_end = streams_.extract(event.id).mapped().on_end;
  const Reply reply = reply_of(event);
  on_end(reply.text.empty() ? "the server has ended it" : reply.text);
}

}  // namespace ballot::etcd

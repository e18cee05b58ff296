#include "http_client/dispatcher.hpp"

#include <algorithm>
#include <utility>

#include "http_client/congestion.hpp"

namespace ballot::http {

namespace {

/// Idle connections beside those of calls: of long polls and of single servers.
constexpr std::size_t more_idle = 4;

}  // namespace

Dispatcher::Dispatcher(boost::asio::io_context& io, const Settings& settings,
                       std::shared_ptr<boost::asio::ssl::context> tls, Tell tell, std::function<std::size_t()> untaken)
    : io_(io),
      settings_(settings),
      tls_(std::move(tls)),
      tell_(std::move(tell)),
      untaken_(std::move(untaken)),
      lookup_(io) {}

Dispatcher::~Dispatcher() {
  for (auto& [id, ask] : asks_)
    if (ask.connection != nullptr) ask.connection->close();
  for (const auto& one : idle_) one->close();
}

void Dispatcher::start(std::uint64_t id, Request request, AnswerKind kind,
                       std::chrono::steady_clock::time_point asked) {
  const auto until = asked + request.patience;
  Ask& ask = asks_.emplace(id, Ask{id, std::move(request), kind, boost::asio::steady_timer(io_)}).first->second;
  ask.timer.expires_at(until);
  ask.timer.async_wait([this, id](const boost::system::error_code& error) {
    if (!error) on_patience_over(id);
  });
  if (ask.is_call() && calls_ >= settings_.connections)
    waiting_.push_back(id);
  else
    dispatch(ask);
}

void Dispatcher::dispatch(Ask& ask) {
  if (ask.is_call()) ++calls_;
  ask.server = ask.request.server.value_or(present_);
  ++ask.tried;
  ask.connection = connection_to(ask.server);
  under_way_[ask.connection.get()] = ask.id;
  // Where there is another server, half of the time is left for it.
  const bool last = ask.request.server || settings_.servers.size() == 1;
  const Millis patience = std::min(settings_.connect_patience, last ? ask.request.patience : ask.request.patience / 2);
  ask.connection->carry_out(ask.request, ask.kind, patience);
}

std::shared_ptr<Connection> Dispatcher::connection_to(std::size_t server) {
  const auto found =
      std::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& one) { return one->server() == server; });
  if (found != idle_.rend()) {
    auto connection = *found;
    idle_.erase(std::next(found).base());
    return connection;
  }
  const Endpoint& endpoint = settings_.servers[server];
  std::string tls_name;
  if (settings_.tls && settings_.tls->verify)
    tls_name = settings_.tls->server_name.empty() ? endpoint.host : settings_.tls->server_name;
  return make_connection({io_, lookup_, tls_, tls_name, endpoint, server}, *this);
}

void Dispatcher::leave(std::size_t server) {
  if (server == present_) present_ = (present_ + 1) % settings_.servers.size();
}

void Dispatcher::cancel(std::uint64_t id) {
  const auto found = asks_.find(id);
  if (found == asks_.end()) return;
  if (found->second.connection != nullptr) found->second.connection->close();
  forget(id);
  start_waiting();
}

void Dispatcher::forget(std::uint64_t id) {
  const auto node = asks_.extract(id);
  if (node.empty() || node.mapped().connection == nullptr) return;
  under_way_.erase(node.mapped().connection.get());
  if (node.mapped().is_call()) --calls_;
}

void Dispatcher::start_waiting() {
  while (calls_ < settings_.connections && !waiting_.empty()) {
    const auto found = asks_.find(waiting_.front());
    waiting_.pop_front();
    if (found != asks_.end()) dispatch(found->second);
  }
}

void Dispatcher::answer(Ask& ask, Event event) {
  event.id = ask.id;
  event.kind = ask.kind == AnswerKind::lines ? Event::Kind::end : Event::Kind::answer;
  event.server = ask.server;
  forget(ask.id);
  tell_(std::move(event));
  start_waiting();
}

void Dispatcher::on_patience_over(std::uint64_t id) {
  const auto found = asks_.find(id);
  if (found == asks_.end()) return;
  Ask& ask = found->second;
  Event event;
  event.sent = ask.sent;
  const std::string within = " within " + std::to_string(ask.request.patience.count()) + " ms";
  if (ask.connection == nullptr) {
    event.problem = "no connection was free" + within;
  } else {
    event.problem = text_of(settings_.servers[ask.server]) + ": no answer" + within;
    ask.connection->close();
    leave(ask.server);
  }
  answer(ask, std::move(event));
}

Dispatcher::Ask* Dispatcher::ask_of(const Connection& connection) {
  const auto found = under_way_.find(&connection);
  return found == under_way_.end() ? nullptr : &asks_.at(found->second);
}

void Dispatcher::on_sending(Connection& connection) {
  if (Ask* const ask = ask_of(connection)) ask->sent = true;
}

bool Dispatcher::congested(const Connection& connection) const {
  std::vector<PartialAnswer> all;
  for (const auto& [other, id] : under_way_) all.push_back({other->held(), id});
  const auto own = under_way_.find(&connection);
  return own != under_way_.end() && is_congested({connection.held(), own->second}, all, untaken_());
}

void Dispatcher::on_line(Connection& connection, Event event) {
  Ask* const ask = ask_of(connection);
  if (ask == nullptr) return;
  ask->timer.cancel();
  event.id = ask->id;
  event.server = ask->server;
  tell_(std::move(event));
}

void Dispatcher::on_answer(Connection& connection, Event event) {
  Ask* const ask = ask_of(connection);
  if (ask == nullptr) return;
  if (connection.state() == ConnectionState::idle) {
    idle_.push_back(ask->connection);
    if (idle_.size() > settings_.connections + more_idle) {
      idle_.front()->close();
      idle_.pop_front();
    }
  }
  answer(*ask, std::move(event));
}

void Dispatcher::on_failed(Connection& connection, Event failure) {
  Ask* const ask = ask_of(connection);
  if (ask == nullptr) return;
  leave(ask->server);
  const bool elsewhere = !ask->request.server && ask->tried < settings_.servers.size();
  const bool repeatable = !ask->sent || (ask->request.idempotent && ask->kind == AnswerKind::whole);
  if (elsewhere && repeatable && !failure.too_large) {
    under_way_.erase(&connection);
    if (ask->is_call()) --calls_;
    // The connection that calls this lives until its handler returns.
    return dispatch(*ask);
  }
  failure.sent = ask->sent;
  answer(*ask, std::move(failure));
}

}  // namespace ballot::http

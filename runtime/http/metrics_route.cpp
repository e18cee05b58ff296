#include "http/metrics_route.hpp"

#include <memory>
#include <utility>

namespace ballot::web {
namespace {

constexpr std::size_t unread_bytes = 256 << 10;  // no more is written while the client has so much to read

/// Sends what the client has room for, and the rest once it has read that.
void send_rest(const ExchangePtr& exchange, const std::shared_ptr<Exposition>& rest) {
  while (exchange->unread() < unread_bytes) {
    const std::string piece = rest->next();
    if (piece.empty()) return exchange->end();
    exchange->send(piece);
  }
  exchange->on_drained([exchange, rest] { send_rest(exchange, rest); });
}

void answer(const ExchangePtr& exchange, const Metrics& metrics, const AnswerLine& line) {
  const auto message = line.message();
  if (!message) return exchange->finish(problem(message.error()));
  if (const auto error = io::to_error(*message)) return exchange->finish(problem(*error));
  if (!line.is_last) return;
  exchange->begin({.content_type = exposition_type});
  send_rest(exchange, std::make_shared<Exposition>(metrics.exposition()));
}

}  // namespace

Route metrics_route(const Metrics& metrics) {
  return {Method::get, "/metrics", io::Role::viewer, [&metrics](const ExchangePtr& exchange) {
            exchange->ask(io::Message().set("do", "metrics"),
                          [exchange, &metrics](const AnswerLine& line) { answer(exchange, metrics, line); });
          }};
}

}  // namespace ballot::web

#include "dialer.hpp"

#include <random>
#include <utility>

#include "http_client/tls_context.hpp"

namespace ballot::jetstream {

namespace {

http::Tls tls_of(const Access& access) {
  return {.ca_file = access.ca == "system" ? "" : access.ca, .cert_file = access.cert, .key_file = access.key};
}

}  // namespace

Dialer::Dialer(boost::asio::io_context& io, const Access& access, User& user)
    : io_(io), access_(access), user_(user), lookup_(io), next_(std::random_device()()) {
  for (const std::string& one : access.servers.hosts) servers_.push_back(http::endpoint_of(one));
}

Dialer::~Dialer() {
  if (connection_ != nullptr) connection_->close();
}

/// Files of TLS are read anew, as those of secrets are.
void Dialer::dial(const Call& call) {
  if (connection_ != nullptr) std::exchange(connection_, nullptr)->close();
  is_open_ = false;
  call_ = call;
  tried_ = 0;
  ended_ = {};
  tls_ = nullptr;
  if (!access_.ca.empty()) {
    auto context = http::make_tls_context(tls_of(access_));
    if (!context) return user_.on_not_connected({true, context.error().what});
    tls_ = std::move(*context);
  }
  try_next();
}

void Dialer::try_next() {
  const http::Endpoint& server = servers_[next_++ % servers_.size()];
  Connection::User& own = *this;
  connection_ = std::make_shared<Connection>(
      Connection::Way{io_, lookup_, tls_, server, access_, call_.secrets, call_.first}, own);
  connection_->open(call_.patience);
}

void Dialer::write(std::string_view bytes) {
  if (is_open_) connection_->write(bytes);
}

void Dialer::on_open() {
  is_open_ = true;
  user_.on_connected();
}

void Dialer::on_frame(Frame frame) {
  if (frame.kind == Frame::Kind::message) return user_.on_message(std::move(frame));
  if (frame.text.find("ermissions") != std::string::npos) user_.on_denied(frame.text);
}

void Dialer::on_closed(const Ended& ended) {
  if (std::exchange(is_open_, false)) return user_.on_disconnected(ended);
  if (ended.refused || !ended_.refused) ended_ = ended;
  if (++tried_ < servers_.size()) return try_next();
  user_.on_not_connected(ended_);
}

}  // namespace ballot::jetstream

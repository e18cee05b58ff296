#include "connection.hpp"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <utility>

#include "http_client/tls_context.hpp"
#include "login.hpp"

namespace ballot::jetstream {

namespace {

namespace bounds = support::bounds;

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr Millis ping_interval{1000}, congestion_pause{5};
constexpr int most_unanswered = 2;

std::string text_of(const error_code& error) {
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) return "it closed the connection";
  return error.message();
}

/// One side refuses the other's certificate, or its version of TLS.
bool is_of_tls(const error_code& error) { return error.category() == asio::error::get_ssl_category(); }

/// The error refuses this user: "Authorization Violation", "User Authentication Expired", "Permissions Violation for
/// Subscription to ...".
bool is_of_user(const std::string& error) {
  for (const char* const word : {"uthorization", "uthentication", "ermissions"})
    if (error.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace

Connection::Connection(Way way, User& user)
    : way_(std::move(way)),
      user_(user),
      socket_(way_.io),
      patience_(way_.io),
      pause_(way_.io),
      reader_([this](Frame frame) { on_frame(std::move(frame)); }) {}

/// Calls `next` with what an operation says, unless the connection has been closed meanwhile.
template <class Next>
auto Connection::then(Next next) {
  return [self = shared_from_this(), next](const error_code& error, std::size_t size = 0) {
    if (self->state_ != State::closed) next(*self, error, size);
  };
}

void Connection::open(Millis patience) {
  state_ = State::greeted;
  patience_.expires_after(patience);
  patience_.async_wait(then([patience](Connection& self, const error_code& error, std::size_t) {
    if (error) return;
    const std::string time = std::to_string(patience.count()) + " ms";
    self.fail(self.socket_.is_open() ? "no answer within " + time : "no connection within " + time);
  }));
  way_.lookup.find(way_.endpoint,
                   [weak = weak_from_this()](const std::string& problem, const http::Lookup::Addresses& addresses) {
                     const auto self = weak.lock();
                     if (self == nullptr || self->state_ != State::greeted) return;
                     if (!problem.empty()) return self->fail(problem);
                     self->addresses_ = addresses;
                     self->connect(0);
                   });
}

void Connection::close() {
  state_ = State::closed;
  patience_.cancel();
  pause_.cancel();
  error_code ignored;
  socket_.close(ignored);
}

void Connection::end(Ended ended) {
  close();
  ended.why = http::text_of(way_.endpoint) + ": " + ended.why;
  if (!last_error_.empty() && !ended.refused) ended.why += ", after it said: " + last_error_;
  user_.on_closed(ended);
}

void Connection::connect(std::size_t index) {
  error_code ignored;
  socket_.close(ignored);
  const tcp::endpoint& address = addresses_[index];
  const int fd = ::socket(address.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
  error_code error(errno, boost::system::system_category());
  if (fd < 0) return connected(index, error);
  socket_.assign(address.protocol(), fd, error);
  socket_.set_option(tcp::no_delay(true), error);
  socket_.async_connect(address, then([index](Connection& self, const error_code& failed, std::size_t) {
                          self.connected(index, failed);
                        }));
}

void Connection::connected(std::size_t index, const error_code& error) {
  if (error && index + 1 < addresses_.size()) return connect(index + 1);
  if (error) return fail(text_of(error));
  read();
}

void Connection::read() {
  const auto next =
      then([](Connection& self, const error_code& error, std::size_t size) { self.on_read(error, size); });
  if (tls_)
    tls_->async_read_some(asio::buffer(piece_), next);
  else
    socket_.async_read_some(asio::buffer(piece_), next);
}

void Connection::on_read(const error_code& error, std::size_t size) {
  if (error) return end({state_ != State::open && is_of_tls(error), text_of(error)});
  const bool understood = reader_.add({piece_.data(), size});
  if (state_ == State::closed) return;
  if (!understood) return fail(reader_.problem());
  if (!info_.empty()) {
    if (!reader_.is_between_frames()) return fail("it says more before TLS than INFO");
    return shake_hands(std::exchange(info_, {}));
  }
  if (!user_.congested()) return read();
  pause_.expires_after(congestion_pause);
  pause_.async_wait(then([](Connection& self, const error_code&, std::size_t) { self.on_read({}, 0); }));
}

void Connection::on_frame(Frame frame) {
  if (state_ == State::closed) return;
  if (!info_.empty()) return fail("it says more before TLS than INFO");
  switch (frame.kind) {
    case Frame::Kind::info:
      if (state_ == State::greeted && !tls_) on_info(frame.text);
      return;
    case Frame::Kind::ping: return write(pong_text);
    case Frame::Kind::ok: return;
    case Frame::Kind::error: return on_error(frame.text);
    case Frame::Kind::pong:
      unanswered_ = 0;
      if (state_ != State::logs_in) return;
      state_ = State::open;
      ping_later();
      return user_.on_open();
    case Frame::Kind::message:
      if (state_ == State::open) user_.on_frame(std::move(frame));
      return;
  }
}

/// Another one, while the connection is open, names servers that came or went: `servers` says which ones are asked.
void Connection::on_info(const std::string& text) {
  const std::string refusal = refusal_of(parse_info(text), way_.access);
  if (!refusal.empty()) return end({true, refusal});
  if (way_.tls != nullptr)
    info_ = text;
  else
    log_in(text);
}

void Connection::shake_hands(const std::string& info) {
  tls_.emplace(socket_, *way_.tls);
  if (!http::check_server(tls_->native_handle(), way_.endpoint.host)) return fail("TLS: no memory");
  tls_->async_handshake(
      asio::ssl::stream_base::client, then([info](Connection& self, const error_code& error, std::size_t) {
        if (!error) {
          self.log_in(info);
          if (self.state_ != State::closed) self.read();
          return;
        }
        const std::string why = http::certificate_problem(self.tls_->native_handle());
        self.end({is_of_tls(error), "TLS: " + (why.empty() ? text_of(error) : "its certificate: " + why)});
      }));
}

void Connection::log_in(const std::string& info) {
  const Login login = jetstream::log_in(parse_info(info), way_.access, way_.secrets);
  if (!login.refusal.empty()) return end({true, login.refusal});
  state_ = State::logs_in;
  out_.append(login.text).append(way_.first).append(ping_text);
  flush();
}

/// The server closes the connection itself, where it does not go on.
void Connection::on_error(const std::string& text) {
  if (state_ != State::open) return end({is_of_user(text), text});
  last_error_ = text;
  user_.on_frame({Frame::Kind::error, text});
}

void Connection::ping_later() {
  patience_.expires_after(ping_interval);
  patience_.async_wait(then([](Connection& self, const error_code& error, std::size_t) {
    if (error) return;
    if (self.unanswered_ >= most_unanswered) return self.fail("it does not answer");
    ++self.unanswered_;
    self.write(ping_text);
    if (self.state_ != State::closed) self.ping_later();
  }));
}

void Connection::write(std::string_view bytes) {
  if (out_.size() + bytes.size() > bounds::unsent) return fail("it does not take what is sent");
  out_ += bytes;
  flush();
}

void Connection::flush() {
  if (!writing_.empty() || out_.empty()) return;
  writing_.swap(out_);
  const auto next = then([](Connection& self, const error_code& error, std::size_t) {
    if (error) return self.fail(text_of(error));
    self.writing_.clear();
    self.flush();
  });
  if (tls_)
    asio::async_write(*tls_, asio::buffer(writing_), next);
  else
    asio::async_write(socket_, asio::buffer(writing_), next);
}

}  // namespace ballot::jetstream

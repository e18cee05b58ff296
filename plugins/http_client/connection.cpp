#include "http_client/connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <cerrno>
#include <optional>
#include <type_traits>
#include <utility>

#include "http_client/line_splitter.hpp"
#include "http_client/tls_context.hpp"

namespace ballot::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

namespace bounds = support::bounds;

constexpr Millis congestion_pause{20};

std::string text_of(const error_code& error) {
  if (error == beast::http::error::end_of_stream || error == beast::http::error::partial_message ||
      error == asio::ssl::error::stream_truncated || error == asio::error::eof)
    return "it closed the connection";
  return error.message();
}

template <class Stream>
class StreamConnection final : public Connection, public std::enable_shared_from_this<StreamConnection<Stream>> {
  static constexpr bool secure = !std::is_same_v<Stream, tcp::socket>;

 public:
  StreamConnection(const Way& way, User& user) : way_(way), user_(&user), stream_(make_stream(way)), timer_(way.io) {}

  void carry_out(const Request& request, AnswerKind kind, Millis open_patience) override {
    kind_ = kind;
    largest_ = request.largest;
    write_down(request);
    if (state_ == ConnectionState::idle && still_open()) return send();
    if (state_ == ConnectionState::idle) {
      // Closed by the server, or it says what nobody asked for: a stream cannot be used twice.
      close_socket();
      stream_.emplace(make_stream(way_));
      buffer_.clear();
    }
    open(open_patience);
  }

  void close() override {
    state_ = ConnectionState::closed;
    timer_.cancel();
    close_socket();
  }

  ConnectionState state() const override { return state_; }
  std::size_t server() const override { return way_.server; }
  std::size_t held() const override {
    return buffer_.size() + (parser_ ? parser_->get().body().size() : 0) + lines_.rest().size();
  }

 private:
  using Parser = beast::http::response_parser<beast::http::string_body>;

  static Stream make_stream(const Way& way) {
    if constexpr (secure)
      return Stream(way.io, *way.tls);
    else
      return Stream(way.io);
  }

  tcp::socket& socket() {
    if constexpr (secure)
      return stream_->next_layer();
    else
      return *stream_;
  }

  void close_socket() {
    error_code ignored;
    socket().close(ignored);
  }

  bool still_open() {
    char byte;
    const ssize_t size = ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && buffer_.size() == 0;
  }

  void write_down(const Request& request) {
    request_ = {};
    request_.method_string(request.method);
    request_.target(request.target);
    request_.version(11);
    request_.set(beast::http::field::host, http::text_of(way_.endpoint));
    request_.set(beast::http::field::user_agent, "ballot");
    for (const auto& [name, value] : request.headers) request_.set(name, value);
    request_.body() = request.body;
    request_.prepare_payload();
  }

  /// Calls `next` with what an operation says, unless the connection has been closed meanwhile.
  template <class Next>
  auto then(Next next) {
    return [self = this->shared_from_this(), next](const error_code& error, auto&&...) {
      if (self->state_ != ConnectionState::closed) next(*self, error);
    };
  }

  void fail(const std::string& problem, bool too_large = false) {
    close();
    Event failure;
    failure.problem = (http::text_of(way_.endpoint) + ": " + problem).substr(0, bounds::text);
    failure.too_large = too_large;
    user_->on_failed(*this, std::move(failure));
  }
  void fail_reading(const error_code& error) {
    const bool too_large = error == beast::http::error::body_limit;
    fail(too_large ? "an answer of more than " + std::to_string(largest_) + " bytes" : text_of(error), too_large);
  }

  void open(Millis patience) {
    state_ = ConnectionState::opening;
    timer_.expires_after(patience);
    timer_.async_wait(then([patience](StreamConnection& self, const error_code& error) {
      if (!error && self.state_ == ConnectionState::opening)
        self.fail("no connection within " + std::to_string(patience.count()) + " ms");
    }));
    way_.lookup.find(way_.endpoint,
                     [weak = this->weak_from_this()](const std::string& problem, const Lookup::Addresses& addresses) {
                       const auto self = weak.lock();
                       if (self == nullptr || self->state_ != ConnectionState::opening) return;
                       if (!problem.empty()) return self->fail(problem);
                       self->addresses_ = addresses;
                       self->connect(0);
                     });
  }

  void connect(std::size_t index) {
    close_socket();
    const tcp::endpoint& address = addresses_[index];
    const int fd = ::socket(address.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
    error_code error(errno, boost::system::system_category());
    if (fd < 0) return connected(index, error);
    socket().assign(address.protocol(), fd, error);
    socket().set_option(tcp::no_delay(true), error);
    socket().async_connect(
        address, then([index](StreamConnection& self, const error_code& failed) { self.connected(index, failed); }));
  }

  void connected(std::size_t index, const error_code& error) {
    if (error && index + 1 < addresses_.size()) return connect(index + 1);
    if (error) return fail(text_of(error));
    if constexpr (secure)
      shake_hands();
    else
      send();
  }

  void shake_hands() {
    if constexpr (secure) {
      if (!way_.tls_name.empty() && !check_server(stream_->native_handle(), way_.tls_name))
        return fail("TLS: no memory");
      stream_->async_handshake(asio::ssl::stream_base::client,
                               then([](StreamConnection& self, const error_code& error) {
                                 if (!error) return self.send();
                                 const std::string why = certificate_problem(self.stream_->native_handle());
                                 self.fail("TLS: " + (why.empty() ? text_of(error) : "its certificate: " + why));
                               }));
    }
  }

  void send() {
    state_ = ConnectionState::busy;
    timer_.cancel();
    user_->on_sending(*this);
    beast::http::async_write(*stream_, request_, then([](StreamConnection& self, const error_code& error) {
      if (error) return self.fail(text_of(error));
      self.receive();
    }));
  }

  void receive() {
    parser_.emplace();
    parser_->header_limit(bounds::head);
    parser_->body_limit(largest_);
    beast::http::async_read_header(*stream_, buffer_, *parser_,
                                   then([](StreamConnection& self, const error_code& error) {
                                     if (error) return self.fail_reading(error);
                                     self.on_head();
                                   }));
  }

  void on_head() {
    lines_ = {};
    since_line_ = 0;
    is_stream_ = kind_ == AnswerKind::lines && parser_->get().result_int() / 100 == 2;
    if (is_stream_) parser_->body_limit(boost::none);
    take();
  }

  /// What has been read of the body. A congested user gets more of it a little later.
  void take() {
    if (is_stream_ && !take_lines()) return;
    if (parser_->is_done()) return finish();
    if (!user_->congested(*this)) return read_on();
    timer_.expires_after(congestion_pause);
    timer_.async_wait(then([](StreamConnection& self, const error_code&) { self.take(); }));
  }

  /// False: the connection is closed.
  bool take_lines() {
    std::string& piece = parser_->get().body();
    lines_.add(piece, [this](std::string line) {
      since_line_ = 0;
      tell_line(std::move(line));
    });
    piece.clear();
    if (state_ == ConnectionState::closed) return false;
    if (lines_.rest().size() > largest_ || since_line_ > largest_ + bounds::head) {
      fail("a line of more than " + std::to_string(largest_) + " bytes", true);
      return false;
    }
    if (parser_->is_done() && !lines_.rest().empty()) tell_line(std::move(lines_.rest()));
    return state_ != ConnectionState::closed;
  }

  void read_on() {
    beast::http::async_read_some(*stream_, buffer_, *parser_,
                                 [self = this->shared_from_this()](const error_code& error, std::size_t size) {
                                   if (self->state_ == ConnectionState::closed) return;
                                   if (error) return self->fail(text_of(error));
                                   self->since_line_ += size;
                                   self->take();
                                 });
  }

  void tell_line(std::string line) {
    if (state_ == ConnectionState::closed) return;
    Event event;
    event.kind = Event::Kind::line;
    event.status = static_cast<int>(parser_->get().result_int());
    event.body = std::move(line);
    user_->on_line(*this, std::move(event));
  }

  void finish() {
    auto& message = parser_->get();
    Event event;
    event.status = static_cast<int>(message.result_int());
    for (const auto& field : message) event.headers.emplace_back(field.name_string(), field.value());
    event.body = std::move(message.body());
    if (message.keep_alive())
      state_ = ConnectionState::idle;
    else
      close();
    parser_.reset();
    user_->on_answer(*this, std::move(event));
  }

  const Way way_;
  User* const user_;
  std::optional<Stream> stream_;
  asio::steady_timer timer_;
  ConnectionState state_ = ConnectionState::fresh;
  AnswerKind kind_ = AnswerKind::whole;
  Lookup::Addresses addresses_;
  beast::http::request<beast::http::string_body> request_;
  beast::flat_buffer buffer_{bounds::head + 1024};  // more than it would be a chunk's head or a trailer without an end
  std::optional<Parser> parser_;
  LineSplitter lines_;
  std::size_t largest_ = 0;     // body, or line
  std::size_t since_line_ = 0;  // bytes of a stream that were read since its last line, those around chunks too
  bool is_stream_ = false;
};

}  // namespace

std::shared_ptr<Connection> make_connection(const Connection::Way& way, Connection::User& user) {
  if (way.tls == nullptr) return std::make_shared<StreamConnection<tcp::socket>>(way, user);
  return std::make_shared<StreamConnection<asio::ssl::stream<tcp::socket>>>(way, user);
}

}  // namespace ballot::http

// Connection: to one server: finds its address, connects, answers its INFO, speaks TLS where that is wanted, and then
// carries frames both ways, with pings. Knows nothing of other servers, nor of what is asked. On the thread of the
// io_context; whoever calls write() from another thread does it through the io_context.
//
//   auto connection = std::make_shared<Connection>(way, user);
//   connection->open(Millis(500));   // ... user.on_open(), user.on_frame(frame), user.on_closed(ended)
//   connection->close();             // no event of it follows
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "access.hpp"
#include "http_client/lookup.hpp"
#include "protocol.hpp"
#include "support/bounds.hpp"

namespace ballot::jetstream {

/// How a connection ended.
struct Ended {
  bool refused = false;  // the server, or this side, does not accept the other: another try comes to the same
  std::string why;       // with the server
};

//   | state   | what it does                                     | left by                                     |
//   | ------- | ------------------------------------------------ | ------------------------------------------- |
//   | fresh   | nothing                                          | open()                                      |
//   | greeted | finds the address, connects, waits for INFO      | INFO, and TLS where it is wanted: logged_in |
//   | logs_in | has sent CONNECT and PING, waits for PONG        | PONG: open                                  |
//   | open    | carries frames; pings each second                | closed                                      |
//   | closed  | nothing                                          | -                                           |
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  class User {
   public:
    virtual void on_open() = 0;
    /// Messages and errors of the server, while the connection is open.
    virtual void on_frame(Frame frame) = 0;
    /// Once, unless close() was called. The connection is closed by now.
    virtual void on_closed(const Ended& ended) = 0;
    /// The user has no room for more frames: reading goes on a little later.
    virtual bool congested() const = 0;

   protected:
    ~User() = default;
  };

  /// The server of the connection, and the user that logs in. `io` and `lookup` outlive the connection.
  struct Way {
    boost::asio::io_context& io;
    http::Lookup& lookup;
    std::shared_ptr<boost::asio::ssl::context> tls;  // null: none
    http::Endpoint endpoint;
    Access access;
    Secrets secrets;
    std::string first;  // is sent with CONNECT
  };

  Connection(Way way, User& user);

  /// `patience`: until it is open.
  void open(Millis patience);
  void close();
  /// Requires: it is open. More than support::bounds::unsent that the server has not taken ends it.
  void write(std::string_view bytes);

 private:
  enum class State { fresh, greeted, logs_in, open, closed };

  template <class Next>
  auto then(Next next);
  void connect(std::size_t index);
  void connected(std::size_t index, const boost::system::error_code& error);
  void read();
  void on_read(const boost::system::error_code& error, std::size_t size);
  void on_frame(Frame frame);
  void on_info(const std::string& text);
  void shake_hands(const std::string& info);
  void log_in(const std::string& info);
  void on_error(const std::string& text);
  void ping_later();
  void flush();
  void end(Ended ended);
  void fail(const std::string& problem) { end({false, problem}); }

  const Way way_;
  User& user_;
  State state_ = State::fresh;
  boost::asio::ip::tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;  // over it
  boost::asio::steady_timer patience_, pause_;  // until it is open, then of pings; of reading
  http::Lookup::Addresses addresses_;
  Reader reader_;
  std::array<char, support::bounds::piece> piece_;
  std::string info_;  // that TLS is spoken after: reading stops there
  std::string out_, writing_;
  int unanswered_ = 0;      // pings
  std::string last_error_;  // as the server said it
};

}  // namespace ballot::jetstream

// Connection: one connection to one server, TLS or not: carries out one request after the other, and is kept between
// them. What is read of an answer is bounded (support/bounds.hpp). Other servers, repetition and time-outs are the
// User's. On the thread of the io_context.
//
//   auto connection = make_connection(way, user);
//   connection->carry_out(request, AnswerKind::whole);   // ... user.on_answer(*connection, event)
//   connection->close();                                 // no event of it follows
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "http_client/client.hpp"
#include "http_client/lookup.hpp"

namespace ballot::http {

//   | state   | what the connection does          | left by                                        |
//   | ------- | --------------------------------- | ---------------------------------------------- |
//   | fresh   | is not connected                  | carry_out(): opening                           |
//   | opening | looks up, connects, shakes hands  | connected: busy; failed: closed                |
//   | busy    | sends a request, reads its answer | answered: idle, or closed where it is not kept |
//   | idle    | waits for the next request        | carry_out(): busy, or opening after a close    |
//   | closed  | nothing                           | -                                              |
enum class ConnectionState { fresh, opening, busy, idle, closed };

enum class AnswerKind { whole, lines };

class Connection {
 public:
  class User {
   public:
    /// The request may reach the server from now on.
    virtual void on_sending(Connection& connection) = 0;
    virtual void on_line(Connection& connection, Event event) = 0;
    /// The whole answer, or the orderly end of a stream. The connection is idle or closed by now.
    virtual void on_answer(Connection& connection, Event event) = 0;
    /// The request has failed; the connection is closed by now.
    virtual void on_failed(Connection& connection, Event failure) = 0;
    /// The user has no room for more bytes of this connection: reading goes on a little later.
    virtual bool congested(const Connection& connection) const = 0;

   protected:
    ~User() = default;
  };

  /// Where the connection leads, and how. `io` and `lookup` outlive it.
  struct Way {
    boost::asio::io_context& io;
    Lookup& lookup;
    std::shared_ptr<boost::asio::ssl::context> tls;  // null: none
    std::string tls_name;                            // "": the server's certificate may be for anything
    Endpoint endpoint;
    std::size_t server;
  };

  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Requires: fresh or idle. `open_patience`: how long connecting may take, where the connection is not open.
  virtual void carry_out(const Request& request, AnswerKind kind, Millis open_patience) = 0;
  /// The user is not called any more.
  virtual void close() = 0;

  virtual ConnectionState state() const = 0;
  virtual std::size_t server() const = 0;
  /// Bytes of the answer that are held here.
  virtual std::size_t held() const = 0;

 protected:
  Connection() = default;
};

std::shared_ptr<Connection> make_connection(const Connection::Way& way, Connection::User& user);

}  // namespace ballot::http

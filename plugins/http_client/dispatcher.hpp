// Dispatcher: which request goes over which connection to which server, how long it may take, and what follows where
// a server fails. Knows nothing of how a connection works. On the thread of the io_context; what happens is told there.
//
//   Dispatcher dispatcher(io, settings, tls, [](Event event) { ... }, untaken);
//   dispatcher.start(1, request, AnswerKind::whole);
//
// A request waits (calls only, for one of Settings::connections), is on its way over a connection, or is answered. A
// server at which a request failed is no longer the present one: the next is.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "http_client/client.hpp"
#include "http_client/connection.hpp"
#include "http_client/lookup.hpp"

namespace ballot::http {

class Dispatcher final : private Connection::User {
 public:
  using Tell = std::function<void(Event event)>;

  /// `untaken`: how many bytes have been told and are not taken yet.
  Dispatcher(boost::asio::io_context& io, const Settings& settings, std::shared_ptr<boost::asio::ssl::context> tls,
             Tell tell, std::function<std::size_t()> untaken);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// `asked`: its patience counts from then.
  void start(std::uint64_t id, Request request, AnswerKind kind, std::chrono::steady_clock::time_point asked);
  void cancel(std::uint64_t id);
  void leave(std::size_t server);

 private:
  struct Ask {
    std::uint64_t id;
    Request request;
    AnswerKind kind;
    boost::asio::steady_timer timer;
    std::shared_ptr<Connection> connection = {};  // null: it waits for one
    bool sent = false;
    std::size_t tried = 0;   // servers
    std::size_t server = 0;  // the last of them

    /// The request shares the few connections of calls.
    bool is_call() const { return kind == AnswerKind::whole && !request.long_poll && !request.server; }
  };

  void dispatch(Ask& ask);
  std::shared_ptr<Connection> connection_to(std::size_t server);
  void on_patience_over(std::uint64_t id);
  void answer(Ask& ask, Event event);
  void forget(std::uint64_t id);
  void start_waiting();
  Ask* ask_of(const Connection& connection);

  void on_sending(Connection& connection) override;
  void on_line(Connection& connection, Event event) override;
  void on_answer(Connection& connection, Event event) override;
  void on_failed(Connection& connection, Event failure) override;
  bool congested(const Connection& connection) const override;

  boost::asio::io_context& io_;
  const Settings settings_;
  const std::shared_ptr<boost::asio::ssl::context> tls_;
  const Tell tell_;
  const std::function<std::size_t()> untaken_;
  Lookup lookup_;
  std::size_t present_ = 0;                               // server
  std::map<std::uint64_t, Ask> asks_;                     // not answered yet
  std::map<const Connection*, std::uint64_t> under_way_;  // connections that are busy with one
  std::deque<std::uint64_t> waiting_;                     // calls without a connection; some may be gone
  std::size_t calls_ = 0;                                 // under way
  std::deque<std::shared_ptr<Connection>> idle_;          // the longest idle first
};

}  // namespace ballot::http

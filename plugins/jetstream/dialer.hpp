// Dialer: connects to one of several servers: tries each once, in turn, and begins with another one each time, so that
// clients are spread over them and a server that is lost, or bad, is left for the next. Knows nothing of what is
// carried. On the thread of the io_context, as all its calls.
//
//   Dialer dialer(io, access, user);
//   dialer.dial({secrets, Millis(500), subscribe_text(address, 1)});   // ... user.on_connected()
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "connection.hpp"

namespace ballot::jetstream {

class Dialer final : private Connection::User {
 public:
  class User {
   public:
    virtual void on_connected() = 0;
    /// No server: as the last one that refused, else the last one.
    virtual void on_not_connected(const Ended& ended) = 0;
    virtual void on_disconnected(const Ended& ended) = 0;
    virtual void on_message(Frame frame) = 0;
    /// The server says that this user may not do something.
    virtual void on_denied(const std::string& what) = 0;
    virtual bool congested() const = 0;

   protected:
    ~User() = default;
  };
  struct Call {
    Secrets secrets;
    Millis patience;    // for each server
    std::string first;  // is sent as soon as one is connected
  };

  Dialer(boost::asio::io_context& io, const Access& access, User& user);
  ~Dialer();
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;

  /// In place of what was connected, or is being connected, of which nothing more is told.
  void dial(const Call& call);
  /// Dropped where nothing is connected.
  void write(std::string_view bytes);

 private:
  void try_next();

  void on_open() override;
  void on_frame(Frame frame) override;
  void on_closed(const Ended& ended) override;
  bool congested() const override { return user_.congested(); }

  boost::asio::io_context& io_;
  const Access access_;
  User& user_;
  http::Lookup lookup_;
  std::vector<http::Endpoint> servers_;
  std::size_t next_;  // of servers_, without end
  Call call_{};
  std::shared_ptr<boost::asio::ssl::context> tls_;  // of the call
  std::size_t tried_ = 0;                           // servers
  Ended ended_;                                     // of those that were tried
  std::shared_ptr<Connection> connection_;
  bool is_open_ = false;
};

}  // namespace ballot::jetstream

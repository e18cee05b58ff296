// HttpPeer: a server of HTTP/1.1, TLS or not, that keeps connections and says what a test has it say, byte by byte. A
// thread for each connection.
//
//   HttpPeer peer([](HttpPeer::Talk& talk) { talk.answer(200, "to " + talk.asked()); });
//   ... peer.port() ...   EXPECT_EQ(peer.connections(), 1u);
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/servers/loopback_server.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace ballot::testing {

class HttpPeer {
 public:
  /// One request. Back from the handler the connection is kept, unless it was closed.
  class Talk {
   public:
    std::string asked() const { return head_.substr(0, head_.find(" HTTP/")); }
    const std::string& head() const { return head_; }
    const std::string& body() const { return body_; }
    void send(const std::string& bytes);
    void answer(int status, const std::string& body, const std::string& headers = "");
    /// Of an answer with Transfer-Encoding: chunked.
    void begin_chunks(int status = 200);
    void chunk(const std::string& bytes);
    void end_chunks() { send("0\r\n\r\n"); }
    void close() { closed_ = true; }
    /// By either side.
    bool is_closed();
    /// Until the client has closed the connection, or the server ends.
    void wait_closed();

   private:
    friend class HttpPeer;
    bool receive();  // false: no more requests

    int socket_ = -1;
    ssl_st* ssl_ = nullptr;
    std::string text_, head_, body_;
    bool closed_ = false;
  };
  using Handler = std::function<void(Talk&)>;

  /// PEM files; with `ca` clients must show a certificate of it.
  struct Tls {
    std::string cert, key, ca = {};
  };

  explicit HttpPeer(Handler handler, const Tls* tls = nullptr, const char* address = "127.0.0.1");
  ~HttpPeer();
  HttpPeer(const HttpPeer&) = delete;
  HttpPeer& operator=(const HttpPeer&) = delete;

  int port() const noexcept { return server_->port(); }
  std::size_t connections() const noexcept { return server_->connections(); }
  /// "METHOD PATH" of each request, in order.
  std::vector<std::string> asked() const;
  void break_connections() { server_->break_connections(); }

 private:
  void serve(int socket);

  const Handler handler_;
  ssl_ctx_st* context_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<std::string> asked_;  // under mutex_
  std::optional<LoopbackServer> server_;
};

}  // namespace ballot::testing

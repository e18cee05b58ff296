// WebClient: a client of HTTP for tests of a server: it can do everything right, and everything wrong. It blocks, for
// 20 s at most. One thread.
//
//   WebClient client(server.port());
//   const auto answer = client.ask("GET /healthz", {"Authorization: Bearer x"});
//   answer.status, answer.header("Allow"), answer.body
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"

namespace ballot::testing {

class WebClient {
 public:
  struct Answer {
    int status = 0;  // 0: none came
    std::string head, body;

    /// "" where it has none.
    std::string header(const std::string& name) const {
      const std::size_t at = head.find("\r\n" + name + ": ");
      if (at == std::string::npos) return "";
      const std::size_t from = at + name.size() + 4;
      return head.substr(from, head.find("\r\n", from) - from);
    }
  };
  struct Tls {
    std::string ca, cert = {}, key = {};
  };

  explicit WebClient(int port, const Tls* tls = nullptr) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (tls != nullptr) shake_hands(*tls);
  }
  explicit WebClient(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    connect(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }

  /// False: the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ssl_ ? ::SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                                : ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// `line`: "GET /path". The headers Host and, with a body, its length and type are added.
  Answer ask(const std::string& line, const std::vector<std::string>& headers = {}, const std::string& body = "") {
    std::string text = line + " HTTP/1.1\r\nHost: localhost\r\n";
    for (const std::string& header : headers) text += header + "\r\n";
    if (!body.empty())
      text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    send(text + "\r\n" + body);
    return answer(!line.starts_with("HEAD"));
  }

  /// The next answer. One that is cut off has what came of it.
  Answer answer(bool has_body = true) {
    Answer answer;
    while (rest_.find("\r\n\r\n") == std::string::npos)
      if (!receive()) return answer;
    const std::size_t end = rest_.find("\r\n\r\n") + 4;
    answer.head = rest_.substr(0, end - 2);
    rest_.erase(0, end);
    answer.status = std::stoi(answer.head.substr(answer.head.find(' ') + 1));
    const std::string length = answer.header("Content-Length");
    if (!has_body || answer.status == 204 || answer.status == 304) return answer;
    if (!length.empty())
      take(std::stoul(length), answer.body);
    else if (answer.header("Transfer-Encoding") == "chunked")
      take_chunks(answer.body);
    else
      take(std::string::npos, answer.body);
    return answer;
  }

  /// Whether the server closes in time.
  bool is_closed() {
    while (receive()) continue;
    return ended_;
  }
  /// Bytes of the next chunk, "" for the last.
  std::string chunk() {
    std::string bytes;
    take_chunk(bytes);
    return bytes;
  }
  int fd() const { return fd_.get(); }

 private:
  void connect(const sockaddr* address, socklen_t size) {
    const timeval patience{20, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(fd_.get(), address, size) != 0) throw std::runtime_error("the server is not there");
  }

  void shake_hands(const Tls& tls) {
    context_.reset(::SSL_CTX_new(::TLS_client_method()));
    ::SSL_CTX_load_verify_locations(context_.get(), tls.ca.c_str(), nullptr);
    ::SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    if (!tls.cert.empty()) {
      ::SSL_CTX_use_certificate_chain_file(context_.get(), tls.cert.c_str());
      ::SSL_CTX_use_PrivateKey_file(context_.get(), tls.key.c_str(), SSL_FILETYPE_PEM);
    }
    ssl_.reset(::SSL_new(context_.get()));
    ::SSL_set_fd(ssl_.get(), fd_.get());
    if (::SSL_connect(ssl_.get()) != 1) throw std::runtime_error("no TLS with the server");
  }

  bool receive() {
    char chunk[65536];
    const ssize_t size = ssl_ ? ::SSL_read(ssl_.get(), chunk, sizeof chunk) : ::recv(fd_.get(), chunk, sizeof chunk, 0);
    ended_ = size == 0 || (size < 0 && (ssl_ || (errno != EAGAIN && errno != EWOULDBLOCK)));
    if (size <= 0) return false;
    rest_.append(chunk, static_cast<std::size_t>(size));
    return true;
  }

  void take(std::size_t size, std::string& body) {
    while (rest_.size() < size && receive()) continue;
    body += rest_.substr(0, size);
    rest_.erase(0, size);
  }
  bool take_chunk(std::string& body) {
    while (rest_.find("\r\n") == std::string::npos)
      if (!receive()) return false;
    const std::size_t size = std::stoul(rest_, nullptr, 16);
    rest_.erase(0, rest_.find("\r\n") + 2);
    take(size, body);
    std::string end;
    take(2, end);
    return size > 0;
  }
  void take_chunks(std::string& body) {
    while (take_chunk(body)) continue;
  }

  struct Free {
    void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
    void operator()(SSL* ssl) const { ::SSL_free(ssl); }
  };
  UniqueFd fd_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
  std::string rest_;
  bool ended_ = false;
};

}  // namespace ballot::testing

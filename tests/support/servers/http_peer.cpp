#include "support/servers/http_peer.hpp"

#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <stdexcept>

namespace ballot::testing {

void HttpPeer::Talk::send(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size() && !closed_;) {
    const int left = static_cast<int>(std::min<std::size_t>(bytes.size() - sent, 1 << 20));
    const ssize_t size = ssl_ != nullptr
                             ? ::SSL_write(ssl_, bytes.data() + sent, left)
                             : ::send(socket_, bytes.data() + sent, static_cast<std::size_t>(left), MSG_NOSIGNAL);
    if (size <= 0) return close();
    sent += static_cast<std::size_t>(size);
  }
}

void HttpPeer::Talk::answer(int status, const std::string& body, const std::string& headers) {
  send("HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
       "\r\n\r\n" + body);
}

void HttpPeer::Talk::begin_chunks(int status) {
  send("HTTP/1.1 " + std::to_string(status) + " X\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void HttpPeer::Talk::chunk(const std::string& bytes) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  send(size + bytes + "\r\n");
}

bool HttpPeer::Talk::is_closed() {
  char byte;
  if (::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) close();
  return closed_;
}

void HttpPeer::Talk::wait_closed() {
  char bytes[4096];
  while (::recv(socket_, bytes, sizeof bytes, 0) > 0) continue;
  close();
}

bool HttpPeer::Talk::receive() {
  std::size_t wanted = std::string::npos;  // of text_
  while (true) {
    const auto end = text_.find("\r\n\r\n");
    if (end != std::string::npos && wanted == std::string::npos) {
      head_ = text_.substr(0, end + 2);
      const auto length = head_.find("Content-Length: ");
      wanted = end + 4 + (length == std::string::npos ? 0 : std::stoul(head_.substr(length + 16)));
    }
    if (text_.size() >= wanted) {
      body_ = text_.substr(head_.size() + 2, wanted - head_.size() - 2);
      text_.erase(0, wanted);
      return true;
    }
    char bytes[65536];
    const ssize_t size =
        ssl_ != nullptr ? ::SSL_read(ssl_, bytes, sizeof bytes) : ::recv(socket_, bytes, sizeof bytes, 0);
    if (size <= 0) return false;
    text_.append(bytes, static_cast<std::size_t>(size));
  }
}

HttpPeer::HttpPeer(Handler handler, const Tls* tls, const char* address) : handler_(std::move(handler)) {
  if (tls != nullptr) {
    context_ = ::SSL_CTX_new(::TLS_server_method());
    if (::SSL_CTX_use_certificate_chain_file(context_, tls->cert.c_str()) != 1 ||
        ::SSL_CTX_use_PrivateKey_file(context_, tls->key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        (!tls->ca.empty() && ::SSL_CTX_load_verify_locations(context_, tls->ca.c_str(), nullptr) != 1))
      throw std::runtime_error("no certificate for the HTTP server");
    if (!tls->ca.empty()) ::SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  server_.emplace([this](int socket) { serve(socket); }, address);
}

HttpPeer::~HttpPeer() {
  server_.reset();
  if (context_ != nullptr) ::SSL_CTX_free(context_);
}

std::vector<std::string> HttpPeer::asked() const {
  const std::lock_guard hold(mutex_);
  return asked_;
}

void HttpPeer::serve(int socket) {
  // OpenSSL writes to connections that the client may have closed.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  Talk talk;
  talk.socket_ = socket;
  if (context_ != nullptr) {
    talk.ssl_ = ::SSL_new(context_);
    ::SSL_set_fd(talk.ssl_, socket);
    talk.closed_ = ::SSL_accept(talk.ssl_) != 1;
  }
  while (!talk.closed_ && talk.receive()) {
    {
      const std::lock_guard hold(mutex_);
      asked_.push_back(talk.asked());
    }
    handler_(talk);
  }
  if (talk.ssl_ != nullptr) ::SSL_free(talk.ssl_);
}

}  // namespace ballot::testing

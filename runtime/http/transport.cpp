#include "http/transport.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <utility>

namespace ballot::web {
namespace {

namespace asio = boost::asio;

class PlainTransport : public Transport {
 public:
  explicit PlainTransport(Socket socket) : socket_(std::move(socket)) {}

  void begin(std::function<void(Error)> done) override {
    asio::post(socket_.get_executor(), [done = std::move(done)] { done({}); });
  }
  void read_some(asio::mutable_buffer into, Done done) override { socket_.async_read_some(into, std::move(done)); }
  void write_some(asio::const_buffer bytes, Done done) override { socket_.async_write_some(bytes, std::move(done)); }
  void end(std::shared_ptr<void>) override {
    Error ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
  }
  void close() override {
    Error ignored;
    socket_.close(ignored);
  }

 private:
  Socket socket_;
};

class TlsTransport : public Transport {
 public:
  TlsTransport(Socket socket, std::shared_ptr<asio::ssl::context> tls)
      : tls_(std::move(tls)), stream_(std::move(socket), *tls_) {}

  void begin(std::function<void(Error)> done) override {
    stream_.async_handshake(asio::ssl::stream_base::server, std::move(done));
  }
  void read_some(asio::mutable_buffer into, Done done) override { stream_.async_read_some(into, std::move(done)); }
  void write_some(asio::const_buffer bytes, Done done) override { stream_.async_write_some(bytes, std::move(done)); }
  void end(std::shared_ptr<void> owner) override {
    stream_.async_shutdown([owner = std::move(owner)](Error) {});
  }
  void close() override {
    Error ignored;
    stream_.next_layer().close(ignored);
  }

 private:
  const std::shared_ptr<asio::ssl::context> tls_;  // as long as there are connections of it
  asio::ssl::stream<Socket> stream_;
};

}  // namespace

std::unique_ptr<Transport> make_transport(Transport::Socket socket, std::shared_ptr<asio::ssl::context> tls) {
  if (!tls) return std::make_unique<PlainTransport>(std::move(socket));
  return std::make_unique<TlsTransport>(std::move(socket), std::move(tls));
}

}  // namespace ballot::web

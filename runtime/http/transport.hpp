// Transport: one connection's bytes, as they are or under TLS. Each operation calls its function once, never from
// within the call; after close() with an error. One of reading and one of writing at a time.
//
// Thread: that of the socket's context.
//
//   auto transport = make_transport(std::move(socket), tls);
//   transport->begin([](error_code error) { ... });
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <memory>

namespace ballot::web {

class Transport {
 public:
  using Error = boost::system::error_code;
  using Socket = boost::asio::generic::stream_protocol::socket;  // of TCP, or of this machine
  using Done = std::function<void(Error, std::size_t)>;

  virtual ~Transport() = default;
  /// Shakes hands, where it has to.
  virtual void begin(std::function<void(Error)> done) = 0;
  virtual void read_some(boost::asio::mutable_buffer into, Done done) = 0;
  virtual void write_some(boost::asio::const_buffer bytes, Done done) = 0;
  /// Tells the client that nothing more comes; reading goes on. No writing may be under way. `owner`: who keeps this
  /// transport as long as that takes.
  virtual void end(std::shared_ptr<void> owner) = 0;
  virtual void close() = 0;
};

/// Without `tls`: as the bytes are.
std::unique_ptr<Transport> make_transport(Transport::Socket socket, std::shared_ptr<boost::asio::ssl::context> tls);

}  // namespace ballot::web

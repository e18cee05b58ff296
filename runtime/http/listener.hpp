// Listener: what is listened on: a port, or a socket's file that is made as the control socket's is.
//
// Thread: that of the context.
//
//   auto listener = Listener::open(context, *ListenPlace::parse("[::]:8780"), roles.access());   // Result
//   listener->accept([](error_code error, Transport::Socket socket, Credentials peer) { ... });
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "base/http_settings.hpp"
#include "http/identity.hpp"
#include "http/transport.hpp"
#include "io/control_socket.hpp"

namespace ballot::web {

class Listener {
 public:
  /// Errors: conflict, io, refused: it cannot listen there, and why.
  static Result<std::unique_ptr<Listener>> open(boost::asio::io_context& context, const ListenPlace& place,
                                                const io::SocketAccess& access);
  /// What open() asks first of the folder of a socket's file, in the same words; of a port nothing.
  static Result<void> check(const ListenPlace& place);
  /// Removes the socket's file.
  ~Listener();

  using Accepted = std::function<void(Transport::Error, Transport::Socket, Credentials)>;
  /// The next one that connects.
  void accept(Accepted accepted);
  /// Makes the socket's file anew where it was removed. The accept under way ends with an error then.
  void restore(const io::SocketAccess& access);
  /// 0 for a socket's file.
  std::uint16_t port() const;

 private:
  explicit Listener(boost::asio::io_context& context) : tcp_(context), local_(context) {}
  Result<void> open_port(const ListenPlace& place);

  boost::asio::ip::tcp::acceptor tcp_;
  boost::asio::local::stream_protocol::acceptor local_;
  std::optional<io::ControlSocket> file_;
};

}  // namespace ballot::web

#include "http/listener.hpp"

#include <algorithm>
#include <boost/asio/ip/v6_only.hpp>
#include <utility>

#include "io/peer.hpp"

namespace ballot::web {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// A socket is writable when a third of it is free: a client that takes little at a time is seen to take something.
constexpr int send_buffer = 256 * 1024;

constexpr const char* socket_name = "the API's socket";

Error of_listen(const Error& error) { return {error.code, "[http] listen: " + error.what}; }

IpAddress address_of(const asio::ip::address& address) {
  IpAddress found;
  if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    found.bytes[10] = found.bytes[11] = 0xff;
    std::copy(bytes.begin(), bytes.end(), found.bytes.begin() + 12);
  } else {
    const auto bytes = address.to_v6().to_bytes();
    std::copy(bytes.begin(), bytes.end(), found.bytes.begin());
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(asio::io_context& context, const ListenPlace& place,
                                                 const io::SocketAccess& access) {
  std::unique_ptr<Listener> made(new Listener(context));
  if (place.path.empty()) {
    if (const auto opened = made->open_port(place); !opened) return opened.error();
    return made;
  }
  auto file = io::ControlSocket::make(place.path, access, socket_name);
  if (!file) return of_listen(file.error());
  made->file_ = *std::move(file);
  error_code error;
  made->local_.assign(asio::local::stream_protocol(), made->file_->socket.release(), error);
  if (error) return Error{Errc::io, "[http] listen: " + place.path + ": " + error.message()};
  return made;
}

Result<void> Listener::check(const ListenPlace& place) {
  if (place.path.empty()) return {};
  const auto possible = io::ControlSocket::check(place.path, socket_name);
  return possible ? Result<void>() : of_listen(possible.error());
}

Result<void> Listener::open_port(const ListenPlace& place) {
  error_code error;
  const auto address = asio::ip::make_address(place.host, error);
  const asio::ip::tcp::endpoint endpoint(address, place.port);
  if (!error) tcp_.open(endpoint.protocol(), error);
  if (!error) tcp_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error && address.is_v6()) tcp_.set_option(asio::ip::v6_only(false), error);
  if (!error) tcp_.bind(endpoint, error);
  if (!error) tcp_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return {};
  const Errc code = error == asio::error::address_in_use ? Errc::conflict : Errc::io;
  return Error{code, "[http] listen: cannot listen on " + place.host + " port " + std::to_string(place.port) + ": " +
                         error.message()};
}

Listener::~Listener() {
  if (file_) file_->remove_file();
}

void Listener::restore(const io::SocketAccess& access) {
  if (!file_ || !file_->restore(access)) return;
  error_code ignored;
  local_.close(ignored);
  local_.assign(asio::local::stream_protocol(), file_->socket.release(), ignored);
}

void Listener::accept(Accepted accepted) {
  if (file_)
    return local_.async_accept([accepted = std::move(accepted)](error_code error, auto socket) {
      Credentials peer;
      if (!error) peer.peer = io::peer_of(socket.native_handle());
      accepted(error, std::move(socket), std::move(peer));
    });
  tcp_.async_accept([accepted = std::move(accepted)](error_code error, asio::ip::tcp::socket socket) {
    Credentials peer;
    error_code gone;
    const auto from = error ? asio::ip::tcp::endpoint() : socket.remote_endpoint(gone);
    peer.address = address_of(from.address());
    if (!error) socket.set_option(asio::ip::tcp::no_delay(true), gone);
    if (!error) socket.set_option(asio::socket_base::send_buffer_size(send_buffer), gone);
    accepted(error, std::move(socket), std::move(peer));
  });
}

std::uint16_t Listener::port() const {
  if (file_) return 0;
  error_code ignored;
  return tcp_.local_endpoint(ignored).port();
}

}  // namespace ballot::web

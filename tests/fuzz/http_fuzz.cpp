// What a server of HTTP may answer, byte for byte, to a connection that asks it; 'l' in front: to one that wants lines.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include "base/unique_fd.hpp"
#include "harness.hpp"
#include "http_client/connection.hpp"

namespace ballot::fuzz::http_harness {
namespace {

using namespace http;

constexpr std::size_t largest_answer = 1024, most_sends = 16;

/// What a connection has told.
struct Told final : Connection::User {
  void on_sending(Connection&) override {}
  void on_line(Connection&, Event event) override {
    require(event.body.find('\n') == std::string::npos, "a line is one");
    require(event.body.size() <= 2 * largest_answer, "a line is not longer than may be");
    text += "line " + event.body + "\n";
  }
  void on_answer(Connection&, Event event) override {
    require(!is_over, "a request is answered once");
    require(event.body.size() <= largest_answer, "a body is not longer than may be");
    is_over = true;
    text += "answer " + std::to_string(event.status) + "\n";
    for (const auto& [name, value] : event.headers) text.append(name).append(": ").append(value).append("\n");
    text += event.body;
  }
  void on_failed(Connection&, Event) override {
    require(!is_over, "a request fails once");
    is_over = true;
    text += "failed\n";
  }
  bool congested(const Connection&) const override { return false; }

  std::string text;
  bool is_over = false;
};

/// A server on this machine that says what it is told to.
class Peer {
 public:
  Peer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t size = sizeof address;
    const bool listens = ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                         ::listen(listener_.get(), 8) == 0 &&
                         ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0;
    require(listens, "there is a server");
    port_ = ntohs(address.sin_port);
  }

  /// Each time at another address, so that no port is used up by connections that were closed a moment ago.
  Endpoint next() {
    ++asked_;
    return {"127." + std::to_string(asked_ >> 16 & 127) + "." + std::to_string(asked_ >> 8 & 255) + "." +
                std::to_string(1 + (asked_ & 127)),
            std::to_string(port_)};
  }

  UniqueFd accept() const {
    UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    std::string request;
    char chunk[1024];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t size = ::recv(connection.get(), chunk, sizeof chunk, 0);
      require(size > 0, "a request arrives");
      request.append(chunk, static_cast<std::size_t>(size));
    }
    return connection;
  }

 private:
  UniqueFd listener_;
  int port_ = 0;
  unsigned asked_ = 0;
};

std::string told_of(const std::vector<std::string_view>& pieces, AnswerKind kind) {
  static Peer peer;
  boost::asio::io_context io;
  Lookup lookup(io);
  Told told;
  const auto connection = make_connection({io, lookup, nullptr, "", peer.next(), 0}, told);
  connection->carry_out({.target = "/", .largest = largest_answer}, kind, Millis(10'000));
  while (connection->state() == ConnectionState::opening) io.run_one();
  while (io.poll() > 0) continue;
  {
    const UniqueFd server = peer.accept();
    for (const std::string_view piece : pieces) {
      if (::send(server.get(), piece.data(), piece.size(), MSG_NOSIGNAL) < 0) break;
      while (io.poll() > 0) continue;
    }
    ::shutdown(server.get(), SHUT_WR);
    while (!told.is_over) io.run_one();
  }
  connection->close();
  while (io.poll() > 0) continue;
  return told.text;
}

}  // namespace

BALLOT_FUZZ(http) {
  const AnswerKind kind = input.starts_with('l') ? AnswerKind::lines : AnswerKind::whole;
  if (kind == AnswerKind::lines) input.remove_prefix(1);
  std::vector<std::string_view> pieces = in_pieces(input);
  if (pieces.size() > most_sends) {
    const char* const rest = pieces[most_sends].data();
    pieces.resize(most_sends);
    pieces.push_back(input.substr(static_cast<std::size_t>(rest - input.data())));
  }
  const std::string whole = told_of({input}, kind), cut = told_of(pieces, kind);
  require(whole == cut, "it does not matter how an answer is cut", whole + "\n---\n" + cut);
}

}  // namespace ballot::fuzz::http_harness

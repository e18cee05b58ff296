// The control socket: what anybody may send to a daemon, and what a command reads of what calls itself one.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cstring>

#include "base/unique_fd.hpp"
#include "harness.hpp"
#include "io/control_client.hpp"
#include "io/control_server.hpp"
#include "scratch.hpp"

namespace ballot::fuzz::control_harness {
namespace {

constexpr std::size_t most_sends = 16, most_answers = 10'000;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

/// A daemon that answers with what it was asked.
class Echo {
 public:
  Echo() : path_(scratch() / "daemon.sock") {
    io::ControlLimits limits;
    limits.line_bytes = 1024;
    auto made = io::ControlServer::listen(
        loop_, path_, roles_,
        [](const io::Question& question, const io::Reply& reply) {
          reply.send(question.message);
          reply.finish({});
        },
        limits);
    require(static_cast<bool>(made), "a daemon listens");
    server_ = *std::move(made);
  }

  /// "": it has closed without a word.
  std::string answer_to(const std::vector<std::string_view>& pieces, bool is_whole) {
    const UniqueFd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = address_of(path_);
    require(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "it is there");
    settle();
    for (const std::string_view piece : pieces) {
      if (::send(client.get(), piece.data(), piece.size(), MSG_NOSIGNAL) < 0) break;
      settle();
    }
    if (!is_whole) ::shutdown(client.get(), SHUT_WR);
    std::string answer;
    char chunk[4096];
    while (true) {
      settle();
      const ssize_t size = ::recv(client.get(), chunk, sizeof chunk, MSG_DONTWAIT);
      if (size < 0 && errno == EAGAIN) continue;
      if (size <= 0) break;
      answer.append(chunk, static_cast<std::size_t>(size));
    }
    settle();
    return answer;
  }

 private:
  void settle() {
    while (loop_.poll() > 0) continue;
    loop_.restart();
  }

  const io::Roles roles_;
  boost::asio::io_context loop_;
  std::string path_;
  std::unique_ptr<io::ControlServer> server_;
};

std::vector<std::string_view> few_pieces(std::string_view input) {
  std::vector<std::string_view> pieces = in_pieces(input);
  if (pieces.size() <= most_sends) return pieces;
  const char* const rest = pieces[most_sends].data();
  pieces.resize(most_sends);
  pieces.push_back(input.substr(static_cast<std::size_t>(rest - input.data())));
  return pieces;
}

void ask_daemon(std::string_view input) {
  static Echo daemon;
  const bool is_whole = input.find('\n') != std::string_view::npos || input.size() > 1024;
  const std::string whole = daemon.answer_to({input}, is_whole), cut = daemon.answer_to(few_pieces(input), is_whole);
  require(whole == cut, "it does not matter how a request is cut", whole + "\n---\n" + cut);
  require(!is_whole || whole.ends_with("}\n"), "a request is answered", whole);
}

/// What a daemon has said before it went.
void answer_command(std::string_view input) {
  static const std::string path = scratch() / "other.sock";
  static const UniqueFd listener = [] {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = address_of(path);
    const bool listens = ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                         ::listen(fd.get(), 8) == 0;
    require(listens, "something listens");
    return fd;
  }();
  auto client = io::ControlClient::ask(path, io::Message().set("do", "status"));
  require(static_cast<bool>(client), "it can be asked");
  {
    const UniqueFd server(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    char request[256];
    require(::recv(server.get(), request, sizeof request, 0) > 0, "a request arrives");
    for (const std::string_view piece : few_pieces(input))
      ::send(server.get(), piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  for (std::size_t i = 0;; ++i) {
    const auto line = client->next(Millis(10'000));
    require(i <= most_answers, "it comes to an end");
    if (!line && line.error().code == Errc::unavailable) return;
    if (line && !*line) return;
  }
}

}  // namespace

BALLOT_FUZZ(control) {
  if (input.empty()) return;
  ask_daemon(input);
  answer_command(input);
}

}  // namespace ballot::fuzz::control_harness

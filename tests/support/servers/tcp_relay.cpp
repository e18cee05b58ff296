#include "support/servers/tcp_relay.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace ballot::testing {

namespace {

constexpr std::size_t chunk_size = 65536;
constexpr std::size_t most_delayed = 1 << 20;  // of one stream, before the sender has to wait

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int stream_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

int bind_anywhere(int socket) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no port for the test");
  return ntohs(address.sin_port);
}

void at_once(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
}

/// The kernel's number of the socket by which `from` is connected to `to`, both ports of this host; "" for none.
std::string inode_of(int from, int to) {
  std::ifstream sockets("/proc/net/tcp");
  for (std::string line; std::getline(sockets, line);) {
    std::istringstream words(line);
    std::string slot, local, remote, inode;
    words >> slot >> local >> remote;
    const auto port = [](const std::string& end) { return std::stoi(end.substr(end.find(':') + 1), nullptr, 16); };
    if (local.find(':') == std::string::npos || port(local) != from || port(remote) != to) continue;
    for (int field = 3; field < 10; ++field) words >> inode;
    return inode;
  }
  return {};
}

/// The client of that connection is a socket of the process.
bool is_from(pid_t process, int client) {
  sockaddr_in peer{}, own{};
  socklen_t size = sizeof peer;
  ::getpeername(client, reinterpret_cast<sockaddr*>(&peer), &size);
  ::getsockname(client, reinterpret_cast<sockaddr*>(&own), &size);
  const std::string link = "socket:[" + inode_of(ntohs(peer.sin_port), ntohs(own.sin_port)) + "]";
  std::error_code failed;
  for (const auto& one : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", failed))
    if (std::filesystem::read_symlink(one, failed) == link) return true;
  return false;
}

}  // namespace

TcpRelay::TcpRelay(int server_port)
    : server_port_(server_port), listener_(stream_socket()), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  port_ = bind_anywhere(listener_);
  if (::listen(listener_, 64) != 0) throw std::runtime_error("the relay cannot listen");
  thread_ = std::thread([this] { run(); });
}

TcpRelay::~TcpRelay() {
  {
    const std::lock_guard hold(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
  for (const Pair& pair : pairs_) ::close(pair.client), ::close(pair.server);
  ::close(listener_);
  ::close(event_);
}

void TcpRelay::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t size = ::write(event_, &one, sizeof one);
}

void TcpRelay::cut() {
  const std::lock_guard hold(mutex_);
  cut_ = true;
}

void TcpRelay::cut_from(pid_t process) {
  const std::lock_guard hold(mutex_);
  cut_from_ = process;
  cut_way_.reset();
  for (Pair& pair : pairs_) mark(pair);
}

void TcpRelay::cut_way(Way way, std::optional<pid_t> process) {
  const std::lock_guard hold(mutex_);
  cut_way_ = way;
  cut_from_ = process.value_or(-1);
  for (Pair& pair : pairs_) mark(pair);
}

void TcpRelay::mark(Pair& pair) const {
  const bool is_meant = cut_from_ > 0 ? is_from(cut_from_, pair.client) : cut_way_.has_value();
  pair.cut = is_meant && !cut_way_;
  pair.cut_way = is_meant ? cut_way_ : std::nullopt;
}

void TcpRelay::heal() {
  {
    const std::lock_guard hold(mutex_);
    cut_ = false;
    cut_from_ = -1;
    cut_way_.reset();
    for (Pair& pair : pairs_) {
      pair.cut = false;
      if (pair.cut_way) break_pair(pair);
    }
  }
  wake();
}

void TcpRelay::delay(Way way, std::chrono::milliseconds by) {
  const std::lock_guard hold(mutex_);
  delays_[static_cast<std::size_t>(way)] = by;
}

void TcpRelay::drop(Way way, bool on) {
  const std::lock_guard hold(mutex_);
  drops_[static_cast<std::size_t>(way)] = on;
}

void TcpRelay::lose_requests(const std::string& text) {
  const std::lock_guard hold(mutex_);
  lost_text_ = text;
}

void TcpRelay::break_pair(Pair& pair) {
  pair.broken = true;
  ::shutdown(pair.client, SHUT_RDWR);
  ::shutdown(pair.server, SHUT_RDWR);
}

void TcpRelay::break_connections() {
  const std::lock_guard hold(mutex_);
  for (Pair& pair : pairs_) break_pair(pair);
  wake();
}

void TcpRelay::lead_to(int server_port) {
  const std::lock_guard hold(mutex_);
  server_port_ = server_port;
}

std::size_t TcpRelay::connections() const {
  const std::lock_guard hold(mutex_);
  return connections_;
}

std::size_t TcpRelay::dropped() const {
  const std::lock_guard hold(mutex_);
  return dropped_;
}

std::size_t TcpRelay::largest_frame() const {
  const std::lock_guard hold(mutex_);
  return largest_frame_;
}

void TcpRelay::accept() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  Pair made;
  made.client = client;
  mark(made);
  if (made.cut_way) return void(pairs_.emplace_back(std::move(made)));  // what a connection begins with is lost
  const int server = stream_socket();
  const sockaddr_in address = loopback(server_port_);
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(client);
    ::close(server);
    return;
  }
  at_once(client);
  at_once(server);
  made.server = server;
  pairs_.push_back(std::move(made));
  ++connections_;
}

void TcpRelay::count(Pair& pair, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    if (pair.frame_left > 0) {
      const std::size_t part = std::min(pair.frame_left, bytes.size() - at);
      pair.frame_left -= part;
      at += part;
      continue;
    }
    pair.frame_head += bytes[at++];
    if (pair.frame_head.size() < 4) continue;
    for (const char byte : pair.frame_head) pair.frame_left = pair.frame_left << 8 | static_cast<unsigned char>(byte);
    largest_frame_ = std::max(largest_frame_, pair.frame_left + 4);
    pair.frame_head.clear();
  }
}

bool TcpRelay::drops(Pair& pair, Way way, const std::string& bytes) {
  if (drops_[static_cast<std::size_t>(way)] || pair.cut_way == way) return true;
  if (way == Way::to_client) return false;
  pair.lost = pair.lost || (!lost_text_.empty() && bytes.find(lost_text_) != std::string::npos);
  return pair.lost;
}

void TcpRelay::take(Pair& pair, Way way) {
  Stream& stream = pair.streams[static_cast<std::size_t>(way)];
  std::string bytes(chunk_size, '\0');
  const ssize_t size = ::recv(from(pair, way), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size < 0) return;
  if (size == 0) {
    stream.ended = true;
    return;
  }
  bytes.resize(static_cast<std::size_t>(size));
  if (way == Way::to_server) count(pair, bytes);
  if (drops(pair, way, bytes)) {
    dropped_ += bytes.size();
    return;
  }
  stream.delayed.push_back({Clock::now() + delays_[static_cast<std::size_t>(way)], std::move(bytes)});
}

void TcpRelay::give(Pair& pair, Way way) {
  Stream& stream = pair.streams[static_cast<std::size_t>(way)];
  while (!stream.delayed.empty() && stream.delayed.front().due <= Clock::now()) {
    std::string& bytes = stream.delayed.front().bytes;
    const ssize_t size = ::send(to(pair, way), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      if (pair.cut_way && *pair.cut_way != way)
        stream.delayed.clear();  // the sender is not told that nobody reads any more
      else
        pair.broken = true;
      return;
    }
    bytes.erase(0, static_cast<std::size_t>(size));
    if (bytes.empty()) stream.delayed.pop_front();
  }
  if (stream.delayed.empty() && stream.ended && pair.cut_way != way) pair.broken = true;
}

/// Until the next delayed chunk is due; for ever where there is none.
int TcpRelay::wait_time() const {
  if (cut_) return -1;
  int wait = -1;
  for (const Pair& pair : pairs_)
    for (const Stream& stream : pair.streams) {
      if (stream.delayed.empty() || pair.cut) continue;
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(stream.delayed.front().due - Clock::now());
      const int millis = std::max(1, static_cast<int>(left.count()) + 1);
      wait = wait < 0 ? millis : std::min(wait, millis);
    }
  return wait;
}

void TcpRelay::run() {
  std::unique_lock hold(mutex_);
  while (!stopping_) {
    std::vector<pollfd> ready{{event_, POLLIN, 0}};
    if (!cut_) {
      ready.push_back({listener_, POLLIN, 0});
      for (const Pair& pair : pairs_)
        for (const Way way : {Way::to_server, Way::to_client}) {
          const Stream& stream = pair.streams[static_cast<std::size_t>(way)];
          const bool more = !pair.cut && !stream.ended && stream.delayed.size() * chunk_size < most_delayed * 64;
          ready.push_back({more ? from(pair, way) : -1, POLLIN, 0});
        }
    }
    const int wait = wait_time();
    hold.unlock();
    ::poll(ready.data(), ready.size(), wait);
    hold.lock();
    std::uint64_t count;
    [[maybe_unused]] const ssize_t size = ::read(event_, &count, sizeof count);
    if (cut_ || stopping_) continue;
    for (Pair& pair : pairs_)
      for (const Way way : {Way::to_server, Way::to_client}) {
        if (pair.cut) continue;
        take(pair, way);
        give(pair, way);
      }
    std::erase_if(pairs_, [](const Pair& pair) {
      if (pair.broken) ::close(pair.client), ::close(pair.server);
      return pair.broken;
    });
    if (ready.size() > 1 && ready[1].revents != 0) accept();
  }
}

}  // namespace ballot::testing

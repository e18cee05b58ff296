#include "gate.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>
#include <utility>

#include "support/bounds.hpp"
#include "support/clock.hpp"
#include "support/thread.hpp"

namespace ballot::zookeeper {

namespace {

namespace bounds = support::bounds;

constexpr int pause_ms = 20;  // while there is no room, or a rest is sent
constexpr std::size_t most_passages = 64;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

sockaddr_in loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

support::Descriptor listen_somewhere() {
  support::Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_in address = loopback();
  if (!listener || ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), 16) != 0)
    fail("no socket to listen on the loopback");
  return listener;
}

struct Ends {
  sockaddr_in own{}, other{};
};
bool ends_of(int socket, Ends& ends) {
  socklen_t own = sizeof ends.own, other = sizeof ends.other;
  return ::getsockname(socket, reinterpret_cast<sockaddr*>(&ends.own), &own) == 0 &&
         ::getpeername(socket, reinterpret_cast<sockaddr*>(&ends.other), &other) == 0 &&
         ends.own.sin_family == AF_INET && ends.other.sin_family == AF_INET;
}
bool is_same(const sockaddr_in& one, const sockaddr_in& other) {
  return one.sin_port == other.sin_port && one.sin_addr.s_addr == other.sin_addr.s_addr;
}

/// The other end of the connection is a socket of this process.
bool is_own(int accepted) {
  Ends here;
  DIR* const folder = ends_of(accepted, here) ? ::opendir("/proc/self/fd") : nullptr;
  if (folder == nullptr) return false;
  bool found = false;
  while (const dirent* const entry = found ? nullptr : ::readdir(folder)) {
    Ends there;
    found =
        ends_of(std::atoi(entry->d_name), there) && is_same(there.own, here.other) && is_same(there.other, here.own);
  }
  ::closedir(folder);
  return found;
}

std::vector<Address> resolve(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* all = nullptr;
  std::vector<Address> found;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &all) != 0) return found;
  for (const addrinfo* one = all; one != nullptr; one = one->ai_next) {
    Address address;
    if (one->ai_addrlen > sizeof address.socket) continue;
    std::memcpy(&address.socket, one->ai_addr, one->ai_addrlen);
    address.size = one->ai_addrlen;
    found.push_back(address);
  }
  ::freeaddrinfo(all);
  return found;
}

}  // namespace

struct Gate::Answers {
  struct Answer {
    std::size_t server;
    std::vector<Address> addresses;
  };

  Answers() : event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event) fail("eventfd");
  }
  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t size = ::write(event.get(), &one, sizeof one);
  }
  void push(Answer answer) {
    {
      const std::lock_guard hold(mutex);
      all.push_back(std::move(answer));
    }
    wake();
  }
  std::vector<Answer> take() {
    std::uint64_t count;
    [[maybe_unused]] const ssize_t size = ::read(event.get(), &count, sizeof count);
    const std::lock_guard hold(mutex);
    return std::exchange(all, {});
  }

  const support::Descriptor event;
  std::mutex mutex;
  std::vector<Answer> all;  // under mutex
};

Gate::Gate(const std::string& servers, OnRefused on_refused)
    : on_refused_(std::move(on_refused)), answers_(std::make_shared<Answers>()) {
  for (std::size_t begin = 0; begin < servers.size();) {
    const std::size_t end = std::min(servers.find(',', begin), servers.size());
    const std::string one = servers.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t colon = one.rfind(':');
    std::string host = one.substr(0, colon);
    if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    servers_.push_back({host, one.substr(colon + 1), listen_somewhere()});
    sockaddr_in place{};
    socklen_t size = sizeof place;
    if (::getsockname(servers_.back().listener.get(), reinterpret_cast<sockaddr*>(&place), &size) != 0)
      fail("no socket to listen on the loopback");
    places_ += (places_.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(ntohs(place.sin_port));
  }
  thread_ = support::start_thread("ballot-zk-gate", [this] { run(); });
}

Gate::~Gate() {
  stops_ = true;
  answers_->wake();
  thread_.join();
}

void Gate::run() {
  while (!stops_) {
    try {
      wait_and_move();
    } catch (const std::exception&) {
      passages_.clear();  // no memory: the library connects anew
    }
  }
}

void Gate::wait_and_move() {
  const bool reads = may_read(support::boot_now());
  std::vector<pollfd> all{{answers_->event.get(), POLLIN, 0}};
  for (const Server& one : servers_) all.push_back({one.listener.get(), POLLIN, 0});
  const std::size_t first = all.size();
  for (const Passage& one : passages_) all.push_back(one.near()), all.push_back(one.far(reads));
  const bool timed =
      !reads || std::any_of(passages_.begin(), passages_.end(), [](const Passage& one) { return one.ends(); });
  if (::poll(all.data(), all.size(), timed ? pause_ms : -1) < 0) ::poll(nullptr, 0, pause_ms);  // no memory, too many
  const SteadyTime now = support::boot_now();
  std::size_t at = first;
  for (auto one = passages_.begin(); one != passages_.end(); at += 2) {
    const bool goes_on = one->move(all[at].revents, all[at + 1].revents, now);
    room_ -= static_cast<std::int64_t>(one->take_received());
    const Server& server = servers_[one->server()];
    if (!one->problem().empty()) on_refused_(server.host + ":" + server.port + " sent " + one->problem());
    one = goes_on ? std::next(one) : passages_.erase(one);
  }
  if (all[0].revents != 0) take_addresses();
  for (std::size_t i = 0; i < servers_.size(); ++i)
    if (all[1 + i].revents != 0) accept(i);
}

/// As much at once, and so much a second, as bounds.hpp says.
bool Gate::may_read(SteadyTime now) {
  const auto since = std::min<std::int64_t>((now - filled_at_).count(), 1000);
  room_ = std::min<std::int64_t>(room_ + since * static_cast<std::int64_t>(bounds::second) / 1000, bounds::burst);
  filled_at_ = now;
  return room_ > 0;
}

void Gate::accept(std::size_t server) {
  support::Descriptor near(::accept4(servers_[server].listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!near || !is_own(near.get())) return;
  const int yes = 1;
  ::setsockopt(near.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (passages_.size() >= most_passages) passages_.pop_front();
  passages_.emplace_back(std::move(near), server);
  look_up(server);
}

void Gate::look_up(std::size_t server) {
  Server& one = servers_[server];
  auto addresses = resolve(one.host, one.port, AI_NUMERICHOST);
  if (!addresses.empty()) return answers_->push({server, std::move(addresses)});
  if (std::exchange(one.looked_up, true)) return;
  const auto work = [answers = answers_, server, host = one.host, port = one.port] {
    answers->push({server, resolve(host, port, AI_ADDRCONFIG)});
  };
  try {
    support::start_thread("ballot-lookup", work).detach();
  } catch (const std::system_error&) {
    answers_->push({server, {}});
  }
}

void Gate::take_addresses() {
  for (const auto& [server, addresses] : answers_->take()) {
    servers_[server].looked_up = false;
    std::erase_if(passages_,
                  [&](Passage& one) { return one.server() == server && one.is_looking() && !one.connect(addresses); });
  }
}

}  // namespace ballot::zookeeper

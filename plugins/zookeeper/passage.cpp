#include "passage.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "support/bounds.hpp"

namespace ballot::zookeeper {

namespace {

namespace bounds = support::bounds;

constexpr Millis rest_patience{1000};
constexpr std::size_t at_a_time = 64 * 1024, length_size = 4;

bool is_later() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

std::int64_t length_at(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < length_size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<std::int32_t>(value);
}

}  // namespace

bool Passage::connect(std::vector<Address> addresses) {
  addresses_ = std::move(addresses);
  std::reverse(addresses_.begin(), addresses_.end());
  return connect_next();
}

bool Passage::connect_next() {
  while (!addresses_.empty()) {
    const Address address = addresses_.back();
    addresses_.pop_back();
    far_ = support::Descriptor(
        ::socket(address.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
    if (!far_) continue;
    const int yes = 1;
    ::setsockopt(far_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    state_ = State::connecting;
    const auto* const socket = reinterpret_cast<const sockaddr*>(&address.socket);
    if (::connect(far_.get(), socket, address.size) == 0 || errno == EINPROGRESS) return true;
  }
  return false;
}

bool Passage::is_connected() {
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(far_.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

/// The end of the library's side is waited for in any state: it gives up a server that takes too long.
pollfd Passage::near() const {
  const bool reads = state_ == State::passing && up_.checked == 0 && !up_.ended;
  const int events = (reads ? POLLIN : 0) | (down_.checked > 0 ? POLLOUT : 0) | (end_by_ ? 0 : POLLRDHUP);
  return {events == 0 ? -1 : near_.get(), static_cast<short>(events), 0};
}

pollfd Passage::far(bool may_read) const {
  int events = state_ == State::connecting || up_.checked > 0 ? POLLOUT : 0;
  if (state_ == State::passing && may_read && down_.checked == 0 && !down_.ended) events |= POLLIN;
  return {events == 0 ? -1 : far_.get(), static_cast<short>(events), 0};
}

bool Passage::move(short near_events, short far_events, SteadyTime now) {
  if (state_ == State::passing) return pass(near_events, far_events, now);
  if ((near_events & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return false;
  if (state_ == State::looking || far_events == 0) return true;
  if (!is_connected()) return connect_next();
  state_ = State::passing;
  return true;
}

bool Passage::pass(short near_events, short far_events, SteadyTime now) {
  if (near_events != 0 && up_.checked == 0 && !up_.ended) {
    receive(near_.get(), up_);
    if (!check(up_, bounds::request, &AnswerCheck::on_request)) return false;
  }
  if ((far_events & ~POLLOUT) != 0 && down_.checked == 0 && !down_.ended) {
    const std::size_t before = down_.bytes.size();
    receive(far_.get(), down_);
    received_ += down_.bytes.size() - before;
    if (!check(down_, bounds::children, &AnswerCheck::on_answer)) return false;
  }
  if (!send(far_.get(), up_) || !send(near_.get(), down_)) return false;
  if (!end_by_ && (down_.ended || up_.ended || (near_events & POLLRDHUP) != 0)) end_by_ = now + rest_patience;
  if (!end_by_ || now >= *end_by_) return !end_by_;
  if (up_.ended) return up_.checked > 0;
  return !down_.ended || down_.checked > 0;
}

void Passage::receive(int from, Way& way) {
  const std::size_t before = way.bytes.size();
  way.bytes.resize(before + at_a_time);
  const ssize_t size = ::recv(from, way.bytes.data() + before, at_a_time, 0);
  way.ended = size == 0 || (size < 0 && !is_later());
  way.bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

/// False: a frame is refused.
bool Passage::check(Way& way, std::size_t most, std::string (AnswerCheck::*check)(std::string_view)) {
  while (way.bytes.size() >= way.checked + length_size) {
    const std::string_view rest = std::string_view(way.bytes).substr(way.checked);
    const std::int64_t length = length_at(rest);
    if (length < 0 || length > static_cast<std::int64_t>(most)) {
      problem_ = "a frame of " + std::to_string(length) + " bytes";
      return false;
    }
    const std::size_t size = static_cast<std::size_t>(length);
    if (rest.size() < length_size + size) return true;
    problem_ = (check_.*check)(rest.substr(length_size, size));
    if (!problem_.empty()) return false;
    way.checked += length_size + size;
  }
  return true;
}

/// False: the other side takes nothing more.
bool Passage::send(int to, Way& way) {
  if (way.checked == 0) return true;
  const ssize_t size = ::send(to, way.bytes.data(), way.checked, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (size < 0) return is_later();
  way.bytes.erase(0, static_cast<std::size_t>(size));
  way.checked -= static_cast<std::size_t>(size);
  if (way.bytes.empty()) way.bytes.shrink_to_fit();
  return true;
}

}  // namespace ballot::zookeeper

#include "support/judge/oracle.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace ballot::testing {
namespace {

UniqueFd listen_at(const std::string& path) {
  UniqueFd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("too long for a socket: " + path);
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), 4096) != 0)
    throw std::runtime_error("no oracle can listen at " + path);
  return listener;
}

}  // namespace

Oracle::Oracle(std::string path)
    : path_(std::move(path)),
      listener_(listen_at(path_)),
      poller_(::epoll_create1(EPOLL_CLOEXEC)),
      wakeup_(::eventfd(0, EFD_CLOEXEC)) {
  for (const int socket : {listener_.get(), wakeup_.get()}) {
    epoll_event wanted{EPOLLIN, {.fd = socket}};
    ::epoll_ctl(poller_.get(), EPOLL_CTL_ADD, socket, &wanted);
  }
  thread_ = std::thread([this] { listen(); });
}

Oracle::~Oracle() {
  (void)::eventfd_write(wakeup_.get(), 1);
  thread_.join();
}

std::string Oracle::command(const std::vector<std::string>& orders) const {
  std::string text = "command = [\"" BALLOT_PROBE "\", \"" + path_ + "\"";
  for (const std::string& order : orders) text += ", \"" + order + "\"";
  return text + "]\n";
}

Reports Oracle::reports() const {
  const std::lock_guard lock(mutex_);
  return reports_;
}

Reports Oracle::reports(const std::string& job) const {
  Reports all = reports();
  std::erase_if(all, [&](const Report& report) { return report.job != job; });
  return all;
}

bool Oracle::wait_until(const std::function<bool(const Reports&)>& seen, std::chrono::seconds limit) const {
  std::unique_lock lock(mutex_);
  return heard_.wait_for(lock, limit, [&] { return seen(reports_); });
}

void Oracle::end(const std::string& job, int exit_code) {
  const std::string message = "exit " + std::to_string(exit_code);
  const std::lock_guard lock(mutex_);
  for (const auto& [socket, line] : lines_)
    if (line.report && reports_[*line.report].job == job)
      (void)::send(socket, message.data(), message.size(), MSG_NOSIGNAL);
}

std::vector<std::string> Oracle::unread() const {
  const std::lock_guard lock(mutex_);
  return unread_;
}

/// The thread.
void Oracle::listen() {
  epoll_event ready[64];
  while (true) {
    const int count = ::epoll_wait(poller_.get(), ready, std::size(ready), -1);
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count; ++i) {
      const int socket = ready[i].data.fd;
      if (socket == wakeup_.get()) return;
      if (socket == listener_.get())
        accept_all();
      else
        take(socket);
    }
    heard_.notify_all();
  }
}

void Oracle::accept_all() {
  while (true) {
    UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.get() < 0) return;
    const int number = socket.get();
    epoll_event wanted{EPOLLIN, {.fd = number}};
    ::epoll_ctl(poller_.get(), EPOLL_CTL_ADD, number, &wanted);
    lines_[number].socket = std::move(socket);
  }
}

/// Everything that waits on a socket.
void Oracle::take(int socket) {
  char message[1024];
  while (true) {
    const auto line = lines_.find(socket);
    if (line == lines_.end()) return;  // closed when another's START was handled
    const ssize_t size = ::recv(socket, message, sizeof message, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) return close(socket);
    on_message(line->second, {message, static_cast<std::size_t>(size)});
  }
}

void Oracle::on_message(Line& line, std::string_view message) {
  if (line.report && parse_end(message, reports_[*line.report])) return;
  Report report;
  if (line.report || !parse_start(message, report)) return unread_.emplace_back(message), void();
  settle_the_gone(report);
  line.report = reports_.size();
  reports_.push_back(std::move(report));
}

/// Whoever is gone by now went before `next` started, or so it is taken.
void Oracle::settle_the_gone(const Report& next) {
  std::vector<int> others;
  for (const auto& [socket, other] : lines_)
    if (other.report && reports_[*other.report].job == next.job) others.push_back(socket);
  for (const int other : others) take(other);
  for (Report& report : reports_)
    if (report.job == next.job && report.gone && report.gone->boot > next.started.boot)
      report.gone =
          std::max(report.started, next.started, [](const Instant& a, const Instant& b) { return a.boot < b.boot; });
}

void Oracle::close(int socket) {
  const auto line = lines_.find(socket);
  if (line->second.report) reports_[*line->second.report].gone = Instant::now();
  lines_.erase(line);
}

}  // namespace ballot::testing

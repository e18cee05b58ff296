#include "io/runner_watch.hpp"

#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "io/runner_start.hpp"

namespace ballot::io {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds answer_within{100};

}  // namespace

/// A connection is kept alive by its pending operations, never by its owner.
class RunnerWatch::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::io_context& loop, int fd, std::string owner, std::function<void(Report)> on_report)
      : socket_(loop, asio::local::stream_protocol(), fd),
        patience_(loop),
        owner_(std::move(owner)),
        on_report_(std::move(on_report)) {}

  void begin() {
    patience_.expires_after(answer_within);
    patience_.async_wait([self = shared_from_this()](error_code error) {
      if (!error && !self->ready_) self->close();
    });
    read();
  }
  void close() {
    on_report_ = nullptr;
    patience_.cancel();
    error_code ignored;
    socket_.close(ignored);
  }

 private:
  void read();
  void deliver();
  void lose();
  bool take(runner::FromRunner&& message);
  bool take(const runner::Ready& ready);

  asio::local::stream_protocol::socket socket_;
  asio::steady_timer patience_;
  const std::string owner_;
  std::function<void(Report)> on_report_;  // null once it is closed
  runner::FrameReader reader_;
  std::array<char, 16384> buffer_;
  Report inventory_;
  bool ready_ = false;
};

void RunnerWatch::Connection::read() {
  socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](error_code error, std::size_t size) {
    if (!self->on_report_) return;
    if (error) return self->lose();
    self->reader_.feed({self->buffer_.data(), size});
    self->deliver();
  });
}

void RunnerWatch::Connection::deliver() {
  while (on_report_) {
    auto message = reader_.next_from_runner();
    if (message && !*message) return read();
    if (!message || !take(std::move(**message))) return lose();
  }
}

void RunnerWatch::Connection::lose() {
  const auto on_report = std::exchange(on_report_, nullptr);
  close();
  if (on_report && ready_) on_report({false, {}, {}, true});
}

/// False: nothing more is to be had from it.
bool RunnerWatch::Connection::take(runner::FromRunner&& message) {
  if (const auto* hello = std::get_if<runner::Hello>(&message)) return hello->protocol == runner::protocol;
  if (const auto* ready = std::get_if<runner::Ready>(&message)) return take(*ready);
  if (auto* running = std::get_if<runner::Running>(&message)) inventory_.running.push_back(std::move(*running));
  auto* ended = std::get_if<runner::Ended>(&message);
  if (ended && !ready_) inventory_.ended.push_back(std::move(*ended));
  if (ended && ready_) {
    const auto on_report = on_report_;  // it may be destroyed meanwhile
    on_report({false, {}, {std::move(*ended)}});
  }
  return true;
}

bool RunnerWatch::Connection::take(const runner::Ready& ready) {
  if (ready.owner != owner_) return false;
  ready_ = true;
  patience_.cancel();
  inventory_.complete = !ready.commanded;
  const auto on_report = on_report_;
  on_report(std::exchange(inventory_, {}));
  return true;
}

Result<std::unique_ptr<RunnerWatch>> RunnerWatch::begin(asio::io_context& loop, const std::string& socket,
                                                        std::string owner, std::function<void(Report)> on_report) {
  auto found = find_runner(socket);
  if (!found) return found.error();
  if (!*found) return Error{Errc::not_found, "no runner listens at " + socket};
  const std::string watch = encode(runner::ToRunner(runner::Watch{}));
  if (::send(found->get(), watch.data(), watch.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(watch.size()))
    return Error{Errc::io, "the runner at " + socket + " takes nothing"};
  auto connection = std::make_shared<Connection>(loop, found->release(), std::move(owner), std::move(on_report));
  connection->begin();
  return std::unique_ptr<RunnerWatch>(new RunnerWatch(std::move(connection)));
}

RunnerWatch::RunnerWatch(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

RunnerWatch::~RunnerWatch() { connection_->close(); }

}  // namespace ballot::io

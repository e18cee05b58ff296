#include "io/runner_client.hpp"

#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "io/runner_start.hpp"

namespace ballot::io {

namespace asio = boost::asio;
using boost::system::error_code;

/// One connection, from start() until it is lost or closed. Its pending operations keep it alive, never its client.
class RunnerClient::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(RunnerClient& client, int fd)
      : client_(&client),
        socket_(client.loop_, asio::local::stream_protocol(), fd),
        brake_(client.loop_),
        watch_(client.loop_) {}

  void begin() {
    read();
    watch();
  }
  void close();
  void send(const runner::ToRunner& message);
  void take_pending();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds shortest_life{1};
  static constexpr std::size_t enough_to_send = 16 * 1024;  // many starts: the first begin while the last are made

  static constexpr Millis ping_every{500}, patience{2000};

  void watch();
  void end_silence();
  void read();
  void take(std::string_view bytes);
  void deliver();
  bool acceptable(const runner::FromRunner& first);
  void lost(std::string why);
  void flush();

  RunnerClient* client_;  // null once it is closed: no handler is called any more
  asio::local::stream_protocol::socket socket_;
  asio::steady_timer brake_, watch_;
  Millis silence_{0};  // in steps of ping_every
  const Clock::time_point began_ = Clock::now();
  runner::FrameReader reader_;
  std::array<char, 65536> buffer_;
  std::string unsent_;
  bool greeted_ = false;
  bool flush_posted_ = false, waits_ = false;  // a flush comes at the end of the iteration; when the socket takes more
};

void RunnerClient::Connection::close() {
  waits_ = false;
  flush();
  client_ = nullptr;
  error_code ignored;
  socket_.close(ignored);
  brake_.cancel();
  watch_.cancel();
}

void RunnerClient::Connection::send(const runner::ToRunner& message) {
  if (!socket_.is_open()) return;
  append(message, unsent_);
  if (unsent_.size() >= enough_to_send) flush();
  if (unsent_.empty() || waits_ || std::exchange(flush_posted_, true)) return;
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->flush_posted_ = false;
    self->flush();
  });
}

/// A failed write says nothing: what the runner said before it went is still to be read.
void RunnerClient::Connection::flush() {
  if (waits_) return;
  std::size_t sent = 0;
  while (socket_.is_open() && sent < unsent_.size()) {
    const ssize_t n = ::send(socket_.native_handle(), unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) sent = unsent_.size();
    if (n < 0) break;
    sent += static_cast<std::size_t>(n);
  }
  unsent_.erase(0, sent);
  if (unsent_.empty() || !socket_.is_open()) return;
  waits_ = true;
  socket_.async_wait(asio::socket_base::wait_write, [self = shared_from_this()](error_code error) {
    self->waits_ = false;
    if (!error) self->flush();
  });
}

/// Each step counts the same, however late it comes: what the runner said while this process was suspended is read
/// before the next.
void RunnerClient::Connection::watch() {
  watch_.expires_after(ping_every);
  watch_.async_wait([self = shared_from_this()](error_code error) {
    if (error || !self->client_ || !self->socket_.is_open()) return;
    self->silence_ += ping_every;
    if (self->greeted_) self->send(runner::Ping{});
    if (self->silence_ > patience) {
      const auto handlers = self->client_->handlers_;
      handlers->on_silence(self->silence_ - ping_every);  // the first step may have begun with an answer
    }
    if (self->client_) self->watch();
  });
}

void RunnerClient::Connection::end_silence() {
  if (std::exchange(silence_, Millis(0)) <= patience) return;
  const auto handlers = client_->handlers_;
  handlers->on_silence(Millis(0));
}

void RunnerClient::Connection::read() {
  socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](error_code error, std::size_t size) {
    if (!self->client_ || !self->socket_.is_open()) return;
    if (error) return self->lost(error == asio::error::eof ? "it closed the connection" : error.message());
    self->take({self->buffer_.data(), size});
    if (self->client_ && self->socket_.is_open()) self->read();
  });
}

/// An end of the connection is left to the read that is under way.
void RunnerClient::Connection::take_pending() {
  const auto self = shared_from_this();
  std::array<char, 65536> buffer;
  while (client_ && socket_.is_open()) {
    const ssize_t n = ::recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    take({buffer.data(), static_cast<std::size_t>(n)});
  }
}

void RunnerClient::Connection::take(std::string_view bytes) {
  reader_.feed(bytes);
  end_silence();
  if (client_) deliver();
}

void RunnerClient::Connection::deliver() {
  std::vector<runner::FromRunner> messages;
  std::string trouble;
  while (trouble.empty()) {
    auto message = reader_.next_from_runner();
    if (message && !*message) break;
    if (!message)
      trouble = message.error().what;
    else if (!std::exchange(greeted_, true) && !acceptable(**message))
      trouble = client_->refusal_;
    else if (!std::holds_alternative<runner::Pong>(**message))
      messages.push_back(std::move(**message));
  }
  const auto handlers = client_->handlers_;
  if (!messages.empty()) handlers->on_messages(std::move(messages));
  if (client_ && !trouble.empty()) lost(trouble);
}

bool RunnerClient::Connection::acceptable(const runner::FromRunner& first) {
  const auto* hello = std::get_if<runner::Hello>(&first);
  if (hello && hello->protocol == runner::protocol) return true;
  const std::string who = hello ? "the runner (process " + std::to_string(hello->pid) + ") speaks protocol " +
                                      std::to_string(hello->protocol)
                                : "what listens there does not speak the runner's protocol";
  client_->refusal_ = who + ", this program " + std::to_string(runner::protocol) +
                      "; let its runs end or stop it with TERM, then start again: " + client_->settings_.socket_path;
  return false;
}

/// Told once; a runner that dies as soon as it is started is not started a thousand times a second.
void RunnerClient::Connection::lost(std::string why) {
  error_code ignored;
  socket_.close(ignored);
  const auto report = [self = shared_from_this(), text = std::move(why)](error_code) {
    if (!self->client_) return;
    const auto handlers = self->client_->handlers_;
    self->client_ = nullptr;
    handlers->on_down(text);
  };
  if (Clock::now() - began_ >= shortest_life) return report({});
  brake_.expires_at(began_ + shortest_life);
  brake_.async_wait(report);
}

RunnerClient::RunnerClient(asio::io_context& loop, RunnerSettings settings, RunnerHandlers handlers)
    : loop_(loop),
      settings_(std::move(settings)),
      handlers_(std::make_shared<const RunnerHandlers>(std::move(handlers))) {}

RunnerClient::~RunnerClient() {
  if (connection_) connection_->close();
}

Result<void> RunnerClient::start() {
  if (connection_) connection_->close();
  connection_.reset();
  if (!refusal_.empty()) return Error{Errc::refused, refusal_};
  auto reached = reach_runner(settings_.socket_path, settings_.runner_path);
  if (!reached) return reached.error();
  connection_ = std::make_shared<Connection>(*this, reached->release());
  connection_->begin();
  connection_->send(runner::Command{settings_.owner});
  if (!settings_.successor.argv.empty()) connection_->send(settings_.successor);
  return {};
}

void RunnerClient::send(const runner::ToRunner& message) {
  if (connection_) connection_->send(message);
}

void RunnerClient::take_pending() {
  if (const auto connection = connection_) connection->take_pending();
}

}  // namespace ballot::io

#include "io/runner_client.hpp"

#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "io/runner_dialogue.hpp"
#include "io/runner_start.hpp"

namespace ballot::io {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr Millis time_to_close{50};  // from the end of a dying runner's connection to the end of its process
constexpr Millis time_to_die{200};   // of a runner that has closed its socket

}  // namespace

/// One connection, from start() until it is lost or closed. Its pending operations keep it alive, never its client. The
/// socket has one reader, receive(): it reads no byte before the loop or take_pending() asks for it, so that what was
/// read is handed over in the order in which it was sent.
class RunnerClient::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(RunnerClient& client, int fd)
      : client_(&client), socket_(client.loop_, asio::local::stream_protocol(), fd), watch_(client.loop_) {}

  void begin() {
    await_readable();
    watch();
  }
  void close();
  void send(const runner::ToRunner& message);
  void take_pending();

 private:
  static constexpr std::size_t enough_to_send = 16 * 1024;  // many starts: the first begin while the last are made
  static constexpr int reads_at_once = 4;                   // so that a flood of output does not hold up the loop
  static constexpr int most_pending = 64;  // reads: more than the socket's buffer; what comes meanwhile can wait

  static constexpr Millis ping_every{500}, patience{2000};

  void watch();
  void end_silence();
  void await_readable();
  bool receive();
  void deliver();
  Result<void> check(const runner::FromRunner& message);
  bool acceptable(const runner::FromRunner& first);
  void lost(const std::string& why);
  void flush();

  RunnerClient* client_;  // null once it is closed: no handler is called any more
  asio::local::stream_protocol::socket socket_;
  asio::steady_timer watch_;
  Millis silence_{0};  // in steps of ping_every
  RunnerDialogue dialogue_;
  runner::FrameReader reader_;
  std::array<char, 65536> buffer_;
  std::string unsent_;
  bool greeted_ = false;
  bool delivers_ = false;                      // handlers are being called
  bool flush_posted_ = false, waits_ = false;  // a flush comes at the end of the iteration; when the socket takes more
};

void RunnerClient::Connection::close() {
  waits_ = false;
  flush();
  client_ = nullptr;
  error_code ignored;
  socket_.close(ignored);
  watch_.cancel();
}

void RunnerClient::Connection::send(const runner::ToRunner& message) {
  if (!socket_.is_open()) return;
  dialogue_.sent(message);
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

void RunnerClient::Connection::await_readable() {
  socket_.async_wait(asio::socket_base::wait_read, [self = shared_from_this()](error_code error) {
    for (int i = 0; !error && i < reads_at_once && self->receive(); ++i) continue;
    if (!error && self->client_ && self->socket_.is_open()) self->await_readable();
  });
}

void RunnerClient::Connection::take_pending() {
  const auto self = shared_from_this();
  for (int i = 0; i < most_pending && receive(); ++i) continue;
}

/// Reads once and hands over what came. False: nothing is there, or nothing more is to be read now. Asked for by a
/// handler it reads nothing: what that is called with comes first.
bool RunnerClient::Connection::receive() {
  if (delivers_ || !client_ || !socket_.is_open()) return false;
  const ssize_t n = ::recv(socket_.native_handle(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (n < 0 && errno == EINTR) return true;
  if (n < 0 && errno == EAGAIN) return false;
  if (n <= 0) {
    lost(n == 0 ? "it was closed" : std::strerror(errno));
    return false;
  }
  reader_.feed({buffer_.data(), static_cast<std::size_t>(n)});
  delivers_ = true;
  end_silence();
  if (client_) deliver();
  delivers_ = false;
  return true;
}

void RunnerClient::Connection::deliver() {
  std::vector<runner::FromRunner> messages;
  std::string trouble;
  while (trouble.empty()) {
    auto message = reader_.next_from_runner();
    if (message && !*message) break;
    const Result<void> checked = message ? check(**message) : message.error();
    if (!checked)
      trouble = checked.error().what;
    else if (!std::holds_alternative<runner::Pong>(**message))
      messages.push_back(std::move(**message));
  }
  const auto handlers = client_->handlers_;
  if (!messages.empty()) handlers->on_messages(std::move(messages));
  if (client_ && !trouble.empty()) lost(trouble);
}

Result<void> RunnerClient::Connection::check(const runner::FromRunner& message) {
  if (!std::exchange(greeted_, true)) {
    if (!acceptable(message)) return Error{Errc::refused, client_->refusal_};
    client_->take_up(static_cast<pid_t>(std::get<runner::Hello>(message).pid));
  }
  return dialogue_.hear(message);
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

/// The client hears of it once.
void RunnerClient::Connection::lost(const std::string& why) {
  error_code ignored;
  socket_.close(ignored);
  watch_.cancel();
  const auto handlers = std::exchange(client_, nullptr)->handlers_;
  handlers->on_down(why);
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
  auto reached = reach();
  if (!reached) return reached.error();
  connection_ = std::make_shared<Connection>(*this, reached->release());
  connection_->begin();
  connection_->send(runner::Command{settings_.owner});
  if (!settings_.successor.argv.empty()) connection_->send(settings_.successor);
  return {};
}

/// A runner that lives has runs: none is started beside it. One that is being killed closes its connection before its
/// socket, where one more could be made that ends at once, and its socket before it is gone.
Result<UniqueFd> RunnerClient::reach() {
  if (runner_.ends_within(time_to_close)) return reach_runner(settings_.socket_path, settings_.runner_path);
  auto found = find_runner(settings_.socket_path);
  if (!found || *found) return found;
  if (runner_.ends_within(time_to_die)) return reach_runner(settings_.socket_path, settings_.runner_path);
  return Error{Errc::unavailable, "the runner (process " + std::to_string(runner_.pid()) +
                                      ") lives, but nobody listens at " + settings_.socket_path +
                                      "; stop it with TERM, which ends its runs, and another one is started"};
}

/// A runner that is not the one before may have taken its id, once that is gone.
void RunnerClient::take_up(pid_t pid) {
  is_same_runner_ = runner_.pid() == pid && runner_.lives();
  if (!is_same_runner_) runner_ = LivingProcess(pid);
}

void RunnerClient::send(const runner::ToRunner& message) {
  if (connection_) connection_->send(message);
}

void RunnerClient::take_pending() {
  if (const auto connection = connection_) connection->take_pending();
}

}  // namespace ballot::io

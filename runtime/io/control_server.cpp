#include "io/control_server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>
#include <utility>

#include "io/control_socket.hpp"

namespace ballot::io {
namespace {

namespace asio = boost::asio;
using Socket = asio::local::stream_protocol::socket;
using boost::system::error_code;

uid_t peer_uid(Socket& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const int failed = ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
  return failed ? static_cast<uid_t>(-1) : peer.uid;
}

}  // namespace

/// A connection. Kept by the server until it is closed, by its replies and by its handlers in flight.
///
/// | stage     | a whole line          | finish()  | all written | patience over, client gone |
/// | --------- | --------------------- | --------- | ----------- | -------------------------- |
/// | reading   | answering, handler    | finishing | -           | closed                     |
/// | answering | -                     | finishing | -           | closed                     |
/// | finishing | -                     | -         | closed      | closed                     |
/// | closed    | -                     | -         | -           | -                          |
class Reply::Sink : public std::enable_shared_from_this<Reply::Sink> {
 public:
  enum class Stage { reading, answering, finishing, closed };

  Sink(Socket socket, const ControlLimits& limits)
      : uid(peer_uid(socket)), socket_(std::move(socket)), timer_(socket_.get_executor()), limits_(limits) {}

  const uid_t uid;

  std::function<void(Message, uid_t)> on_request;
  std::function<void()> on_closed;

  void start() {
    wait_at_most_patience();
    read();
  }

  void send(const Message& message) {
    if (stage_ != Stage::answering) return;
    queue(message);
  }

  void finish(Message message) {
    if (stage_ != Stage::reading && stage_ != Stage::answering) return;
    stage_ = Stage::finishing;
    queue(message.set("last", true));
  }

  bool answered() const { return stage_ == Stage::finishing || stage_ == Stage::closed; }
  bool closed() const { return stage_ == Stage::closed; }

  void close() {
    if (stage_ == Stage::closed) return;
    stage_ = Stage::closed;
    error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
    on_request = nullptr;
    if (const auto closed = std::exchange(on_closed, nullptr)) closed();
  }

 private:
  void read() {
    socket_.async_read_some(asio::buffer(chunk_), [self = shared_from_this()](error_code error, std::size_t size) {
      if (self->stage_ == Stage::closed) return;
      if (error) return self->close();
      if (self->stage_ == Stage::reading) self->take(std::string_view(self->chunk_.data(), size));
      if (self->stage_ != Stage::closed) self->read();  // to notice when the client goes
    });
  }

  void take(std::string_view bytes) {
    const std::size_t end = bytes.find('\n');
    line_ += bytes.substr(0, end);
    if (line_.size() > limits_.line_bytes)
      return finish(
          to_message({Errc::invalid, "a request is at most " + std::to_string(limits_.line_bytes) + " bytes"}));
    if (end == std::string_view::npos) return;
    auto message = decode(std::exchange(line_, {}));
    if (!message) return finish(to_message(message.error()));
    stage_ = Stage::answering;
    timer_.cancel();
    const auto request = std::exchange(on_request, nullptr);
    request(*std::move(message), uid);
  }

  void queue(const Message& message) {
    queued_ += encode(message);
    queued_ += '\n';
    if (queued_.size() > limits_.unread_bytes) return close();
    if (writing_.empty()) write();
  }

  void write() {
    writing_.swap(queued_);
    wait_at_most_patience();
    write_rest(0);
  }

  /// Piece by piece, so that patience counts from the last byte that the client took.
  void write_rest(std::size_t from) {
    socket_.async_write_some(asio::buffer(writing_) + from,
                             [self = shared_from_this(), from](error_code error, std::size_t size) {
                               if (self->stage_ == Stage::closed) return;
                               if (error) return self->close();
                               self->wait_at_most_patience();
                               self->written(from + size);
                             });
  }

  void written(std::size_t size) {
    if (size < writing_.size()) return write_rest(size);
    writing_.clear();
    if (!queued_.empty()) return write();
    if (stage_ == Stage::finishing) return close();
    timer_.cancel();
  }

  void wait_at_most_patience() {
    timer_.expires_after(limits_.patience);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->close();
    });
  }

  Socket socket_;
  asio::steady_timer timer_;
  ControlLimits limits_;
  Stage stage_ = Stage::reading;
  std::array<char, 4096> chunk_{};
  std::string line_, queued_, writing_;
};

void Reply::send(const Message& message) const { sink_->send(message); }
void Reply::finish(Message message) const { sink_->finish(std::move(message)); }
bool Reply::gone() const { return sink_->answered(); }

struct ControlServer::State : std::enable_shared_from_this<State> {
  State(asio::io_context& loop, ControlSocket made, Handler on_request, ControlLimits bounds)
      : file(std::move(made)),
        acceptor(loop, asio::local::stream_protocol(), file.socket.release()),
        pause(loop),
        handler(std::move(on_request)),
        limits(bounds) {}

  void accept() {
    acceptor.async_accept([self = shared_from_this()](error_code error, Socket socket) {
      if (!self->alive) return;
      if (error) return self->accept_later();
      self->admit(std::move(socket));
      self->accept();
    });
  }

  /// No descriptors left, most likely: not at once again.
  void accept_later() {
    pause.expires_after(Millis(100));
    pause.async_wait([self = shared_from_this()](error_code) {
      if (self->alive) self->accept();
    });
  }

  static bool is_ours(uid_t uid) { return uid == 0 || uid == ::geteuid(); }

  template <class Is>
  std::size_t count(Is is) const {
    return static_cast<std::size_t>(
        std::count_if(sinks.begin(), sinks.end(), [&](const auto& one) { return is(*one); }));
  }

  /// Root and the daemon's user have places of their own, and of the others none has all.
  void admit(Socket socket) {
    const auto sink = std::make_shared<Reply::Sink>(std::move(socket), limits);
    const bool ours = is_ours(sink->uid);
    const std::size_t beside = count([&](const Reply::Sink& one) { return is_ours(one.uid) == ours; });
    const std::size_t same = count([&](const Reply::Sink& one) { return one.uid == sink->uid; });
    if (beside >= 2 * limits.clients) return;
    const std::size_t most = ours ? limits.clients : std::max<std::size_t>(1, limits.clients / 4);
    if (same >= 2 * most) return;
    const bool full = beside >= limits.clients || same >= most;
    sinks.insert(sink);
    sink->on_closed = [this, key = sink.get()] { forget(key); };
    if (full)
      return sink->finish(to_message({Errc::unavailable, "too many commands talk to the daemon; try again later"}));
    sink->on_request = [self = shared_from_this(), weak = std::weak_ptr(sink)](Message message, uid_t uid) {
      if (const auto kept = weak.lock()) self->handler({std::move(message), uid}, Reply(ended_by_last_copy(kept)));
    };
    sink->start();
  }

  /// An answer that never comes is an error at the client, not a command that hangs.
  static std::shared_ptr<Reply::Sink> ended_by_last_copy(const std::shared_ptr<Reply::Sink>& kept) {
    return {kept.get(), [kept](Reply::Sink* sink) {
              sink->finish(to_message({Errc::unavailable, "the daemon dropped the request; see its log"}));
            }};
  }

  void forget(const Reply::Sink* key) {
    for (auto sink = sinks.begin(); sink != sinks.end(); ++sink) {
      if (sink->get() != key) continue;
      sinks.erase(sink);
      return;
    }
  }

  ControlSocket file;  // whose socket the acceptor has
  asio::local::stream_protocol::acceptor acceptor;
  asio::steady_timer pause;
  Handler handler;
  ControlLimits limits;
  std::set<std::shared_ptr<Reply::Sink>> sinks;
  bool alive = true;
};

Result<std::unique_ptr<ControlServer>> ControlServer::listen(asio::io_context& loop, const std::string& path,
                                                             Handler handler, ControlLimits limits) {
  auto socket = ControlSocket::make(path);
  if (!socket) return socket.error();
  auto state = std::make_shared<State>(loop, *std::move(socket), std::move(handler), limits);
  state->accept();
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(state)));
}

ControlServer::ControlServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

ControlServer::~ControlServer() {
  state_->alive = false;
  state_->file.remove_file();
  error_code ignored;
  state_->acceptor.close(ignored);
  state_->pause.cancel();
  state_->file.lock.reset();
  for (const auto& sink : std::exchange(state_->sinks, {})) sink->close();
}

}  // namespace ballot::io

#include "io/control_server.hpp"

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
#include "io/peer.hpp"

namespace ballot::io {
namespace {

namespace asio = boost::asio;
using Socket = asio::local::stream_protocol::socket;
using boost::system::error_code;

Asker asker_of(const Peer& peer, const Roles& roles) {
  const std::string name = "uid " + std::to_string(peer.uid);
  return {roles.of(peer), name, name, peer.uid == 0 || peer.uid == ::geteuid()};
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
class ControlServer::Connection : public AnswerSink, public std::enable_shared_from_this<Connection> {
 public:
  enum class Stage { reading, answering, finishing, closed };

  Connection(Socket socket, const Roles& roles, const ControlLimits& limits)
      : asker(asker_of(peer_of(socket.native_handle()), roles)),
        socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        limits_(limits) {}

  const Asker asker;

  std::function<void(Message)> on_request;
  std::function<void()> on_closed;

  void start() {
    wait_at_most_patience();
    read();
  }

  void send(const Message& message) override {
    if (stage_ == Stage::answering) queue(encode(message));
  }

  void fail(const Error& error) { finish(encode_last(to_message(error))); }

  void finish(std::string line) override {
    if (is_over()) return;
    stage_ = Stage::finishing;
    on_gone = nullptr;
    queue(std::move(line));
  }

  bool is_over() const override { return stage_ == Stage::finishing || stage_ == Stage::closed; }
  bool closed() const { return stage_ == Stage::closed; }

  void close() {
    if (stage_ == Stage::closed) return;
    stage_ = Stage::closed;
    error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
    on_request = nullptr;
    if (const auto left = std::exchange(on_gone, nullptr)) left();
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
    const std::size_t most = asker.role == Role::none ? limits_.line_bytes_without_role : limits_.line_bytes;
    if (line_.size() > most) return fail({Errc::invalid, "a request is at most " + std::to_string(most) + " bytes"});
    if (end == std::string_view::npos) return;
    if (asker.role != Role::admin && !has_at_most(limits_.values, line_))
      return fail({Errc::invalid, "a request has at most " + std::to_string(limits_.values) + " values"});
    auto message = decode(std::exchange(line_, {}));
    if (!message) return fail(message.error());
    stage_ = Stage::answering;
    timer_.cancel();
    const auto request = std::exchange(on_request, nullptr);
    request(*std::move(message));
  }

  void queue(std::string line) {
    if (queued_.empty())
      queued_ = std::move(line);
    else
      queued_ += line;
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

struct ControlServer::State : std::enable_shared_from_this<State> {
  State(asio::io_context& loop, ControlSocket made, const Roles& who, Handler on_request, ControlLimits bounds)
      : roles(who),
        file(std::move(made)),
        acceptor(loop, asio::local::stream_protocol(), file.socket.release()),
        pause(loop),
        look(loop),
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

  /// Where the file was removed no command finds the daemon. What cannot be made is tried again. The accept under way
  /// ends with an error, and another one follows.
  void check_file() {
    look.expires_after(limits.file_check);
    look.async_wait([self = shared_from_this()](error_code) {
      if (!self->alive) return;
      if (self->file.restore(self->roles.access())) {
        error_code ignored;
        self->acceptor.close(ignored);
        self->acceptor.assign(asio::local::stream_protocol(), self->file.socket.release(), ignored);
      }
      self->check_file();
    });
  }

  template <class Is>
  std::size_t count(Is is) const {
    return static_cast<std::size_t>(
        std::count_if(sinks.begin(), sinks.end(), [&](const auto& one) { return is(*one); }));
  }

  /// Users share places with those who may ask for as much, but for the daemon's own, who have some to themselves: of
  /// the others none has all.
  enum class Share { strangers, users, admins };
  static Share share_of(Role role) {
    return role == Role::none ? Share::strangers : role == Role::admin ? Share::admins : Share::users;
  }

  void admit(Socket socket) {
    const auto sink = std::make_shared<Connection>(std::move(socket), roles, limits);
    const Share share = share_of(sink->asker.role);
    const std::size_t beside = count([&](const Connection& one) { return share_of(one.asker.role) == share; });
    const std::size_t same = count([&](const Connection& one) { return one.asker.key == sink->asker.key; });
    const std::size_t quarter = std::max<std::size_t>(1, limits.clients / 4);
    const std::size_t in_all = share == Share::strangers ? quarter : limits.clients;
    const std::size_t most = share == Share::admins ? limits.clients : quarter;
    if (beside >= 2 * in_all || same >= 2 * most) return;
    const bool full = beside >= in_all || same >= most;
    sinks.insert(sink);
    sink->on_closed = [this, key = sink.get()] { forget(key); };
    if (full) return sink->fail({Errc::unavailable, "too many commands talk to the daemon; try again later"});
    sink->on_request = [self = shared_from_this(), weak = std::weak_ptr(sink)](Message message) {
      if (const auto kept = weak.lock()) self->handle(std::move(message), kept);
    };
    sink->start();
  }

  void handle(Message message, const std::shared_ptr<Connection>& sink) {
    const Role needed = role_for(message.text("do").value_or(""));
    if (sink->asker.role < needed) return sink->fail(roles.refusal(needed));
    handler({std::move(message), sink->asker}, Reply(sink));
  }

  void forget(const Connection* key) {
    for (auto sink = sinks.begin(); sink != sinks.end(); ++sink) {
      if (sink->get() != key) continue;
      sinks.erase(sink);
      return;
    }
  }

  const Roles& roles;
  ControlSocket file;  // whose socket the acceptor has
  asio::local::stream_protocol::acceptor acceptor;
  asio::steady_timer pause, look;
  Handler handler;
  ControlLimits limits;
  std::set<std::shared_ptr<Connection>> sinks;
  bool alive = true;
};

Result<std::unique_ptr<ControlServer>> ControlServer::listen(asio::io_context& loop, const std::string& path,
                                                             const Roles& roles, Handler handler,
                                                             ControlLimits limits) {
  auto socket = ControlSocket::make(path, roles.access());
  if (!socket) return socket.error();
  auto state = std::make_shared<State>(loop, *std::move(socket), roles, std::move(handler), limits);
  state->accept();
  state->check_file();
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(state)));
}

ControlServer::ControlServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

ControlServer::~ControlServer() {
  state_->alive = false;
  state_->file.remove_file();
  error_code ignored;
  state_->acceptor.close(ignored);
  state_->pause.cancel();
  state_->look.cancel();
  state_->file.lock.reset();
  for (const auto& sink : std::exchange(state_->sinks, {})) sink->close();
}

}  // namespace ballot::io

#include "http/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "http/connection_exchange.hpp"
#include "http/header_values.hpp"
#include "http/response_text.hpp"
#include "io/clocks.hpp"

namespace ballot::web {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t most_dropped = 1 << 20;  // bytes that are read for nothing while lingering

}  // namespace

Connection::Connection(ConnectionHost& host, Places::Number number, std::unique_ptr<Transport> transport,
                       asio::any_io_executor executor, Credentials peer)
    : host_(host),
      number_(number),
      transport_(std::move(transport)),
      timer_(std::move(executor)),
      peer_(std::move(peer)) {}

void Connection::start() {
  arm(host_.limits.handshake);
  transport_->begin([self = shared_from_this()](error_code error) {
    if (self->stage_ == Stage::closed) return;
    if (error) return self->close();
    self->stage_ = Stage::idle;
    self->arm(self->host_.limits.head);
    self->read();
  });
}

void Connection::close() {
  if (stage_ == Stage::closed) return;
  const auto self = shared_from_this();
  const auto gone = std::exchange(on_gone_, nullptr);
  end_turn();
  stage_ = Stage::closed;
  host_.unread -= unread();
  queued_.clear();
  written_ = writing_.size();  // what is being written is the transport's
  disarm();
  transport_->close();
  if (gone) gone();
  host_.closed(number_);
}

// ---- reading

/// Goes on while a request is answered, to notice when the client goes; not for more than a head's bytes.
void Connection::read() {
  const bool is_full = stage_ != Stage::lingering && input_.size() >= host_.limits.head_bytes;
  if (reads_ || stage_ == Stage::closed || is_full) return;
  reads_ = true;
  transport_->read_some(asio::buffer(chunk_), [self = shared_from_this()](error_code error, std::size_t size) {
    self->reads_ = false;
    self->on_read(error, size);
  });
}

/// A client may have said its last word and wait for the answer that is being sent.
void Connection::on_read(error_code error, std::size_t size) {
  if (stage_ == Stage::closed) return;
  if (error && stage_ == Stage::finishing) {
    keep_alive_ = false;
    return;
  }
  if (error) return close();
  input_.append(chunk_.data(), size);
  take_input();
  read();
}

void Connection::take_input() {
  if (stage_ == Stage::lingering) {
    dropped_ += input_.size();
    input_.clear();
    if (dropped_ > most_dropped) close();
    return;
  }
  while ((stage_ == Stage::idle || stage_ == Stage::reading) && (!input_.empty() || reader_)) {
    if (stage_ == Stage::idle) {
      stage_ = Stage::reading;
      reader_.emplace(host_.limits);
      arm(host_.limits.head);
    }
    switch (reader_->feed(input_)) {
      case RequestReader::Step::needs_more: return;
      case RequestReader::Step::head: on_head(); break;
      case RequestReader::Step::whole: on_whole(); break;
      case RequestReader::Step::fault: {
        const HeadFault fault = reader_->fault();
        keep_alive_ = false;
        return refuse(problem(fault.status, fault.text));
      }
    }
  }
}

void Connection::on_head() {
  RequestHead head;
  received_ = {};
  caller_ = {};
  is_chunked_ = reader_->fields().version() == 11;
  keep_alive_ = reader_->keep_alive();
  if (const auto fault = read_head(reader_->fields(), host_.settings, head)) {
    keep_alive_ = false;
    return refuse(problem(fault->status, fault->text));
  }
  is_head_only_ = head.method == "HEAD";
  Credentials shown = peer_;
  shown.authorization = std::move(head.authorization);
  shown.user = std::move(head.user);
  shown.groups = std::move(head.groups);
  host_.look(shown);
  auto outcome = host_.reception.receive(head, shown, io::read_clocks().steady);
  if (auto* const refused = std::get_if<HttpResponse>(&outcome)) {
    if (head.has_body || refused->status == 429) keep_alive_ = false;
    return refuse(std::move(*refused));
  }
  received_ = std::get<Received>(std::move(outcome));
  caller_ = received_.caller;
  // A route that takes no role takes no body: one that never comes would keep a place from others.
  if (head.has_body && received_.route->role == io::Role::none) {
    keep_alive_ = false;
    return refuse(problem(400, "what is at this path takes no body"));
  }
  // What anybody may ask is answered as long as there is room.
  if (received_.route->role != io::Role::none) host_.places.is_answered(number_);
  if (!head.has_body) return;
  arm(host_.limits.body);
  if (head.expects_continue) queue("HTTP/1.1 100 Continue\r\n\r\n");
}

void Connection::on_whole() {
  HttpRequest request = std::move(received_.request);
  request.body = reader_->take_body();
  reader_.reset();
  stage_ = Stage::answering;
  ++turn_;
  if (!request.body.empty() && !is_media_type(request.header("content-type").value_or(""), "application/json"))
    return finish(turn_, problem(415, "a body is JSON: Content-Type: application/json"));
  arm(received_.route->longest);
  received_.route->answer(std::make_shared<ConnectionExchange>(shared_from_this(), turn_, std::move(request)));
}

// ---- answering

/// What no route has answered. The place that may have been taken is given back with the turn.
void Connection::refuse(HttpResponse response) {
  stage_ = Stage::answering;
  reader_.reset();
  finish(++turn_, std::move(response));
}

bool Connection::become_stream(Turn turn) {
  if (is_over(turn)) return false;
  is_stream_ = is_stream_ || host_.places.begin_stream(caller_.asker);
  if (!is_stream_) finish(turn, problem(503, "too many follow events or the output of runs; try again later"));
  return is_stream_;
}

void Connection::finish(Turn turn, HttpResponse response) {
  if (is_over(turn) || stage_ != Stage::answering) return;
  host_.count(received_.route != nullptr ? received_.route->path : no_route, response.status);
  const bool is_bare = response.status == 204 || response.status == 304;
  const Framing framing{is_bare ? Framing::Body::none : Framing::Body::of_length, response.body.size(), keep_alive_};
  std::string text = head_text(response, framing, io::read_clocks().wall);
  if (!is_head_only_ && !is_bare) text += response.body;
  end_turn();
  stage_ = Stage::finishing;
  queue(text);
}

void Connection::begin(Turn turn, HttpResponse response) {
  if (is_over(turn) || stage_ != Stage::answering) return;
  host_.count(received_.route->path, response.status);
  if (!is_chunked_) keep_alive_ = false;
  const auto body = is_chunked_ ? Framing::Body::chunked : Framing::Body::until_close;
  stage_ = Stage::begun;
  disarm();
  queue(head_text(response, {body, 0, keep_alive_}, io::read_clocks().wall));
  if (is_head_only_) return end(turn);
  send(turn, response.body);
}

void Connection::send(Turn turn, std::string_view bytes) {
  if (is_over(turn) || stage_ != Stage::begun || bytes.empty()) return;
  queue(is_chunked_ ? chunk_text(bytes) : std::string(bytes));
}

void Connection::end(Turn turn) {
  if (is_over(turn) || stage_ != Stage::begun) return;
  const bool has_end = is_chunked_ && !is_head_only_;
  end_turn();
  stage_ = Stage::finishing;
  if (has_end) queue(last_chunk);
  if (stage_ == Stage::finishing && unread() == 0) all_written();
}

/// Of a body that has begun the client sees that it is not whole.
void Connection::abandon(Turn turn) {
  asio::post(timer_.get_executor(), [weak = weak_from_this(), turn] {
    const auto self = weak.lock();
    if (!self || self->is_over(turn)) return;
    if (self->stage_ == Stage::begun) return self->close();
    self->finish(turn, problem(500, "the request was dropped; see the daemon's log"));
  });
}

void Connection::ask(Turn turn, const io::Asker& asker, io::Message question, std::function<void(AnswerLine)> on_line) {
  if (is_over(turn)) return;
  auto line = [weak = weak_from_this(), turn, on_line = std::move(on_line)](AnswerLine one) {
    const auto self = weak.lock();
    if (self && !self->is_over(turn)) on_line(std::move(one));
  };
  const io::Role needed = io::role_for(question.text("do").value_or(""));
  if (asker.role < needed) {
    const Error refusal{Errc::refused, "this takes the role " + std::string(io::to_string(needed)) + "; " + asker.name +
                                           " has the role " + std::string(io::to_string(asker.role))};
    asio::post(timer_.get_executor(), [line, refusal] { line({io::encode_last(io::to_message(refusal)), true}); });
    return;
  }
  asked_.push_back(host_.ask({std::move(question), asker}, std::move(line)));
}

void Connection::after(Turn turn, Millis delay, std::function<void()> then) {
  if (is_over(turn)) return;
  const auto timer = std::make_shared<asio::steady_timer>(timer_.get_executor(), delay);
  timer->async_wait([timer, turn, then = std::move(then), weak = weak_from_this()](error_code) {
    const auto self = weak.lock();
    if (self && !self->is_over(turn)) then();
  });
}

void Connection::on_drained(Turn turn, std::function<void()> then) {
  if (is_over(turn)) return;
  on_drained_ = std::move(then);
  if (unread() > 0) return;
  asio::post(timer_.get_executor(), [self = shared_from_this()] {
    if (self->unread() > 0) return;
    if (const auto drained = std::exchange(self->on_drained_, nullptr)) drained();
  });
}

void Connection::on_gone(Turn turn, std::function<void()> then) {
  if (!is_over(turn)) on_gone_ = std::move(then);
}

/// The request is answered, or its client has gone.
void Connection::end_turn() {
  if (std::exchange(is_stream_, false)) host_.places.end_stream(caller_.asker);
  if (received_.route != nullptr && received_.route->role != io::Role::none) host_.places.end_request(caller_.asker);
  received_.route = nullptr;
  for (const auto& asked : std::exchange(asked_, {}))
    if (const auto crossing = asked.lock()) crossing->leave();
  on_gone_ = nullptr;
  on_drained_ = nullptr;
}

// ---- writing

void Connection::queue(std::string_view bytes) {
  if (stage_ == Stage::closed) return;
  queued_ += bytes;
  host_.unread += bytes.size();
  if (unread() > host_.limits.unread_bytes || host_.unread > host_.limits.unread_in_all) return close();
  if (writing_.empty()) write();
}

void Connection::write() {
  writing_.swap(queued_);
  written_ = 0;
  written(0);
}

/// Piece by piece, so that patience counts from the last byte that the client took.
void Connection::written(std::size_t size) {
  written_ += size;
  if (written_ < writing_.size()) {
    if (stage_ == Stage::begun || stage_ == Stage::finishing) arm(host_.limits.patience);
    transport_->write_some(asio::buffer(writing_) + written_,
                           [self = shared_from_this()](error_code error, std::size_t n) {
                             if (self->stage_ == Stage::closed) return;
                             if (error) return self->close();
                             self->host_.unread -= n;
                             self->written(n);
                           });
    return;
  }
  writing_.clear();
  written_ = 0;
  if (!queued_.empty()) return write();
  all_written();
}

void Connection::all_written() {
  if (stage_ == Stage::begun) {
    disarm();
    if (const auto drained = std::exchange(on_drained_, nullptr)) drained();
    return;
  }
  if (stage_ != Stage::finishing) return;
  if (!keep_alive_) return linger();
  wait_for_request();
}

void Connection::wait_for_request() {
  stage_ = Stage::idle;
  host_.places.waits(number_, caller_.asker.role != io::Role::none);
  arm(host_.limits.idle);
  take_input();
  read();
}

/// A connection that is closed with bytes that nobody has read loses what was sent last.
void Connection::linger() {
  stage_ = Stage::lingering;
  arm(host_.limits.linger);
  transport_->end(shared_from_this());
  take_input();
  read();
}

// ---- time

/// The timer that expires just before it is set anew calls all the same.
void Connection::arm(Millis limit) {
  timer_.expires_after(limit);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && self->timer_.expiry() <= asio::steady_timer::clock_type::now()) self->on_time();
  });
}

void Connection::disarm() { timer_.expires_at(asio::steady_timer::time_point::max()); }

void Connection::on_time() {
  if (stage_ == Stage::closed) return;
  keep_alive_ = false;
  if (stage_ == Stage::reading && unread() == 0) return refuse(problem(408, "the request took too long to come"));
  if (stage_ == Stage::answering) return finish(turn_, problem(504, "the daemon took too long to answer"));
  close();
}

}  // namespace ballot::web

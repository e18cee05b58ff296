#include "io/line_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <string>
#include <system_error>

#include "base/unique_fd.hpp"

namespace ballot::io {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::chrono::seconds drain_time{2};

}  // namespace

struct LinePipe::State : std::enable_shared_from_this<State> {
  State(asio::io_context& loop, OnLine line, std::function<void()> closed)
      : on_line(std::move(line)), on_closed(std::move(closed)), reader(loop), timer(loop) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "no pipe for a child");
    reader.assign(ends[0]);
    write_end.reset(ends[1]);
  }

  void read() {
    reader.async_read_some(asio::buffer(buffer), [self = shared_from_this()](error_code error, std::size_t size) {
      if (!self->on_line) return;
      self->take({self->buffer.data(), size});
      if (error) return self->close();
      self->read();
    });
  }

  void take(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view part = bytes.substr(0, std::min(end, longest_line - rest.size()));
      rest += part;
      bytes.remove_prefix(part.size());
      const bool ended = !bytes.empty() && bytes.front() == '\n';
      if (ended) bytes.remove_prefix(1);
      if (!ended && rest.size() < longest_line) continue;
      on_line(rest, !ended);
      rest.clear();
    }
  }

  void close() {
    error_code ignored;
    timer.cancel();
    reader.close(ignored);
    if (!rest.empty()) on_line(std::exchange(rest, {}), false);
    on_line = nullptr;
    if (const auto closed = std::exchange(on_closed, nullptr)) closed();
  }

  OnLine on_line;  // null once it is closed
  std::function<void()> on_closed;
  asio::posix::stream_descriptor reader;
  asio::steady_timer timer;
  UniqueFd write_end;
  std::array<char, 64 * 1024> buffer;
  std::string rest;
};

LinePipe::LinePipe(asio::io_context& loop, OnLine on_line, std::function<void()> on_closed)
    : state_(std::make_shared<State>(loop, std::move(on_line), std::move(on_closed))) {
  state_->read();
}

LinePipe::~LinePipe() {
  state_->on_line = nullptr;
  state_->on_closed = nullptr;
  state_->timer.cancel();
  error_code ignored;
  state_->reader.close(ignored);
}

int LinePipe::write_end() const { return state_->write_end.get(); }
int LinePipe::read_end() const { return state_->reader.native_handle(); }
bool LinePipe::closed() const { return !state_->on_line; }
void LinePipe::close_write_end() { state_->write_end.reset(); }

void LinePipe::finish() {
  if (!state_->on_line) return;
  close_write_end();
  state_->timer.expires_after(drain_time);
  state_->timer.async_wait([state = state_](error_code error) {
    if (!error && state->on_line) state->close();
  });
}

}  // namespace ballot::io

#include "app/client/runner_view.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "io/clocks.hpp"
#include "io/runner_start.hpp"

namespace ballot::app {
namespace {

/// False: nothing more comes in time.
bool wait_readable(int connection, SteadyTime until) {
  const Millis left = std::max(until - io::read_clocks().steady, Millis(0));
  pollfd waiting{connection, POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(left.count())) > 0;
}

/// False: it is of a protocol that we do not speak.
bool take_message(RunnerView& view, runner::FromRunner&& message) {
  if (const auto* hello = std::get_if<runner::Hello>(&message)) return hello->protocol == runner::protocol;
  if (auto* running = std::get_if<runner::Running>(&message)) {
    view.jobs[running->id] = running->job;
    view.running[running->id] = std::move(*running);
  }
  if (auto* ended = std::get_if<runner::Ended>(&message)) {
    view.running.erase(ended->id);
    view.ended[ended->id] = std::move(*ended);
  }
  if (const auto* ready = std::get_if<runner::Ready>(&message)) {
    view.commanded = ready->commanded;
    view.known = RunnerView::Known::all;
  }
  return true;
}

}  // namespace

RunnerView read_runner(const std::string& socket, SteadyTime until) {
  RunnerView view;
  if (socket.empty()) {
    view.known = RunnerView::Known::nobody;
    return view;
  }
  const auto connection = io::find_runner(socket);
  if (connection && !*connection) view.known = RunnerView::Known::nobody;
  if (!connection || !*connection) return view;
  const std::string watch = encode(runner::ToRunner(runner::Watch{true}));
  if (::send(connection->get(), watch.data(), watch.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(watch.size()))
    return view;
  runner::FrameReader frames;
  std::string chunk(64 * 1024, '\0');
  while (view.known == RunnerView::Known::nothing && wait_readable(connection->get(), until)) {
    const ssize_t size = ::recv(connection->get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (size <= 0) return view;
    frames.feed({chunk.data(), static_cast<std::size_t>(size)});
    for (auto next = frames.next_from_runner(); next && *next; next = frames.next_from_runner())
      if (!take_message(view, std::move(**next))) return view;
  }
  return view;
}

}  // namespace ballot::app

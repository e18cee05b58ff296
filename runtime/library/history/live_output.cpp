#include "library/history/live_output.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "io/clocks.hpp"
#include "io/runner_start.hpp"

namespace ballot::library {
namespace {

constexpr Millis runner_patience{1500};  // another node that asks waits for 2 s
constexpr Millis ask_interval{100};      // whether it is still to wait

Error runner_silence() {
  return {
      Errc::unavailable,
      "the node's runner does not answer, so what the run has printed so far is not known: it hangs, or was stopped "
      "by a signal"};
}

Error no_answer() {
  return {Errc::unavailable, "the runner does not say what the run has printed so far: it may be of an older ballot"};
}

}  // namespace

Result<LiveOutput> LiveOutput::connect(const std::string& socket) {
  auto found = io::find_runner(socket);
  if (!found) return found.error();
  if (!*found) return Error{Errc::not_found, "no runner listens at " + socket};
  return LiveOutput(std::move(*found));
}

Result<runner::Shown> LiveOutput::ask(const runner::AttemptId& attempt, std::int64_t from,
                                      const std::function<bool()>& goes_on) {
  const std::string question = encode(runner::ToRunner(runner::ShowOutput{attempt, from}));
  if (::send(connection_.get(), question.data(), question.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(question.size()))
    return no_answer();
  const SteadyTime until = io::read_clocks().steady + runner_patience;
  std::string chunk(64 * 1024, '\0');
  while (true) {
    for (auto next = frames_.next_from_runner(); next && *next; next = frames_.next_from_runner()) {
      const auto* const hello = std::get_if<runner::Hello>(&**next);
      if (hello && hello->protocol != runner::protocol) return no_answer();
      if (auto* const shown = std::get_if<runner::Shown>(&**next)) return std::move(*shown);
    }
    const Millis left = until - io::read_clocks().steady;
    pollfd readable{connection_.get(), POLLIN, 0};
    if (left <= Millis(0) || (goes_on && !goes_on())) return runner_silence();
    if (::poll(&readable, 1, static_cast<int>(std::min(left, ask_interval).count())) == 0) continue;
    const ssize_t size = ::recv(connection_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (size <= 0) return no_answer();
    frames_.feed({chunk.data(), static_cast<std::size_t>(size)});
  }
}

}  // namespace ballot::library

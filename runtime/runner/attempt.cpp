#include "runner/attempt.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "runner/clock.hpp"
#include "runner/start_memory.hpp"

namespace ballot::runner {

using std::chrono::seconds;

constexpr Millis drain_time = seconds(2);
constexpr std::size_t most_shown = 1 << 20;  // in one answer
constexpr Millis unkillable_after = seconds(2);
constexpr Millis unsure_at_most{500};                  // of the sweep, for processes that may be another run's
constexpr Millis shortest_poll{1}, longest_poll{100};  // of processes of whose end we get no event

namespace {

constexpr std::size_t large = 64u * 1024;  // what lies in the heap is hidden already

void hide_output(const char* memory, std::size_t size) {
  if (size >= large) hide_from_children(memory, size);
}

}  // namespace

Attempt::Attempt(const Start& start, RunProcesses processes, UniqueFd output, Now started)
    : id_(start.id),
      job_(start.job),
      started_(started),
      kill_signal_(start.kill_signal),
      kill_grace_(start.kill_grace),
      deadline_(start.deadline ? std::optional(later(started.steady, *start.deadline)) : std::nullopt),
      term_key_(start.term_key),
      terminate_(start.terminate),
      streams_(start.stream_output),
      leaves_(std::find(start.environment.begin(), start.environment.end(), leaves_background) !=
              start.environment.end()),
      processes_(std::move(processes)),
      output_(std::move(output)),
      kept_(start.output_limit, hide_output) {}

Shown Attempt::show_output(std::int64_t from) const {
  const bool ended = has_ended();
  OutputPiece piece = ended ? piece_of(outcome_.output, from, most_shown) : kept_.piece(from, most_shown);
  return {id_, true, ended, piece.begin, ended ? outcome_.output.total_bytes : kept_.total(), std::move(piece.bytes)};
}

std::string_view Attempt::read(std::string& buffer) {
  if (!output_) return {};
  const ssize_t n = ::read(output_.get(), buffer.data(), buffer.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (n <= 0) {
    output_.reset();
    return {};
  }
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
  kept_.append(bytes);
  return bytes;
}

void Attempt::child_ended(int wait_status, Now now) {
  if (WIFEXITED(wait_status))
    outcome_.exit_code = WEXITSTATUS(wait_status);
  else
    outcome_.signal = WTERMSIG(wait_status);
  const bool killed = outcome_.signal == SIGKILL && !is_being_stopped();
  outcome_.reason = killed && processes_.killed_for_memory() ? Reason::oom : reason_;
  outcome_.ended_at = now.wall;
  outcome_.duration = now.steady - started_.steady;
  processes_.leader_reaped();
  is_over_ = false;
  state_ = State::draining;
  lingers_since_ = now.steady;
  drain_until_ = now.steady + drain_time;
}

void Attempt::stop(Reason reason, int signal, SteadyTime kill_at, SteadyTime now) {
  kill_at_ = std::min(kill_at_, kill_at);
  if (state_ == State::draining) drain_until_ = std::min(drain_until_, kill_at_);
  if (state_ != State::running || find_over()) return;
  state_ = State::stopping;
  reason_ = reason;
  if (now >= kill_at_) return;
  processes_.signal(signal, now);
  processes_.signal(SIGCONT, now);
}

void Attempt::advance(SteadyTime now) {
  if (state_ == State::running && deadline_ && now >= *deadline_)
    stop(Reason::deadline, later(*deadline_, kill_grace_), now);
  if (state_ == State::stopping && now >= kill_at_) {
    processes_.signal(SIGKILL, now);
    state_ = State::killed;
    give_up_at_ = now + unkillable_after;
  }
  if (state_ == State::killed && now >= give_up_at_ && !find_over()) {
    child_ended(SIGKILL, {wall_now(), now});
    end(Leftover::unkillable);
  }
  if (state_ == State::draining) sweep_when_drained(now);
  if (state_ == State::sweeping) sweep(now);
}

void Attempt::sweep(SteadyTime now) {
  const Left left = processes_.signal(SIGKILL, now);
  const bool given_up = left == Left::unsure && now >= give_up_at_ - unkillable_after + unsure_at_most;
  if (left == Left::nothing || given_up) return end(Leftover::none);
  if (now >= give_up_at_) end(Leftover::unkillable);
}

void Attempt::sweep_when_drained(SteadyTime now) {
  if (leaves_ && !is_being_stopped()) return leave_behind();
  if (now >= drain_until_) output_.reset();
  if (output_) return;
  const bool grace_is_left = is_being_stopped() && now < kill_at_;
  if (grace_is_left && processes_.signal(0, now) != Left::nothing) return;
  state_ = State::sweeping;
  give_up_at_ = now + unkillable_after;
  sweep(now);
}

void Attempt::leave_behind() {
  processes_.leave();
  UniqueFd output = std::move(output_);
  end(Leftover::none);
  output_ = std::move(output);
}

SteadyTime Attempt::wake(SteadyTime now) const {
  if (is_over_) return SteadyTime::max();
  switch (state_) {
    case State::running: return deadline_.value_or(SteadyTime::max());
    case State::stopping: return kill_at_;
    case State::killed: return give_up_at_;
    case State::draining:
      if (output_) return drain_until_;
      return now < kill_at_ ? std::min(kill_at_, next_poll(now)) : next_poll(now);
    case State::sweeping: return std::min(give_up_at_, next_poll(now));
    case State::ended: break;
  }
  return SteadyTime::max();
}

/// Often at first: most are gone at once.
SteadyTime Attempt::next_poll(SteadyTime now) const {
  return now + std::clamp((now - lingers_since_) / 2, shortest_poll, longest_poll);
}

void Attempt::end(Leftover leftover) {
  output_.reset();
  outcome_.id = id_;
  outcome_.started_at = started_.wall;
  const bool escaped = leftover == Leftover::none && processes_.may_have_escaped();
  outcome_.leftover = escaped ? Leftover::escaped : leftover;
  processes_.release();
  outcome_.output = kept_.take();
  state_ = State::ended;
}

}  // namespace ballot::runner

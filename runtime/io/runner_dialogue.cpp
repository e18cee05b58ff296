#include "io/runner_dialogue.hpp"

#include <array>
#include <string>
#include <utility>
#include <variant>

namespace ballot::io {
namespace {

constexpr std::array<const char*, std::variant_size_v<runner::FromRunner>> names{
    "Hello", "Running", "Ready", "Started", "Refused", "CannotStart", "Printed", "Ended", "Pong", "Shown"};

/// "Started of run ID, attempt 1"
std::string name_of(const runner::FromRunner& message) {
  std::string name = names[message.index()];
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.id; })
          name += " of run " + m.id.run.text() + ", attempt " + std::to_string(m.id.attempt);
      },
      message);
  return name;
}

}  // namespace

void RunnerDialogue::sent(const runner::ToRunner& message) {
  if (const auto* start = std::get_if<runner::Start>(&message)) {
    const auto [attempt, is_new] = attempts_.try_emplace(start->id, Attempt::asked);
    if (!is_new && attempt->second == Attempt::ended) attempt->second = Attempt::running;
  }
  if (const auto* ack = std::get_if<runner::Ack>(&message)) {
    const auto attempt = attempts_.find(ack->id);
    if (attempt != attempts_.end() && attempt->second == Attempt::ended) attempts_.erase(attempt);
  }
}

Result<void> RunnerDialogue::hear(const runner::FromRunner& message) {
  const bool greets = std::holds_alternative<runner::Hello>(message);
  const bool is_its_turn = (phase_ == Phase::greeting) == greets;
  if (is_its_turn && std::visit([this](const auto& m) { return takes(m); }, message)) return {};
  return Error{Errc::corrupt, "the runner cannot say this now: " + name_of(message)};
}

bool RunnerDialogue::takes(const runner::Hello&) {
  phase_ = Phase::inventory;
  return true;
}

bool RunnerDialogue::takes(const runner::Running& running) {
  attempts_[running.id] = Attempt::running;
  return phase_ == Phase::inventory;
}

bool RunnerDialogue::takes(const runner::Ready&) { return std::exchange(phase_, Phase::commanded) == Phase::inventory; }

bool RunnerDialogue::takes(const runner::Started& started) {
  const auto attempt = attempts_.find(started.id);
  if (attempt == attempts_.end() || attempt->second == Attempt::ended) return false;
  attempt->second = Attempt::running;
  return true;
}

bool RunnerDialogue::takes(const runner::Printed& printed) const {
  const auto attempt = attempts_.find(printed.id);
  return attempt != attempts_.end() && attempt->second == Attempt::running;
}

bool RunnerDialogue::takes(const runner::Ended& ended) {
  const auto [attempt, is_new] = attempts_.try_emplace(ended.id, Attempt::ended);
  const bool follows = is_new ? phase_ == Phase::inventory : attempt->second == Attempt::running;
  attempt->second = Attempt::ended;
  return follows;
}

bool RunnerDialogue::was_only_asked(const runner::AttemptId& id) {
  const auto attempt = attempts_.find(id);
  if (attempt == attempts_.end() || attempt->second != Attempt::asked) return false;
  attempts_.erase(attempt);
  return true;
}

}  // namespace ballot::io

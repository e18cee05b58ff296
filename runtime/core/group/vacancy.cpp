#include "core/group/vacancy.hpp"

namespace ballot::core {

void Vacancy::begin(const Context& c) {
  if (state_ != State::none) return;
  state_ = State::vacant;
  since_ = c.now.steady;
  logged_at_ = since_ + 2 * c.session.timeout();
}

void Vacancy::end(Context& c, const std::string& group) {
  if (state_ == State::leaderless)
    c.out.push_back(Notice{Level::info, "the group has a leader again", {{"group", group}}});
  state_ = State::none;
}

void Vacancy::advance(Context& c, const std::string& group) {
  if (state_ != State::vacant || c.now.steady < logged_at_) return;
  state_ = State::leaderless;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(c.now.steady - since_);
  c.out.push_back(Notice{Level::error,
                         "leaderless: no candidate has led the group for " + std::to_string(seconds.count()) + " s",
                         {{"group", group}}});
}

std::optional<SteadyTime> Vacancy::wake() const {
  return state_ == State::vacant ? std::optional(logged_at_) : std::nullopt;
}

}  // namespace ballot::core

#include "support/keys/key_candidates.hpp"

#include "support/clock.hpp"
#include "support/texts.hpp"

namespace ballot::support {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_under_way = 100;
constexpr Millis pause = 250ms, pause_refused = 10s;

}  // namespace

void KeyCandidates::enter(const std::string& group) {
  entries_[group] = {State::waiting, ++last_serial_, wall_now()};
  waiting_.push_back(group);
}

void KeyCandidates::withdraw(const std::string& group) {
  entries_.erase(group);
  queue_.add({key(group)}, [](const KeyAnswer&) {});
}

void KeyCandidates::write(const std::string& group) {
  const auto found = entries_.find(group);
  if (found == entries_.end() || found->second.state != State::waiting) return;
  Entry& entry = found->second;
  entry.state = State::writing;
  ++under_way_;
  const std::string text = format(CandidateText{context_.self.node, entry.since}) + " " + context_.session;
  queue_.add({key(group), text, {}, true}, [this, group, serial = entry.serial](const KeyAnswer& answer) {
    --under_way_;
    on_written(group, serial, answer);
  });
}

void KeyCandidates::on_written(const std::string& group, std::uint64_t serial, const KeyAnswer& answer) {
  const auto found = entries_.find(group);
  if (found == entries_.end() || found->second.serial != serial) return;
  const bool refused = answer.outcome == StoreResult::failed;
  if (!refused && answer.outcome != StoreResult::unknown) return void(entries_.erase(found));
  if (refused && !std::exchange(warned_, true))
    context_.host.log(Level::error, "group " + group + ": its candidate is not written down: " + answer.text);
  found->second.state = State::waiting;
  waiting_.push_back(group);
  paused_until_ = boot_now() + (refused ? pause_refused : pause);
}

void KeyCandidates::flush() {
  if (boot_now() < paused_until_) return;
  while (!waiting_.empty() && under_way_ < most_under_way) {
    write(waiting_.front());
    waiting_.pop_front();
  }
}

std::optional<SteadyTime> KeyCandidates::due() const {
  return waiting_.empty() || under_way_ >= most_under_way ? std::nullopt : std::optional(paused_until_);
}

}  // namespace ballot::support

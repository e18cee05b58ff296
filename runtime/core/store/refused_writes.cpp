#include "core/store/refused_writes.hpp"

#include <utility>

#include "base/wall_text.hpp"

namespace ballot::core {
namespace {

constexpr Millis between_notices = std::chrono::minutes(1);  // each job tries again once a second
constexpr Millis between_looks{1000};                        // for what is not tried any more
constexpr Millis tried_within{5000};                         // what is still wanted, with the time of an answer

}  // namespace

void RefusedWrites::refuse(Actions& out, const Now& now, const std::string& name, const std::string& text) {
  const bool is_first = !standing_;
  if (is_first) standing_ = {now.wall, {}};
  standing_->text = text;
  refused_[name] = tried_at_ = now.steady;
  if (noted_at_ && now.steady < *noted_at_ + between_notices) return;
  noted_at_ = now.steady;
  is_noted_ = true;
  Notice notice{Level::error, "the store refused a write: " + text, {{"name", name}}};
  if (!is_first) notice.fields.emplace_back("since", format_seconds(standing_->since));
  out.push_back(std::move(notice));
}

bool RefusedWrites::is_to_be_tried(SteadyTime now) {
  if (!standing_ || now < tried_at_ + tried_within) return false;
  tried_at_ = now;
  return true;
}

void RefusedWrites::complete(Actions& out, const Now& now, const std::string& name) {
  if (!standing_) return;
  refused_.erase(name);
  if (now.steady >= forgotten_at_ + between_looks) {
    forgotten_at_ = now.steady;
    std::erase_if(refused_, [&](const auto& one) { return one.second + tried_within < now.steady; });
  }
  if (!refused_.empty()) return;
  if (std::exchange(is_noted_, false))
    out.push_back(
        Notice{Level::info, "the store takes writes again", {{"refused_since", format_seconds(standing_->since)}}});
  standing_.reset();
}

}  // namespace ballot::core

#include "io/function_outputs.hpp"

#include <utility>

namespace ballot::io {
namespace {

constexpr std::size_t most_shown = 256 * 1024;  // at once

}  // namespace

std::function<void(std::string_view)> FunctionOutputs::begin(const runner::AttemptId& id, std::int64_t limit) {
  const auto printed = std::make_shared<Printed>(limit);
  {
    const std::lock_guard lock(mutex_);
    outputs_[id] = printed;
  }
  return [printed](std::string_view text) {
    const std::lock_guard lock(printed->mutex);
    if (!printed->ended) printed->kept.append(text);
  };
}

Output FunctionOutputs::end(const runner::AttemptId& id, std::string_view last) {
  const auto printed = find(id);
  if (!printed) return {};
  const std::lock_guard lock(printed->mutex);
  printed->kept.append(last);
  printed->ended = printed->kept.take();
  return *printed->ended;
}

void FunctionOutputs::forget(const runner::AttemptId& id) {
  const std::lock_guard lock(mutex_);
  outputs_.erase(id);
}

std::optional<runner::Shown> FunctionOutputs::show(const runner::AttemptId& id, std::int64_t from) const {
  const auto printed = find(id);
  if (!printed) return std::nullopt;
  const std::lock_guard lock(printed->mutex);
  const bool ended = printed->ended.has_value();
  OutputPiece piece = ended ? piece_of(*printed->ended, from, most_shown) : printed->kept.piece(from, most_shown);
  const std::int64_t total = ended ? printed->ended->total_bytes : printed->kept.total();
  return runner::Shown{id, true, ended, piece.begin, total, std::move(piece.bytes)};
}

std::shared_ptr<FunctionOutputs::Printed> FunctionOutputs::find(const runner::AttemptId& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = outputs_.find(id);
  return found == outputs_.end() ? nullptr : found->second;
}

}  // namespace ballot::io

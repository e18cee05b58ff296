#include "base/kept_output.hpp"

#include <algorithm>
#include <utility>

namespace ballot {
namespace {

constexpr std::int64_t most_kept = 32 << 20;

}  // namespace

KeptOutput::KeptOutput(std::int64_t limit, Grown grown) : grown_(grown) {
  const auto size = static_cast<std::size_t>(std::clamp<std::int64_t>(limit, 0, most_kept));
  head_limit_ = size / 2;
  tail_limit_ = size - head_limit_;
}

void KeptOutput::grow(std::string& text, std::string_view bytes) const {
  const std::size_t before = text.capacity();
  text += bytes;
  if (grown_ != nullptr && text.capacity() != before) grown_(text.data(), text.capacity());
}

void KeptOutput::append(std::string_view bytes) {
  total_ += static_cast<std::int64_t>(bytes.size());
  const std::string_view head = bytes.substr(0, head_limit_ - head_.size());
  grow(head_, head);
  bytes.remove_prefix(head.size());
  if (tail_limit_ > 0) append_tail(bytes);
}

void KeptOutput::append_tail(std::string_view bytes) {
  if (bytes.size() > tail_limit_) bytes.remove_prefix(bytes.size() - tail_limit_);
  const std::string_view growth = bytes.substr(0, tail_limit_ - tail_.size());
  grow(tail_, growth);
  bytes.remove_prefix(growth.size());
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), tail_limit_ - tail_begin_);
    bytes.copy(tail_.data() + tail_begin_, size);
    bytes.remove_prefix(size);
    tail_begin_ = (tail_begin_ + size) % tail_limit_;
  }
}

OutputPiece KeptOutput::piece(std::int64_t from, std::size_t most) const {
  const std::string_view tail(tail_);
  return piece_of(head_, tail.substr(tail_begin_), tail.substr(0, tail_begin_), total_, from, most);
}

Output KeptOutput::take() {
  std::rotate(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(tail_begin_), tail_.end());
  tail_begin_ = 0;
  return {std::move(head_), std::move(tail_), total_};
}

}  // namespace ballot

#include "runner/left_outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ballot::runner {
namespace {

constexpr std::size_t most_outputs = 1000;
constexpr int reads_at_once = 4;

}  // namespace

void LeftOutputs::add(UniqueFd output) {
  if (!output) return;
  if (outputs_.size() >= most_outputs)
    outputs_.erase(std::min_element(outputs_.begin(), outputs_.end(),
                                    [](const auto& a, const auto& b) { return a.second.number < b.second.number; }));
  const int fd = output.get();
  poller_.report_again(fd, EPOLLIN);
  outputs_.insert_or_assign(fd, Output{std::move(output), ++added_});
}

void LeftOutputs::receive(int fd, std::string& buffer) {
  const auto found = outputs_.find(fd);
  if (found == outputs_.end()) return;
  for (int i = 0; i < reads_at_once; ++i) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0) continue;
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
    outputs_.erase(found);
    return;
  }
  poller_.report_again(fd, EPOLLIN);
}

}  // namespace ballot::runner

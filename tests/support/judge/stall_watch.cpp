#include "support/judge/stall_watch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::microseconds a_turn = 20ms, tolerance = 100ms;
constexpr int turns_of_a_write = 12;

}  // namespace

std::optional<Stall> stall_of(const Instant& began, const Instant& ended) {
  if (ended.boot - began.boot <= a_turn + tolerance) return std::nullopt;
  return Stall{began.wall, ended.wall};
}

StallWatch::StallWatch(const std::string& path) : file_(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) {
  if (!file_) throw std::runtime_error(path + " cannot be made");
  thread_ = std::thread([this] { watch(); });
}

StallWatch::~StallWatch() {
  {
    const std::lock_guard hold(mutex_);
    is_over_ = true;
  }
  ends_.notify_one();
  thread_.join();
}

std::vector<Stall> StallWatch::stalls() const {
  const std::lock_guard hold(mutex_);
  return stalls_;
}

void StallWatch::watch() {
  std::unique_lock hold(mutex_);
  for (int turn = 1; !is_over_; ++turn) {
    const Instant began = Instant::now();
    ends_.wait_for(hold, a_turn, [this] { return is_over_; });
    if (turn % turns_of_a_write == 0) {
      hold.unlock();
      if (::pwrite(file_.get(), ".", 1, 0) == 1) ::fdatasync(file_.get());
      hold.lock();
    }
    if (const auto stall = stall_of(began, Instant::now())) stalls_.push_back(*stall);
  }
}

}  // namespace ballot::testing

// StoreFloor: what a burst costs at the least where each launch is claimed in a store and closed there: a bare loop
// that writes through the backend's own plugin, starts a child as soon as its write is answered, and writes again when
// it has ended. No schedule, no policy, no ledger.
//
//   StoreFloor floor(folder, store.configuration("floor", "floor", timeout), 1000);
//   floor.burst(instant);
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballot/backend.hpp"
#include "ballot/plugin.hpp"
#include "base/unique_fd.hpp"

namespace ballot::bench {

class StoreFloor final : private Host {
 public:
  /// Opens a session, leads a group, and makes a register for each child. `configuration`: of ballot.toml.
  StoreFloor(const std::string& folder, const std::string& configuration, int children);
  ~StoreFloor();

  /// Nothing but renewals.
  void rest(Millis span);
  /// Each child begins after the instant, with these arguments.
  void burst(WallTime instant, const std::vector<std::string>& command);

 private:
  struct Register {
    std::string name;
    std::uint64_t version = 0;
  };

  /// A write under way.
  enum class Purpose { claim, close };
  struct Asked {
    Purpose purpose;
    std::vector<std::size_t> children;
  };

  void post(BackendEvent event) noexcept override;
  void log(Level, std::string_view) noexcept override {}

  std::vector<BackendEvent> wait(std::optional<SteadyTime> until);
  template <class What>
  What await();
  void renew_when_due();
  void write(Purpose purpose, const std::vector<std::size_t>& children);
  void take(const backend::Wrote& wrote);
  void spawn(std::size_t child, const std::vector<std::string>& command);
  void reap();

  std::mutex mutex_;
  std::vector<BackendEvent> events_;  // under mutex_
  const UniqueFd wakeup_, children_;
  std::unique_ptr<Backend> backend_;
  std::uint64_t epoch_ = 0;
  RequestId last_request_ = 0;
  SteadyTime renew_at_{};
  Millis timeout_{0};
  std::vector<Register> registers_;
  std::map<RequestId, Asked> writes_;  // under way
  std::map<pid_t, std::size_t> live_;
  std::vector<std::size_t> claimed_, ended_;  // to be started; to be closed
};

}  // namespace ballot::bench

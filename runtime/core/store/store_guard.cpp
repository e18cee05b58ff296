#include "core/store/store_guard.hpp"

namespace ballot::core {
namespace {

constexpr Millis first_recheck{5000}, longest_recheck{60'000};
constexpr int lists_after_a_repair = 3;  // after 5, 15 and 35 s: whoever asks for one waits 30 s for it at the most

}  // namespace

bool Seen::allows(const Shown& now) const {
  if (now.repair != most_.repair) return now.repair > most_.repair;
  return now.version >= most_.version && now.count >= most_.count;
}

std::string Seen::why_older(const Shown& now, const std::string& name, const std::string& count) const {
  const auto less = [](const std::string& what, std::uint64_t is, std::uint64_t was) {
    return "the store has gone back: " + what + " is " + std::to_string(is) + ", and " + std::to_string(was) +
           " was seen";
  };
  if (allows(now)) return "";
  if (now.version == 0) return "the store has gone back: the register " + name + " is gone";
  if (now.repair < most_.repair) return "the store has gone back: the register " + name + " is older than its repair";
  if (now.version < most_.version) return less("the version of the register " + name, now.version, most_.version);
  return less(count, now.count, most_.count);
}

void Seen::note(const Shown& now) {
  if (now.repair > most_.repair) return restart(now);
  most_.version = std::max(most_.version, now.version);
  most_.count = std::max(most_.count, now.count);
}

void StoreGuard::recall(std::uint64_t revision, int times) {
  highest_ = std::max(highest_, revision);
  at_opening_ = at_renewal_ = highest_;
  times_ = times;
  if (times > 0) how_ = "the store has gone back: this node had found so before its daemon was started";
}

void StoreGuard::on_opened(std::uint64_t revision) {
  at_opening_ = at_renewal_ = highest_;
  highest_ = std::max(highest_, revision);
}

/// `before`: the highest revision that was seen before `revision` was committed.
bool StoreGuard::advance_revision(std::uint64_t revision, std::uint64_t before) {
  if (revision == 0) return false;
  if (revision >= before) {
    highest_ = std::max(highest_, revision);
    return false;
  }
  highest_ = revision;
  on_gone_back("the store has gone back: it is at revision " + std::to_string(revision) + ", and " +
               std::to_string(before) + " was seen");
  return true;
}

/// Answers that are under way are of before or after: they show nothing.
void StoreGuard::on_gone_back(std::string how) {
  ++times_;
  how_ = std::move(how);
  at_opening_ = at_renewal_ = 0;
}

void StoreGuard::begin_lists(SteadyTime now) {
  list_pause_ = first_recheck;
  list_at_ = now + list_pause_;
}

void StoreGuard::next_list(SteadyTime now) {
  list_pause_ = std::min(list_pause_ * 2, longest_recheck);
  list_at_ = now + list_pause_;
}

/// Once the elections that a session begins with are over.
void StoreGuard::list_in_session(SteadyTime now) {
  wanted_lists_ = std::max(wanted_lists_, 1);
  if (!list_at_) list_at_ = now + (list_pause_ = longest_recheck);
}

void StoreGuard::on_repair_asked(SteadyTime now) {
  wanted_lists_ = lists_after_a_repair;
  begin_lists(now);
}

bool StoreGuard::take_wanted_list() {
  if (wanted_lists_ == 0) return false;
  --wanted_lists_;
  return true;
}

void GroupGuard::recall(const StoreGuard& store, const KnownRow* known) {
  times_ = known ? static_cast<int>(known->times) : store.times();
  if (known) seen_.note({known->repair, 0, known->count});
}

KnownRow GroupGuard::known(const std::string& group) const {
  return {{}, KnownRow::Of::group, group, seen_.most().repair, seen_.most().count, static_cast<std::uint64_t>(times_)};
}

void GroupGuard::on_sound(const StoreGuard& store) {
  times_ = store.times();
  older_job_.clear();
}

std::string GroupGuard::verify(const StoreGuard& store, const Shown& now, const std::string& group) {
  const bool repaired = now.repair > seen_.most().repair;
  if (!repaired && !evidence(store).empty()) return evidence(store);
  const bool epoch_repeats = !repaired && now.repair == seen_.most().repair && now.count == seen_.most().count;
  std::string why = seen_.why_older(now, "g/" + group, "the epoch of group " + group);
  if (why.empty() && epoch_repeats && now.count > 0)
    why = "the store has gone back: epoch " + std::to_string(now.count) + " of group " + group + " was given twice";
  if (!why.empty()) return why;
  on_sound(store);
  seen_.note(now);
  return "";
}

void GroupGuard::learn_repair(const StoreGuard& store, const Shown& now) {
  if (now.repair <= seen_.most().repair) return;
  on_sound(store);
  seen_.restart(now);
}

void GroupGuard::on_repaired(const StoreGuard& store, const Shown& now) {
  on_sound(store);
  seen_.restart(now);
}

void GroupGuard::on_written(std::uint64_t version) {
  Shown now = seen_.most();
  now.version = std::max(now.version, version);
  seen_.note(now);
}

}  // namespace ballot::core

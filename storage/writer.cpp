#include "storage/writer.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/wall_text.hpp"

namespace ballot::storage {
namespace {

constexpr auto quiet_time = std::chrono::seconds(1);

std::string spool_folder(const LedgerOptions& options) {
  if (!options.spool_folder.empty()) return options.spool_folder;
  return (std::filesystem::path(options.path).parent_path() / "spool").string();
}

std::string spool_name(const LedgerOptions& options) {
  return std::filesystem::path(options.path).filename().string() + ".rows";
}

/// ".corrupt-20250309T070000Z"
std::string aside_ending(WallTime now) {
  std::string stamp = format_seconds(now);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  return ".corrupt-" + stamp;
}

std::string free_name(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; ::access(name.c_str(), F_OK) == 0; ++i) name = wanted + "-" + std::to_string(i);
  return name;
}

}  // namespace

Writer::Writer(const LedgerOptions& options, const LedgerHooks& hooks, Backlog& backlog, Sending& sending)
    : options_(options),
      hooks_(hooks),
      backlog_(backlog),
      sending_(sending),
      spool_(spool_folder(options), spool_name(options), options.spool_reserve),
      retry_after_(options.retry_first) {}

std::int64_t Writer::work() {
  if (spool_.is_there() && ::access(options_.path.c_str(), F_OK) != 0 && errno == ENOENT) begun_anew_ = hooks_.now();
  open_spool();
  recover();
  if (hooks_.on_opened) hooks_.on_opened();
  while (true) {
    report();
    rest();
    if (state_ != State::writing && Clock::now() >= retry_at_) recover();
    if (hand_.empty()) take();
    backlog_.set_busy(true);
    bool synced = !hand_.flushed.empty();
    store();
    if (state_ == State::writing && !stopping_) synced |= tidy();
    is_slow_ = backlog_.busy_for() > options_.slow_write || (is_slow_ && !synced);
    backlog_.set_busy(false);
    if (stopping_ && state_ == State::holding) return give_up();
    if (stopping_ && hand_.empty() && backlog_.size() == 0) break;
  }
  report();
  close();
  return 0;
}

void Writer::rest() {
  if (stopping_) return;
  if (state_ == State::holding)
    backlog_.wait_for_stop(retry_at_);
  else
    backlog_.wait(wake_at());
  stopping_ = backlog_.stopped();
  if (stopping_) retry_at_ = Clock::now();
}

Writer::Clock::time_point Writer::wake_at() const {
  if (state_ != State::writing) return retry_at_;
  Clock::time_point at = sweep_at_;
  if (file_->has_wal()) at = std::min(at, quiet_at_);
  return std::min(at, release_.at());
}

void Writer::store() {
  if (hand_.empty()) return;
  if (!write_to_file() && !write_to_spool()) return;
  const Batch stored = std::exchange(hand_, {});
  note_spooled();
  for (const auto& flushed : stored.flushed) flushed();
}

void Writer::take() {
  hand_ = backlog_.take();
  for (Record& record : hand_.records)
    if (auto* defined = std::get_if<DefinedRow>(&record); defined && defined->job && options_.keys_of)
      defined->row.keys = options_.keys_of(*std::exchange(defined->job, nullptr));
  release_.on_stored(Clock::now(), backlog_.take_freed());
}

bool Writer::write_to_file() {
  for (int tries = 0; tries < 2 && state_ == State::writing; ++tries) {
    try {
      leave_moved_file();
      file_->write(hand_.records, hand_.flushed.empty() ? Sync::later : Sync::now);
      file_->checkpoint_if_due();
      quiet_at_ = Clock::now() + quiet_time;
      release_.on_stored(Clock::now(), hand_.records.size());
      if (hooks_.on_stored && !hand_.records.empty()) hooks_.on_stored();
      return true;
    } catch (const SqliteError& error) {
      fail(error);
    }
  }
  return false;
}

bool Writer::write_to_spool() {
  open_spool();
  if (spool_.is_open()) {
    const Result<void> appended = spool_.append(hand_.records);
    spool_reason_ = appended ? "" : appended.error().what;
  }
  state_ = spool_reason_.empty() ? State::spooling : State::holding;
  return state_ == State::spooling;
}

void Writer::recover() {
  for (int tries = 0; tries < 2 && state_ != State::writing; ++tries) {
    try {
      open_file();
      replay();
      state_ = State::writing;
      reason_.clear();
      retry_after_ = options_.retry_first;
    } catch (const SqliteError& error) {
      if (error.fault() == Fault::broken) set_aside(error.what());
      degrade(error.what());
      if (error.fault() != Fault::broken) return;
    }
  }
}

void Writer::fail(const SqliteError& error) {
  if (error.fault() == Fault::broken) set_aside(error.what());
  degrade(error.what());
  if (error.fault() == Fault::broken) recover();
}

void Writer::degrade(std::string reason) {
  retention_.reset();
  file_.reset();
  if (state_ == State::writing) state_ = State::spooling;
  reason_ = std::move(reason);
  retry_at_ = Clock::now() + retry_after_;
  retry_after_ = std::min(2 * retry_after_, options_.retry_most);
}

void Writer::open_file() {
  retention_.reset();
  file_.reset();
  file_ = std::make_unique<LedgerFile>(options_.path, options_.lock_wait, options_.marks);
  if (begun_anew_) file_->begin_horizon(*begun_anew_);
  begun_anew_.reset();
  retention_ = std::make_unique<Retention>(*file_, options_.limits);
  sweep_at_ = Clock::now();
  quiet_at_ = sweep_at_ + quiet_time;
}

void Writer::open_spool() {
  if (spool_.is_open()) return;
  const Result<std::string> opened = spool_.open(aside_ending(hooks_.now()));
  const std::string reason = opened ? "" : opened.error().what;
  if (reason != spool_reason_ && !reason.empty())
    alarm(reason + ": rows that the ledger cannot take wait in memory only");
  if (opened && !opened->empty()) alarm(*opened);
  spool_reason_ = reason;
  if (opened) keep_room();
}

/// Where a disk has none, it may have some later.
void Writer::keep_room() {
  const Result<void> kept = spool_.keep_room();
  const std::string before = std::exchange(room_reason_, kept ? "" : kept.error().what);
  if (kept || room_reason_ == before || !hooks_.warning) return;
  hooks_.warning(room_reason_ +
                 ": once the disk is full, rows wait in memory only, and are lost where the daemon ends");
}

void Writer::replay() {
  open_spool();
  if (spool_.records() == 0) return;
  const auto take = [this](const std::vector<Record>& records) {
    file_->write(records, Sync::later);
    file_->checkpoint_if_due();
  };
  Result<void> replayed = spool_.replay(take);
  if (replayed) {
    file_->write({}, Sync::now);
    replayed = spool_.clear();
    if (replayed) keep_room();
  }
  if (!replayed) throw SqliteError(Fault::passing, replayed.error().what);
}

void Writer::set_aside(const std::string& why) {
  retention_.reset();
  file_.reset();
  const std::string aside = free_name(options_.path + aside_ending(hooks_.now()));
  for (const char* part : {"-wal", "-shm", ""}) {
    if (std::rename((options_.path + part).c_str(), (aside + part).c_str()) == 0 || errno == ENOENT) continue;
    return alarm(why + "; it cannot be set aside: " + std::strerror(errno));
  }
  begun_anew_ = hooks_.now();
  alarm(why + "; it is set aside as " + aside + ", and a new ledger is begun");
}

void Writer::leave_moved_file() {
  if (!file_->database().moved()) return;
  begun_anew_ = hooks_.now();
  alarm(options_.path + ": was moved or deleted while in use: a new ledger is begun");
  try {
    file_->checkpoint();
  } catch (const SqliteError&) {  // what is gone is gone; the alarm has said so
  }
  open_file();
}

/// True: the disk has synced what was written before.
bool Writer::tidy() {
  const Clock::time_point now = Clock::now();
  const bool quiet = backlog_.size() == 0;
  try {
    if (now >= sweep_at_ + (quiet ? Clock::duration(0) : quiet_time)) {
      const bool more = remove_some();
      file_->checkpoint_if_due();
      if (spool_.is_open()) keep_room();
      sweep_at_ = Clock::now() + (more ? Millis(0) : options_.sweep_every);
    } else if (quiet && file_->has_wal() && now >= quiet_at_) {
      file_->checkpoint();
      quiet_at_ = Clock::now() + quiet_time;
      return true;
    } else if (quiet && now >= release_.at()) {
      release_memory();
    }
  } catch (const SqliteError& error) {
    fail(error);
  }
  return false;
}

/// True: there is more to remove.
bool Writer::remove_some() {
  const std::int64_t before = retention_->unsent_dropped();
  const bool more =
      retention_->slice(hooks_.now(), options_.marks == Marks::kept ? sending_.sent.load() : Retention::all_sent);
  sending_.unsent_dropped += retention_->unsent_dropped() - before;
  return more;
}

/// The caches, and what the whole process has freed: much is stored when many jobs have begun to be led or to run, and
/// the heap has holes from what that took.
void Writer::release_memory() {
  release_.on_released();
  file_->release_memory();
  if (options_.trims_heap) ::malloc_trim(0);
}

void Writer::close() {
  retention_.reset();
  if (file_) file_->fold();
  file_.reset();
}

std::int64_t Writer::give_up() {
  report();
  const std::int64_t lost = std::ssize(hand_.records) + static_cast<std::int64_t>(backlog_.size());
  if (lost == 0) return 0;
  alarm(std::to_string(lost) +
        (lost == 1 ? " record of the ledger is lost, as it" : " records of the ledger are lost, as they") +
        " could be stored nowhere: " + reason_ + "; " + spool_reason_);
  return lost;
}

void Writer::note_spooled() {
  const bool waits = state_ != State::writing && (spool_.records() > 0 || !hand_.empty() || backlog_.size() > 0);
  if (!waits || !waits_since_) waits_since_ = waits ? std::optional(hooks_.now()) : std::nullopt;
  backlog_.set_spooled({spool_.records(), waits_since_});
}

void Writer::report() {
  backlog_.set_stuck(state_ == State::holding);
  LedgerState state{.degraded = state_ != State::writing || is_slow_,
                    .reason = state_ == State::writing && is_slow_ ? slow_disk(options_) : reason_,
                    .spooled = spool_.records(),
                    .in_memory = std::ssize(hand_.records) + static_cast<std::int64_t>(backlog_.size()),
                    .dropped = backlog_.dropped()};
  note_spooled();
  if (state_ == State::holding) state.reason += "; " + spool_reason_;
  const bool changed =
      state.degraded != reported_.degraded || state.reason != reported_.reason || state.dropped != reported_.dropped;
  if (!changed) return;
  reported_ = state;
  if (hooks_.on_state) hooks_.on_state(state);
}

void Writer::alarm(const std::string& text) const {
  if (hooks_.alarm) hooks_.alarm(text);
}

}  // namespace ballot::storage

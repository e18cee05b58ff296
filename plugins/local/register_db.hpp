// RegisterDb: registers.db, in which this backend keeps, by SQLite: registers and records, the present term of
// each group, the sessions that had them, and who campaigns. Knows nothing of locks, threads and clocks. Throws
// DbError. One thread. All but opening is done between begin() and commit(); what is not committed has not happened.
//
//   RegisterDb db(path, wait);
//   db.prepare("");                                  // what the lock file says; makes the tables of a new file
//   db.begin();  ... db.write(...) ...  db.commit();
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "schema.hpp"
#include "sqlite.hpp"
#include "support/machine/liveness.hpp"

namespace ballot::local {

using namespace support;

/// How a term ended, as far as that was recorded.
enum class TermEnd : std::int64_t {
  open,    // not recorded: it goes on, or its daemon died
  clean,   // resigned, shut down
  evicted  // by somebody else: its runs may go on until its deadline
};

/// The present term of a group, or the last one.
struct TermRow {
  std::int64_t group = 0;
  std::string name;  // of the group
  std::uint64_t epoch = 0;
  std::int64_t session = 0;
  TermEnd end = TermEnd::clean;
};

class RegisterDb {
 public:
  RegisterDb(const std::string& path, std::function<bool(int)> wait) : db_(path, std::move(wait)) {}

  /// As in schema.hpp.
  Result<std::string> prepare(const std::string& store) { return prepare_schema(db_, store); }
  Result<void> check(const std::string& store) { return check_schema(db_, store); }
  Result<std::int64_t> format() { return known_format(db_); }

  void begin(Access access);
  void commit();
  void roll_back() noexcept { db_.roll_back(); }
  /// The first letters of what was written, created or removed in this change.
  const std::set<char>& touched() const noexcept { return touched_; }
  /// Where the log has grown. Requires: nobody else does at the same time.
  void checkpoint_if_due();
  void empty_log() { db_.empty_log(); }
  void release_memory() noexcept { db_.release_memory(); }
  std::int64_t all_changes() const noexcept { return db_.all_changes(); }

  std::uint64_t revision();
  /// With what the change under way has done so far.
  std::uint64_t revision_in_change() const noexcept { return revision_; }

  /// Of any format.
  std::vector<std::int64_t> session_ids();
  std::vector<FolderSession> sessions();
  std::optional<FolderSession> session(std::int64_t id);
  std::int64_t add_session(const FolderSession& row);
  /// What its lease was last, before the slot is another's.
  void keep_lease(std::int64_t id, SteadyTime deadline, WallTime renewed);
  /// Removes sessions that no term refers to: those of `node` but `own`, and everybody's from before `old`.
  void forget_sessions(const std::string& node, std::int64_t own, WallTime old);

  /// Takes part in the election of a group, since then. Nothing where it does already.
  void enlist(std::int64_t session, std::int64_t group, WallTime now);
  void withdraw(std::int64_t session, const std::string& group);
  void withdraw_all(std::int64_t session);
  /// The groups that the session takes part in, all or just the one, since when.
  std::map<std::int64_t, WallTime> candidacies(std::int64_t session, std::optional<std::int64_t> group);

  /// Makes the group where it is new: epoch 0, ended.
  TermRow term(const std::string& group);
  std::optional<TermRow> find_term(const std::string& group);
  /// Of all groups, by name.
  std::vector<TermRow> terms();
  /// `old_until`: until when runs of the terms before it may go on, on the leader's boot.
  void begin_term(const TermRow& term, const FolderSession& leader, SteadyTime old_until, WallTime now);
  /// As the group's present term, or its last, began with it; SteadyTime() where that was on another boot.
  SteadyTime old_until(std::int64_t group, const std::string& boot_id);
  void adopt_term(std::int64_t group, std::int64_t session);
  /// Nothing where it has ended already, or another term has begun since. `term`: its name is not needed.
  void end_term(const TermRow& term, TermEnd end, WallTime now);
  std::int64_t count_open_terms(std::int64_t session);
  /// Epochs by group.
  std::map<std::int64_t, std::uint64_t> open_terms(std::int64_t session);
  /// Groups whose last term has ended, and those of open terms by session, all in order.
  std::vector<std::int64_t> ended_groups();
  std::vector<std::int64_t> leaders();
  void end_terms(std::int64_t session, WallTime now);

  /// Decides one write of `session`.
  WriteAnswer write(const RegisterWrite& write, std::int64_t session);
  WriteAnswer create(const Record& record);
  WriteAnswer remove(const std::string& record);
  std::optional<Register> read(const std::string& name);
  std::vector<Register> list(const std::string& prefix);

 private:
  std::vector<FolderSession> sessions(std::int64_t first, std::int64_t last);
  bool leads(const RegisterWrite& write, std::int64_t session);

  Connection db_;
  std::uint64_t revision_ = 0;  // within a change: grows with each write
  std::set<char> touched_;
};

}  // namespace ballot::local

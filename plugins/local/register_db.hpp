// RegisterDb: registers.db, the words of this plugin in SQLite: registers and records, the present term of each group,
// the sessions that held them, and who campaigns. Knows nothing of locks, threads and clocks. Throws DbError. One
// thread. All but opening is done between begin() and commit(); what is not committed has not happened.
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
#include "ballot/error.hpp"
#include "sqlite.hpp"
#include "support/member.hpp"

namespace ballot::local {

/// A session as it was opened; its lease knows more of when it ends and was renewed.
struct SessionRow : support::MemberRecord {
  std::int64_t id = 0;
  std::int64_t process = 0;  // its pid, and the pid namespace that this is of; 0: not known
  std::int64_t pid_space = 0;
  std::int64_t slot = 0;  // of its lease; 0: none any more
};

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
  static constexpr int format = 4;
  static constexpr int first_with_leases = 4;

  RegisterDb(const std::string& path, std::function<bool(int)> wait) : db_(path, std::move(wait)) {}

  /// Checks the file, or makes a new one where it is empty and `store` is. Returns the store's name.
  /// Errors: invalid (a newer format, another program's file), corrupt (damaged, emptied, of another store).
  Result<std::string> prepare(const std::string& store);
  /// 0: the file is empty. Errors: as prepare().
  Result<std::int64_t> known_format();
  /// For who only looks: changes nothing, and trusts its pages. Errors: as prepare(); invalid, where the format is
  /// older.
  Result<void> look_into(const std::string& store);

  void begin();
  /// Sees what was committed before, and changes nothing.
  void begin_reading();
  void commit();
  void roll_back() noexcept { change_.reset(); }
  /// The first letters of what was written, created or removed in this change.
  const std::set<char>& touched() const noexcept { return touched_; }
  /// Where the log has grown. Requires: nobody else does at the same time.
  void checkpoint_if_due();
  void empty_log() { db_.empty_log(); }

  std::uint64_t revision();

  /// Of any format.
  std::vector<std::int64_t> session_ids();
  std::vector<SessionRow> sessions();
  std::optional<SessionRow> session(std::int64_t id);
  std::int64_t add_session(const SessionRow& row);
  /// What its lease said last, before the slot is another's.
  void keep_lease(std::int64_t id, SteadyTime deadline, WallTime renewed);
  bool has_open_terms(std::int64_t session) { return count_open_terms(session) > 0; }
  /// Those that no term refers to: the ones of `node` but `own`, and everybody's from before `old`.
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
  void begin_term(const TermRow& term, const SessionRow& leader, SteadyTime old_until, WallTime now);
  /// As the group's present term, or its last, began with it; SteadyTime() where that was on another boot.
  SteadyTime old_until(std::int64_t group, const std::string& boot_id);
  void adopt_term(std::int64_t group, std::int64_t session);
  /// Nothing where it has ended already.
  void end_term(std::int64_t group, TermEnd end, WallTime now);
  /// The same, and nothing where another term has begun since.
  void end_term(std::int64_t group, std::uint64_t epoch, std::int64_t session, WallTime now);
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
  Result<std::string> make_or_check(const std::string& store);
  void use_log();
  Result<std::string> create();
  Result<std::string> check(const std::string& store);
  Result<std::string> name_of_store(const std::string& store);
  void migrate(std::int64_t from);
  void check_pages();
  bool leads(const RegisterWrite& write, std::int64_t session);

  Connection db_;
  std::optional<Transaction> change_;
  std::uint64_t revision_ = 0;  // within a change: grows with each write
  std::set<char> touched_;
};

}  // namespace ballot::local

// RegisterDb: registers.db, the words of this plugin in SQLite: registers with their versions, the present term of each
// group, and the sessions that held them. Knows nothing of locks, threads and clocks. Throws DbError. One thread.
// All but opening is done between begin() and commit(); what is not committed has not happened.
//
//   RegisterDb db(path, wait);
//   db.prepare("");                                  // what the lock file says; makes the tables of a new file
//   db.begin();  ... db.write(...) ...  db.commit();
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "sqlite.hpp"

namespace ballot::local {

/// A session as its last renewal left it.
struct SessionRow {
  std::int64_t id = 0;
  std::string node;
  std::string boot_id;
  std::string machine_id;
  std::string host;
  std::int64_t pid = 0;
  std::string version;
  SteadyTime deadline{};  // on the boot clock of `boot_id`
  WallTime renewed{};
};

/// The present term of a group, or the last one.
struct TermRow {
  std::int64_t group = 0;
  std::uint64_t epoch = 0;
  std::int64_t session = 0;
  bool ended = true;  // cleanly: resigned, shut down
};

class RegisterDb {
 public:
  static constexpr int format = 1;

  RegisterDb(const std::string& path, std::function<bool(int)> wait) : db_(path, std::move(wait)) {}

  /// Checks the file, or makes a new one where it is empty and `store` is. Returns the store's name.
  /// Errors: refused (a newer format, another program's file), corrupt (damaged, emptied, of another store).
  Result<std::string> prepare(const std::string& store);

  void begin();
  void commit();
  void roll_back() noexcept { change_.reset(); }
  bool changing() const noexcept { return change_.has_value(); }

  std::uint64_t revision();

  std::vector<SessionRow> sessions();
  std::optional<SessionRow> session(std::int64_t id);
  std::int64_t add_session(const SessionRow& row);
  /// False: it is not there.
  bool renew_session(std::int64_t id, SteadyTime deadline, WallTime now);
  /// Of those that no term refers to: the ones of `node` but `own`, and everybody's from before `old`.
  void forget_sessions(const std::string& node, std::int64_t own, WallTime old);

  /// Makes the group where it is new: epoch 0, ended.
  TermRow term(const std::string& group);
  void begin_term(const TermRow& term, const SessionRow& leader, WallTime now);
  void adopt_term(std::int64_t group, std::int64_t session);
  void end_term(std::int64_t group, WallTime now);
  void end_terms(std::int64_t session, WallTime now);

  /// Decides one write of `session`.
  WriteAnswer write(const RegisterWrite& write, std::int64_t session);
  std::optional<Register> read(const std::string& name);
  std::vector<Register> list(const std::string& prefix);

 private:
  Result<std::string> create();
  Result<std::string> check(const std::string& store);
  bool leads(const RegisterWrite& write, std::int64_t session);

  Connection db_;
  std::optional<Transaction> change_;
  std::uint64_t revision_ = 0;  // within a change: grows with each write
  bool written_ = false;
};

}  // namespace ballot::local

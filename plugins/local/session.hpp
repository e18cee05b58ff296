// Session: one daemon's standing in its namespace: its files, its locks, the groups that it takes part in. Carries out
// calls in groups, one commit each. Knows nothing of threads and queues; reads no clock but for the records.
//
//   auto session = Session::open(folder, request, asked, spent, wait, host);
//   Session::Events events;
//   (*session)->carry_out(calls, events);        // then post them
//   if ((*session)->over()) ...                  // its files cannot be used any more: post SessionClosed
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "calls.hpp"
#include "lock_file.hpp"
#include "register_db.hpp"

namespace ballot::local {

class Session {
 public:
  using Events = std::vector<Event>;

  struct Opening {
    std::string folder;
    SessionRequest request;
    SteadyTime asked{};             // when: T counts from here
    std::set<std::int64_t> spent;   // sessions of this process that ended with all their terms: never resumed
    std::function<bool(int)> wait;  // see Connection
  };

  /// T as asked for, 5 s by default, within 1 s and 1 h.
  static Millis granted(Millis asked);

  /// Errors: conflict (a daemon of this node's name lives), refused, corrupt, unavailable, io; all say what to do.
  static Result<std::unique_ptr<Session>> open(const Opening& opening, Host& host);

  std::int64_t id() const noexcept { return row_.id; }
  std::uint64_t revision() const noexcept { return revision_; }

  /// Carries all of them out in one commit, each decided on its own, and adds what is to be posted, in order.
  void carry_out(std::vector<Call> calls, Events& events);
  /// Tries for the groups that others led, where nobody does any more.
  void look_for_vacancies(Events& events);
  bool waits() const noexcept { return !waiting_.empty() || !postponed_.empty(); }

  /// Records that its terms ended cleanly, as far as that can be written. The locks fall with this object.
  void end_terms() noexcept;

  /// Set where the files cannot be used any more. Nothing but destruction may follow.
  const std::optional<backend::SessionClosed>& over() const noexcept { return over_; }

 private:
  struct Candidate {
    std::int64_t id = 0;
    std::uint64_t epoch = 0;  // that it leads; 0: it waits
  };
  struct FileId {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileId&) const = default;
  };

  Session(const Opening& opening, LockFile lock, Host& host);
  static FileId identify(const std::string& path);
  Result<void> start(const Opening& opening);
  Result<void> enter(const Opening& opening, bool new_lock);
  bool files_in_place();

  void change(const std::function<void(Events&)>& work, const std::vector<Call>& calls, Events& events);
  void carry(const Call& call, Events& events);
  void carry(const RenewCall& call, Events& events);
  void carry(const CampaignCall& call, Events& events);
  void carry(const ResignCall& call, Events& events);
  void carry(const WriteCall& call, Events& events);
  void carry(const ReadCall& call, Events& events);
  void carry(const ListCall& call, Events& events);
  void try_to_lead(const std::string& group, Events& events);
  std::uint64_t begin_term(TermRow term, const std::string& group, Events& events);
  void let_go(Events& events);
  void undo(Events& events);
  void fail(const DbError& error, const std::vector<Call>& calls, Events& events);
  void complain(const std::string& text);
  std::vector<std::string> vacancies() const;

  const std::string path_;  // of registers.db
  const Millis timeout_;
  Host& host_;
  LockFile lock_;
  RegisterDb db_;
  FileId file_;
  SessionRow row_;
  std::uint64_t revision_ = 0;
  std::map<std::int64_t, SteadyTime> resumable_;  // sessions of this node's last daemon, with their deadlines
  std::unordered_map<std::string, Candidate> candidates_;
  std::map<std::int64_t, std::string> waiting_;  // groups that others led, by id
  std::set<std::string> postponed_;              // groups to campaign for when the file can be written again
  std::set<std::string> tried_;                  // in this change: campaigned for
  std::map<std::string, Candidate> won_;         // in this change: locked
  std::map<std::string, Candidate> left_;        // in this change: led until it is done
  std::string complaint_;                        // the last one logged, not repeated for a minute
  SteadyTime complained_{};
  std::optional<backend::SessionClosed> over_;
};

}  // namespace ballot::local

// Session: one daemon's standing in its namespace: its files, its locks, the groups that it takes part in. Or an
// observer's, which bears no node's name and takes part in nothing. Carries out calls in groups, one commit each. Knows
// nothing of threads and queues; reads no clock but for the records.
//
//   auto session = Session::open(opening, host);
//   Events events;
//   (*session)->carry_out(calls, events);        // then post them
//   if ((*session)->over()) ...                  // its files cannot be used any more: post SessionClosed
//
// A group of a participant:
//   | state     | where                                  | leaves it                                              |
//   | --------- | -------------------------------------- | ------------------------------------------------------ |
//   | leading   | candidates_, epoch > 0                 | resigned: out; evicted: postponed                      |
//   | waiting   | candidates_, epoch 0, and waiting_     | its lock is free: leading; a failed commit: postponed  |
//   | postponed | postponed_: not before `resume_at_`    | looked at: leading or waiting                          |
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
#include "bell.hpp"
#include "lock_file.hpp"
#include "neighbours.hpp"
#include "register_db.hpp"
#include "standing.hpp"

namespace ballot::local {

class Session final : public Standing {
 public:
  /// Rung when a lock has fallen, a term was evicted, or a daemon has come.
  static constexpr const char* elections_topic = "elections";
  /// Between looks, where ears miss something, and where they do not.
  static constexpr Millis pause{250};
  static constexpr Millis rest{5'000};

  struct Opening {
    std::string folder;
    SessionRequest request;
    SteadyTime asked{};             // when: T counts from here
    std::set<std::int64_t> spent;   // sessions of this process that ended with all their terms: never resumed
    std::function<bool(int)> wait;  // see Connection
  };

  static constexpr Millis shortest{1'000};
  static constexpr Millis longest{3'600'000};
  /// T as asked for, 5 s by default, within these.
  static Millis granted(Millis asked);

  /// Errors: conflict (a daemon of this node's name lives), refused, corrupt, unavailable, io; all say what to do.
  /// An observer makes nothing that is not there.
  static Result<std::unique_ptr<Session>> open(const Opening& opening, Host& host);
  /// Its locks fall, and the others are told.
  ~Session() override;

  std::int64_t id() const noexcept { return row_.id; }  // 0: an observer's
  /// For SessionRequest::handle.
  std::string handle() const { return std::to_string(row_.id) + " " + lock_.text(); }
  std::uint64_t revision() const noexcept { return revision_; }

  void carry_out(std::vector<Call> calls, Events& events) override;
  std::vector<int> ears() const override;
  bool hear(Events& events) override;
  void look(Events& events) override;
  Millis pace() const override;
  void end_terms() noexcept override;
  const std::optional<backend::SessionClosed>& over() const noexcept override { return over_; }

 private:
  struct Candidate {
    std::int64_t id = 0;
    std::uint64_t epoch = 0;  // that it leads; 0: it waits
  };
  struct Left {
    Candidate candidate;
    Cause cause = Cause::none;
  };
  struct FileId {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileId&) const = default;
  };

  Session(const Opening& opening, LockFile lock, Host& host);
  static FileId identify(const std::string& path);
  Result<void> start(const Opening& opening);
  Result<void> start_observing();
  Result<void> stand_in(const Opening& opening);
  Result<void> enter(const Opening& opening, bool new_lock);
  bool observes() const noexcept { return row_.id == 0; }
  bool files_in_place();
  bool log_in_place();
  void listen(const std::string& topic);
  std::vector<SessionRow> live_others();

  bool change(const std::function<void(Events&)>& work, const std::vector<Call>& calls, Events& events);
  void carry(const Call& call, Events& events);
  void carry(const RenewCall& call, Events& events);
  void carry(const CampaignCall& call, Events& events);
  void carry(const ResignCall& call, Events& events);
  void carry(const WriteCall& call, Events& events);
  void carry(const ReadCall& call, Events& events);
  void carry(const CreateCall& call, Events& events);
  void carry(const RemoveCall& call, Events& events);
  void carry(const WatchCall& call, Events& events);
  void carry(const ObserveCall& call, Events& events);
  void carry(const EvictCall& call, Events& events);
  void carry(const ListCall& call, Events& events);
  bool is_led(const TermRow& term);
  void try_to_lead(const std::string& group, Events& events);
  std::uint64_t begin_term(TermRow term, const std::string& group, Events& events);
  void hear_evictions();
  std::vector<std::string> vacancies() const;
  void let_go(Events& events);
  void undo(const std::vector<Call>& calls, Events& events);
  std::optional<Candidate> leave(const std::string& group);
  void leave_on_behalf(const std::string& group);
  void fail(const DbError& error, const std::vector<Call>& calls, Events& events);
  void complain(const std::string& text);
  void postpone(const std::string& group);

  const std::string path_;  // of registers.db
  const Millis timeout_;
  const std::string boot_id_;
  Host& host_;
  Bell bell_;
  LockFile lock_;
  RegisterDb db_;
  FileId file_, log_;
  SessionRow row_;
  bool stands_in_ = false;  // for a dead daemon, to leave on its behalf
  Neighbours neighbours_;
  std::uint64_t revision_ = 0;  // of the store, when it was looked at last
  std::set<std::string> watches_;
  std::map<std::int64_t, SteadyTime> resumable_;  // sessions of this node's last daemon, with their deadlines
  std::unordered_map<std::string, Candidate> candidates_;
  std::map<std::int64_t, std::string> waiting_;  // groups that others led, by id
  std::set<std::string> postponed_;              // groups to campaign for later
  SteadyTime resume_at_{};
  bool failed_ = false;                   // the last look
  bool more_ = false;                     // was left by the last look
  std::set<std::string> tried_;           // in this change: campaigned for
  std::map<std::string, Candidate> won_;  // in this change: locked
  std::map<std::string, Left> left_;      // in this change: led until it is done
  std::string complaint_;                 // the last one logged, not repeated for a minute
  SteadyTime complained_{};
  std::optional<backend::SessionClosed> over_;
};

}  // namespace ballot::local

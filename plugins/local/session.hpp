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
//   | waiting   | candidates_, epoch 0, and waiting_     | it is vacant: leading; a failed commit: postponed      |
//   | postponed | postponed_: not before `resume_at_`    | looked at: leading or waiting                          |
//
// A group is vacant where its last term has ended, or its leader's byte in the lock file is free, or its lease is past.
// The epoch under the write lock decides who follows.
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
#include "leases.hpp"
#include "lock_file.hpp"
#include "neighbours.hpp"
#include "register_db.hpp"
#include "standing.hpp"
#include "support/predecessor.hpp"
#include "write_lock.hpp"

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
    std::function<bool(int)> wait;  // see Connection and WriteLock
    StuckWriter* stuck = nullptr;   // required; outlives the session
  };

  static constexpr Millis shortest{1'000};
  static constexpr Millis longest{3'600'000};
  /// T as asked for, 15 s by default, within these.
  static Millis granted(Millis asked);

  /// Errors: conflict (a daemon of this node's name lives), refused, corrupt, unavailable, io; all say what to do.
  /// An observer makes nothing that is not there.
  static Result<std::unique_ptr<Session>> open(Opening opening, Host& host);
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
  SteadyTime deadline() const noexcept override { return deadline_; }
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

  enum class Access { read, write };

  Session(const Opening& opening, LockFile lock, Host& host);
  static FileId identify(const std::string& path);
  static std::string describe(const DbError& error, const std::string& path);
  Result<void> begin(const Opening& opening);
  Result<void> start(const Opening& opening);
  Result<void> refuse_older_daemons();
  Result<void> start_observing();
  Result<void> stand_in(const Opening& opening);
  Result<void> enter(const Opening& opening, bool new_lock);
  Result<void> meet(const SessionRow& row, const Opening& opening, bool new_lock);
  bool take_slot();
  bool observes() const noexcept { return row_.id == 0; }
  bool files_in_place();
  bool log_in_place();
  void listen(const std::string& topic);
  void tell(const std::set<std::string>& rung, Events& events) const;

  // Of leases: session_lease.cpp.
  bool takes_part() const noexcept { return row_.id != 0 && !stands_in_; }
  bool is_past();
  void renew(const RenewCall& call, Events& events);
  bool extend(const RenewCall& call, Events& events);
  SessionRow current(SessionRow row) const;
  bool is_live(const SessionRow& row) const;
  std::vector<SessionRow> live_others();
  const std::set<std::int64_t>& living();

  bool change(Access access, const std::function<void(Events&)>& work, const std::vector<Call>& calls, Events& events);
  void commit();
  void write_back();
  void carry(const Call& call, Events& events);
  void carry(const RenewCall&, Events&) {}  // see renew()
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
  Predecessor predecessor_of(const TermRow& term);
  bool is_vacant(const TermRow& term);
  void see_losses();
  std::vector<std::string> vacancies();
  void let_go(Events& events);
  void undo(const std::vector<Call>& calls, Events& events);
  std::optional<Candidate> leave(const std::string& group);
  void leave_on_behalf(const std::string& group);
  void fail(const DbError& error, const std::vector<Call>& calls, Events& events);
  void complain(const std::string& text, Level level = Level::error);
  void postpone(const std::string& group);

  const std::string path_;  // of registers.db
  const Millis timeout_;
  const std::string boot_id_;
  const Process process_ = this_process();
  Host& host_;
  Bell bell_;
  const std::function<bool(int)> wait_;
  StuckWriter& stuck_;
  LockFile lock_;
  Leases leases_{lock_};
  RegisterDb db_;
  FileId file_, log_;
  SessionRow row_;
  bool stands_in_ = false;  // for a dead daemon, to leave on its behalf
  std::int64_t slot_ = 0;
  SteadyTime deadline_ = SteadyTime::max();
  Neighbours neighbours_;
  std::uint64_t revision_ = 0;  // of the store, when it was looked at last
  std::set<std::string> watches_;
  std::set<std::string> unsettled_;               // rung by somebody who has not committed yet
  std::map<std::int64_t, SteadyTime> resumable_;  // sessions of this node's last daemon, with their deadlines
  std::unordered_map<std::string, Candidate> candidates_;
  std::map<std::int64_t, std::string> waiting_;  // groups that others led, by id
  std::set<std::string> postponed_;              // groups to campaign for later
  SteadyTime resume_at_{};
  std::map<std::int64_t, std::uint64_t> unended_;  // epochs, by group, of terms that were left without a commit
  SteadyTime others_until_ = SteadyTime::max();    // the first deadline of whoever may lead what is waited for
  bool failed_ = false;                            // the last look
  bool more_ = false;                              // was left by the last look
  std::optional<std::set<std::int64_t>> living_;   // in this change: sessions that may lead
  std::set<std::string> tried_;                    // in this change: campaigned for
  std::map<std::string, Left> left_;               // in this change: led until it is done
  std::string complaint_;                          // the last one logged, not repeated for a minute
  SteadyTime complained_{};
  std::optional<backend::SessionClosed> over_;
};

}  // namespace ballot::local

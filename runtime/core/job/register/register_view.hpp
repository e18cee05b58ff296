// RegisterView: a job's register as this node knows it: as last read or written, whether it can be read, and whether it
// has gone back behind what was seen of it.
//
//   state      | event                                             | next
//   unknown    | read                                              | known; unreadable; older (suspect first)
//   known      | written by this node, read anew                   | known
//   known      | an answer shows an older one than was seen        | unknown and suspect: it is read again
//   suspect    | the next answer shows an older one too            | older: it has gone back
//   unreadable, older | read anew                                  | as that shows
//   unreadable, older | restore(): a repair begins                 | known, from the newest that was seen
//   older      | its group was repaired since (heed_repair)        | known, as read
//
//   RegisterView view;
//   if (!view.read(name, stored, now)) ask_again();
//   if (view.is_sound()) go_on_from(view.stored());
//
// Pure. Knows nothing of runs and writes in flight; used by JobMachine only.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballot/defaulted.hpp"
#include "core/job/job_context.hpp"
#include "core/record/register.hpp"
#include "core/store/store_guard.hpp"
#include "schedule/definition.hpp"

namespace ballot::core {

class RegisterView {
 public:
  /// Takes what this node had seen of the register before its daemon was started.
  void recall(const Shown& seen) { keep_seen(Seen(most_seen()), seen); }
  /// As the store has it: absent (nullopt) or there. False where it is an older one than was seen, for the first time:
  /// it may have been read before what was seen since, and is not known till it is read again.
  bool read(const std::string& job, const std::optional<Register>& stored, WallTime now);
  /// The next answer was asked for after whatever was seen: an older one is no older answer.
  void expect_newest() { older_seen_ = true; }
  /// Shares texts with the definition where they are equal: see Shared.
  void share_with(const Job& job);
  /// A write of this node was confirmed.
  void written(JobRegister stored, std::uint64_t version, WallTime now);

  bool is_known() const { return known_; }
  bool exists() const { return exists_; }
  std::uint64_t version() const { return version_; }
  /// The register's content, or as much as could be read of it; empty where it is not there or not known.
  const JobRegister& stored() const { return stored_; }

  bool is_sound() const { return trouble().empty() && rollback_reason().empty(); }
  /// Why it cannot be read,
  const std::string& trouble() const { return fault_->trouble; }
  /// or seems to have gone back; "" where it does not.
  const std::string& rollback_reason() const { return fault_->rollback_reason; }
  /// When this node found it so first; none where it is sound.
  std::optional<WallTime> unsound_since() const { return fault_->since; }
  /// The register is of a newer format, and not to be repaired.
  bool is_newer() const { return newer_; }
  /// True once for each reason why it cannot be read: it is to be logged.
  bool is_new_trouble();

  /// The group whose leader may write it, `otherwise` where it names none.
  const std::string& owner(const std::string& otherwise) const;
  bool clock_skew(WallTime now) const { return known_ && front() > now + most_skew; }
  /// The same of a claim that the cursor has not passed, which no node has written.
  bool claim_skew(WallTime now) const { return known_ && claims_ahead(now) && settled() <= now + most_skew; }
  bool shows(const RunId& run) const;
  /// This attempt of it, as claimed.
  bool shows(const runner::AttemptId& attempt) const;
  /// The highest fence that any answer showed.
  std::uint64_t highest_fence() const { return most_seen().count; }

  /// The term's group was repaired since: that the register has gone back is no reason to halt any more. True where it
  /// was not repaired with it: whoever repaired the group did not know of it, or has not read it till now.
  bool heed_repair(const Term& term);
  /// A repair begins, of a term: from the newest register that this node has seen, from `now` where there is none. What
  /// is in the store and can be read is newer than what this node had read in other terms, unless it says that it is
  /// older. It shows what goes on here, whatever it has forgotten. Returns the keys of the lines that could not be
  /// read,
  /// "" of such as no field has; none where it goes on from what this node knows.
  std::vector<std::string> restore(const Term& term, WallTime now, const std::vector<OpenRun>& going_on);
  /// After restore(), where it could not read the line of the definition: it is that of the file, unless lines of its
  /// timing can be read that say another one.
  void take_definition(const schedule::Definition& of_file, const std::vector<std::string>& lost);
  /// Brings a cursor that is ahead of the clock back to where it was last seen, for nothing is known of the slots from
  /// there on; and a claim that is ahead of it to the cursor. Returns where it was.
  WallTime bring_cursor_back(WallTime now);

 private:
  struct Fault {
    std::string trouble, rollback_reason;
    std::optional<WallTime> since;
    std::vector<std::string> left_out;  // keys of lines that cannot be read; "": of such as no field has
  };

  std::string parse(const Register& stored);
  /// The most that any answer showed of the register.
  Shown most_seen() const { return ahead_ ? ahead_->most() : shown(); }
  /// The register's counters, as stored_ and version_ have them.
  Shown shown() const { return {stored_.interventions->repair, version_, stored_.fence}; }
  /// Remembers the most of both until the register shows as much again, or is written.
  void keep_seen(Seen before, const Shown& now);
  void judge(std::string trouble, std::string rollback_reason, WallTime now);
  void keep_cursor(WallTime now);
  WallTime lost_since(WallTime now) const;
  WallTime settled_until(WallTime now) const;
  void explain_claims(WallTime now);
  bool claims_ahead(WallTime now) const {
    return stored_.claims_beyond_cursor() && stored_.claimed_until > now + most_skew;
  }
  WallTime settled() const { return std::max(stored_.cursor, stored_.since); }
  WallTime front() const {
    return stored_.claims_beyond_cursor() ? std::max(settled(), stored_.claimed_until) : settled();
  }

  static constexpr Millis most_skew{1000};  // clocks of nodes that are right differ by no more

  bool known_ = false;   // the register has been read
  bool exists_ = false;  // and it was there
  bool newer_ = false;
  bool older_seen_ = false;   // the answer before showed an older register than was seen
  std::uint32_t logged_ = 0;  // the trouble that was logged, hashed
  std::uint64_t version_ = 0;
  JobRegister stored_;
  Defaulted<Fault> fault_;
  std::unique_ptr<Seen> ahead_;          // the most seen, where shown() may be less; else null
  std::uint64_t heeded_ = 0;             // the last repair of the whole group that was
  std::unique_ptr<JobRegister> before_;  // while the register is unreadable or has gone back: as it was seen last
  WallTime cursor_{};                    // of the register, when it was not ahead of this clock
};

}  // namespace ballot::core

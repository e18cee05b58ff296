// HistorySender: hands a ledger on to a fleet's history: what is to be done next, by what became of the last step. It
// goes on from the number that the history has, whatever was sent before: a history that was put back has forgotten
// some. What is unknown is asked for again, and never taken for done.
//
//   state    | event                                       | next
//   asking   | the history's line of the ledger            | reading
//            | the line is of another node's ledger        | renewing: this file is a copy of that node's
//            | the ledger does not go on from the line     | renewing: the file is an older copy of itself
//   reading  | a batch, or it is time to be heard of       | putting
//            | nothing new                                 | resting, until something is recorded
//            | a batch of another ledger, or of one that   | asking: the file was begun anew, or put back
//            | ends before the history's number            |
//   putting  | it is put: all that there was               | resting, for a moment at least
//            | it is put                                   | reading
//            | conflict                                    | asking; the third in a row: renewing, as somebody else
//            |                                             | hands on a copy
//   renewing | the ledger has a new identity               | asking
//   any      | an error                                    | waiting, longer each time; then asking
//
// Pure: whoever uses it does the steps, one at a time, and says what became of each.
//
//   switch (const auto step = sender.next(now); step.what) {
//     case Do::ask: line = history.line_of(*outbox.identity(), node); sender.asked(line, goes_on, now); break;
//     case Do::read: sender.read(outbox.read(step.after), now); break;
//     ...
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ballot/error.hpp"
#include "ballot/history.hpp"
#include "storage/outbox.hpp"

namespace ballot::storage {

class HistorySender {
 public:
  struct Times {
    Millis gather{100};  // what is recorded within so long goes together
    Millis retry_first = std::chrono::seconds(1), retry_most = std::chrono::seconds(10);  // doubling in between
    Millis heard_every =
        std::chrono::seconds(5);  // a batch without changes, so that a ledger that is quiet is no dead one
    Millis patience = std::chrono::seconds(10);  // with what fails, before it is trouble
  };
  enum class Do { ask, read, put, renew, rest };
  struct Step {
    Do what = Do::ask;
    std::int64_t after = 0;  // to be read from
    SteadyTime until{};      // to be rested: or until something is recorded, where it is not `firm`
    bool firm = false;
  };
  struct Trouble {
    Error why;
    SteadyTime since{};
  };

  explicit HistorySender(std::string node) : HistorySender(std::move(node), Times()) {}
  HistorySender(std::string node, Times times) : node_(std::move(node)), times_(times) {}

  Step next(SteadyTime now);
  /// What became of the step. `goes_on`: as Outbox::goes_on_from(); of a line.
  ///@{
  void asked(const Result<LedgerLine>& line, bool goes_on, SteadyTime now);
  void read(const Result<OutboxPart>& part, SteadyTime now);
  void put(const Result<PutResult>& result, SteadyTime now);
  void renewed(const Result<void>& result, SteadyTime now);
  void failed(const Error& why, SteadyTime now);
  ///@}
  /// The ledger has recorded something, or an attempt has printed.
  void recorded(SteadyTime now);

  /// There is something to be put that is no change of the ledger.
  void nudge(SteadyTime now) {
    if (state_ == State::resting) until_ = now;
  }
  /// What fails is tried again at once, for the last time.
  void hurry() {
    if (state_ == State::waiting) state_ = State::asking;
  }

  bool is_waiting() const { return state_ == State::waiting; }
  /// All changes up to this one are in the history, as far as it has said so last.
  std::int64_t sent() const { return line_.change; }
  /// Since when something is recorded that is not sent; none: all is.
  std::optional<SteadyTime> unsent_since() const { return unsent_since_; }
  /// What fails, for longer than the patience.
  const Trouble* trouble(SteadyTime now) const;
  /// Changes that the history has left out, as it keeps nothing that old.
  std::int64_t too_old() const { return too_old_; }
  /// How often the ledger was given a new identity.
  int renewals() const { return renewals_; }

 private:
  enum class State { asking, reading, putting, renewing, resting, waiting };

  void progress(SteadyTime now);
  void rest();
  void renew(Error why, SteadyTime now);

  const std::string node_;
  const Times times_;
  State state_ = State::asking;
  LedgerLine line_;
  RunId opening_;            // of the ledger's file, when it was read last
  std::int64_t newest_ = 0;  // by that opening, of the batch that was put last, or may be
  std::int64_t put_to_ = 0;  // the number that the batch which is put ends with
  bool puts_all_ = false;    // and that is all there was when it was read
  SteadyTime until_{};       // of resting and waiting
  SteadyTime heard_{};       // when the history was last told something
  Millis delay_{0};
  int conflicts_ = 0;  // in a row
  int renewals_ = 0;
  bool renewed_last_ = false;  // since something was put
  std::optional<Trouble> failing_;
  std::optional<SteadyTime> unsent_since_;
  std::optional<SteadyTime> recorded_since_read_;  // the first since the last batch was read
  std::int64_t too_old_ = 0;
};

}  // namespace ballot::storage

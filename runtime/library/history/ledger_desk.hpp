// LedgerDesk: answers questions of the ledger for all who ask a daemon, on threads of its own: whatever is asked, and
// however long it takes, the loop only takes the question and hands the answer over.
//
//   question | event                                       | next
//   waiting  | its user has a thread free                  | read
//   read     | answered                                    | done
//   read     | it takes longer than `longest`              | done: timeout
//   waiting, | whoever asks has gone, or the desk is closed | done: dropped
//   read     |                                             |
//
// A question with {"scope": "fleet"} is answered for the fleet, where the daemon can ask it: the answer has the same
// scope then, and `missing`, a list of the nodes that did not answer. With {"node": NAME} it is that node's answer
// alone. All others are answered from this node's ledger. Where the fleet's ledgers are handed on to a history, the
// answer is from there, and has `as_of`, up to when the rows are there of all nodes that are not missing; or
// `history_failure`, why it is not.
//
// Root and the daemon's user have threads of their own, and no other user has all of the others'; all who have not
// shown who they are count as one. Threads begin with the first question, and run and give way to the daemon's others.
//
// Thread: the loop's.
//
//   LedgerDesk desk(loop, place);
//   desk.answer(question, reply);
#pragma once

#include <functional>
#include <memory>

#include "io/main_loop.hpp"
#include "io/question.hpp"
#include "library/history/file_ledger.hpp"
#include "library/history/fleet_source.hpp"
#include "library/history/history_readers.hpp"

namespace ballot::library {

struct DeskLimits {
  Millis longest = std::chrono::seconds(30);
  Millis longest_audit = std::chrono::minutes(10);
};

class LedgerDesk {
 public:
  LedgerDesk(io::MainLoop& loop, LedgerPlace place, DeskLimits limits = {});
  ~LedgerDesk();
  LedgerDesk(const LedgerDesk&) = delete;
  LedgerDesk& operator=(const LedgerDesk&) = delete;

  /// From now on questions in fleet scope are answered for the fleet. `fleet` outlives the desk, or its close().
  void answer_for(FleetSource& fleet);
  /// From now on they are answered by what the fleet's history has, where it answers, and else by the nodes. `history`
  /// outlives the desk, or its close().
  void answer_from(HistoryReaders& history);

  /// `read`: what is asked of the ledger, on one of the threads; none: what the question's words say.
  using Read = std::function<Result<io::Message>(LedgerView&)>;
  void answer(io::Question question, io::Reply reply, Read read = {});
  /// Ends what is read, and its threads. Whoever asks afterwards is told that the daemon stops.
  void close();

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace ballot::library

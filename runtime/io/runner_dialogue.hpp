// RunnerDialogue: what a runner can say next over one connection that commands. A message that does not follow from
// what was said before is not the runner's word: this side has misread it, or something else speaks.
//
//   connection  | the runner says                         | next
//   greeting    | Hello                                   | inventory
//   inventory   | Running, Ended of any attempt; Ready    | inventory; commanded after Ready
//   any but the first | Pong; what its attempts allow     | the same
//
//   attempt     | event                                   | next
//   unknown     | Start is sent                           | asked
//   asked       | Started; Refused, CannotStart           | running; unknown
//   running     | Started, Printed; Ended                 | running; ended
//   ended       | Ack is sent; Start is sent once more    | unknown; running, for the runner says both again
//
// Thread: any, one at a time. Knows nothing of sockets.
//
//   RunnerDialogue dialogue;
//   dialogue.sent(start);
//   if (!dialogue.hear(message)) ...  // to be dropped, with its connection
#pragma once

#include <map>

#include "ballot/error.hpp"
#include "base/runner_wire.hpp"

namespace ballot::io {

class RunnerDialogue {
 public:
  /// Each message of this side, in its order.
  void sent(const runner::ToRunner& message);

  /// The runner's next message. corrupt: it cannot come now; the error names the message and its run.
  Result<void> hear(const runner::FromRunner& message);

 private:
  enum class Phase { greeting, inventory, commanded };
  enum class Attempt { asked, running, ended };

  bool takes(const runner::Hello& hello);
  bool takes(const runner::Running& running);
  bool takes(const runner::Ready& ready);
  bool takes(const runner::Started& started);
  bool takes(const runner::Refused& refused) { return was_only_asked(refused.id); }
  bool takes(const runner::CannotStart& cannot) { return was_only_asked(cannot.id); }
  bool takes(const runner::Printed& printed) const;
  bool takes(const runner::Ended& ended);
  bool takes(const runner::Pong&) const { return true; }
  bool takes(const runner::Shown&) const { return false; }
  bool was_only_asked(const runner::AttemptId& id);

  Phase phase_ = Phase::greeting;
  std::map<runner::AttemptId, Attempt> attempts_;  // those that are not acknowledged
};

}  // namespace ballot::io

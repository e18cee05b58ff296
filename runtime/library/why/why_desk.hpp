// WhyDesk: the daemon's answer to why a slot or a run came to what it did, {"do": "ledger", "ask": "why"}: of a `run`,
// or of the last slot of `job` up to `slot` (ms since 1970), up to now unless said. In public form the row of its last
// attempt, `why` it is so, in sentences, which attempt is to come, and `rows`, all of them; of a slot of which no
// ledger has a row `status` is a word of why_nothing.hpp. Else as why_answer.hpp has it, for commands: one whose files
// have a job that the daemon's have not says so by `defined_here` and its last slot `scheduled`.
//
// A ledger is asked with what is at hand; only where that is not all, the store and the nodes are asked too.
//
// Thread: the loop's. Requires: what it is made with lives longer.
//
//   why.answer(question, reply);
#pragma once

#include <memory>
#include <string>

#include "io/question.hpp"
#include "library/fleet_questions.hpp"
#include "library/history/ledger_desk.hpp"
#include "library/job_folder.hpp"
#include "library/state_views.hpp"
#include "library/why/why_answer.hpp"

namespace ballot::library {

class WhyDesk {
 public:
  struct Parts {
    Node& node;
    const StateViews& views;
    const JobFolder& jobs;
    FleetQuestions& fleet;
    LedgerDesk& desk;
  };
  /// `name`: the node's. `keep`: for how long rows are kept.
  WhyDesk(Parts parts, std::string name, Millis keep) : parts_(parts), name_(std::move(name)), keep_(keep) {}

  void answer(const io::Question& question, const io::Reply& reply) const;

 private:
  struct Asking;
  using AskingPtr = std::shared_ptr<Asking>;

  void note_chain(Asking& asking) const;
  void note_job(const core::JobView& view, Asking& asking) const;
  void ask(const AskingPtr& asking) const;
  void ask_store(const AskingPtr& asking) const;
  void ask_nodes(const AskingPtr& asking) const;
  void ask_leaders(const AskingPtr& asking) const;

  const Parts parts_;
  const std::string name_;
  const Millis keep_;
};

}  // namespace ballot::library

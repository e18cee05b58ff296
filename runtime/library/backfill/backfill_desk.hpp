// BackfillDesk: the daemon's answer to {"do": "backfill", "job": JOB}: past slots are run again, or (`stop`) no more of
// them. Which slots: those of `since` up to `until` (RFC 3339; up to now unless said) that `which` says, as
// slot_choice.hpp has it, so many at once as `parallel` says. With `dry_run` it says which these are and why, as
// `slots`, and asks for nothing.
//
//   asked -> the job's register is read: where its `@every` count from, which runs are open, what is settled
//         -> the fleet's ledgers say what became of each slot
//         -> whoever leads is asked to run those that are chosen
//
// Thread: the loop's. Requires: what it is made with lives longer.
//
//   backfill.answer(question, reply);
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/request/request.hpp"
#include "io/question.hpp"
#include "library/history/ledger_desk.hpp"
#include "library/job_folder.hpp"
#include "library/node.hpp"

namespace ballot::library {

class BackfillDesk {
 public:
  /// Has a request made, and answers whoever asks with what came of it.
  using Request = std::function<void(const core::Request&, const io::Question&, const io::Reply&)>;
  struct Parts {
    Node& node;
    const JobFolder& jobs;
    LedgerDesk& desk;
  };
  /// `name`: the node's.
  BackfillDesk(Parts parts, std::string name, Request request)
      : parts_(parts), name_(std::move(name)), request_(std::move(request)) {}

  void answer(const io::Question& question, const io::Reply& reply) const;

 private:
  struct Asking;
  using AskingPtr = std::shared_ptr<Asking>;

  void read_register(const AskingPtr& asking) const;
  void choose(const AskingPtr& asking) const;
  void go_on(const AskingPtr& asking, const io::Message& choice) const;

  const Parts parts_;
  const std::string name_;
  const Request request_;
};

}  // namespace ballot::library

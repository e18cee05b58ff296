// OutputFollower: prints what one attempt of a run prints, while it goes on and once it has ended. Each step prints
// what is new.
//
//   step      | meaning                                        | what comes next
//   goes_on   | it is executed here, or is about to be         | more, later
//   elsewhere | another node executes it, or did: it has all   | its end, if anything, by that node's ledger
//   lost      | the node that executed it has no more of it    | nothing
//   unknown   | this node's ledger has no such attempt         | perhaps a later one
//   ended     | all is printed                                 | nothing
//
// Threads: the main one.
//
//   OutputFollower follower(ledger, std::cout);
//   follower.begin({run, 1});
//   while (*follower.step() == OutputStep::goes_on) wait();
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "app/output/output_printer.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::app {

enum class OutputStep { goes_on, elsewhere, lost, unknown, ended };

class OutputFollower {
 public:
  OutputFollower(library::LedgerView& ledger, std::ostream& out) : ledger_(ledger), out_(out) {}

  void begin(const runner::AttemptId& attempt);
  const runner::AttemptId& attempt() const { return attempt_; }

  /// Errors: the ledger's.
  Result<OutputStep> step();
  /// The node that executes the attempt, or did; "": not known yet.
  const std::string& node() const { return node_; }
  /// What was printed is from then, and the node that executes the attempt does not answer; none: it is as it is now.
  const std::optional<WallTime>& as_of() const { return as_of_; }

 private:
  library::LedgerView& ledger_;
  std::ostream& out_;
  runner::AttemptId attempt_;
  std::optional<OutputPrinter> printer_;
  bool ended_ = false;
  std::optional<WallTime> as_of_;
  std::string node_;
};

/// Waits for the next step. False: nobody reads stdout any more.
bool wait_while_read();

}  // namespace ballot::app

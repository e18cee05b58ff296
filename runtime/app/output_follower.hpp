// OutputFollower: prints what one attempt of a run prints: from this node's runner while it goes on, from the ledger
// once it has ended. Each step prints what is new.
//
//   step      | meaning                                        | what comes next
//   goes_on   | it is executed here, or is about to be         | more, later
//   elsewhere | another node executes it                       | its end, if anything, by that node's ledger
//   unknown   | this node's ledger has no such attempt         | perhaps a later one
//   ended     | all is printed                                 | nothing
//
// Threads: the main one.
//
//   OutputFollower follower(config, ledger, std::cout);
//   follower.begin({run, 1});
//   while (*follower.step() == OutputStep::goes_on) wait();
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "app/live_output.hpp"
#include "app/output_printer.hpp"
#include "config/config.hpp"
#include "storage/reader.hpp"

namespace ballot::app {

enum class OutputStep { goes_on, elsewhere, unknown, ended };

class OutputFollower {
 public:
  OutputFollower(const config::Config& config, storage::Reader& ledger, std::ostream& out);

  void begin(const runner::AttemptId& attempt);
  const runner::AttemptId& attempt() const { return attempt_; }

  /// Errors: the ledger's; those of LiveOutput, where the attempt goes on here.
  Result<OutputStep> step();
  /// Which node executes it, where that is another one.
  const std::string& node() const { return node_; }

 private:
  Result<bool> print_live();
  Result<OutputStep> print_kept();

  const config::Config& config_;
  storage::Reader& ledger_;
  std::ostream& out_;
  runner::AttemptId attempt_;
  std::optional<OutputPrinter> printer_;
  std::optional<LiveOutput> live_;
  bool ended_ = false;
  std::string node_;
};

/// Of the last attempt that the ledger knows of a run, or of the attempt that is asked for. not_found: there is none.
Result<Row> attempt_row(storage::Reader& ledger, const RunId& run, const std::optional<std::int64_t>& attempt);

/// Waits for the next step. False: nobody reads stdout any more.
bool wait_while_read();

}  // namespace ballot::app

// ElectedCommand: `ballot run once` and `ballot run cron`: one command, run by whoever leads. The guard has the child
// and ends it by the deadline of the lease; this decides when it runs and what follows its end.
//
//   waiting   leads, beyond doubt, the term before over, and (cron) a tick claimed   -> starting
//   starting  the child is there; it cannot be started                              -> running; over
//   running   the child has ended                                                   -> printing
//   printing  what it printed is logged                                             -> over
//   over      by policy: again, hand over, or the end                               -> waiting
//
// Thread: the main one.
//
//   return ElectedCommand(config, options, plan, session, *guard, log).run();
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/candidates/candidate_program.hpp"
#include "app/options/run_options.hpp"
#include "base/random.hpp"
#include "core/candidate/ticks.hpp"
#include "io/child_guard.hpp"
#include "io/line_pipe.hpp"
#include "schedule/plan.hpp"

namespace ballot::app {

class ElectedCommand final : public CandidateProgram {
 public:
  /// `plan`: cron's; none: once.
  ElectedCommand(const config::Config& config, const RunOptions& options, std::optional<schedule::Plan> plan,
                 CandidateSession& session, io::ChildGuard& guard, Log log);
  ~ElectedCommand() override { guard_.detach(); }

 private:
  struct PrintedLine {
    Level level;
    std::string text;
    bool continues;
  };
  enum class Child { waiting, starting, running, printing, over };

  void begin() override;
  void on_status(const core::CandidateStatus& before) override;
  void on_answer(const BackendEvent& event) override;
  void on_signal(int signal) override;
  void add_fields(LogFields& fields) const override;

  void update_guard(const core::CandidateStatus& before);
  void on_failure();
  void advance();
  void advance_once(Now now);
  void advance_cron(Now now);
  void settle_due(Now now, const core::Ticks::Look& look);
  void run_unelected(Now now);
  void pass_over(const core::Ticks::Look& look);
  void say_passed(WallTime slot, WallTime said);
  void claim(Now now, WallTime slot);
  void on_claimed(Now now, WallTime slot);
  void arm(Now now);

  void start(std::optional<WallTime> slot, SteadyTime not_after);
  void on_started(pid_t pid);
  void say_printed();
  void on_ended(io::ChildEnd end);
  void printed();
  void over();
  void follow(ChildPolicy policy, int code, Now now);
  void hand_over();

  const RunOptions& options_;
  io::ChildGuard& guard_;
  std::optional<core::Ticks> ticks_;
  const std::optional<schedule::Plan> plan_;
  Random random_;
  io::BootTimer boot_timer_, patience_timer_;
  io::WallTimer wall_timer_;

  Child child_ = Child::waiting;
  std::string run_;               // of the child, or of the claim for it
  std::optional<WallTime> slot_;  // its tick
  bool elected_ = false;          // it runs under a term
  io::ChildEnd end_;
  std::unique_ptr<io::LinePipe> out_, err_;
  std::vector<PrintedLine> early_;          // before it was known to have started
  SteadyTime not_before_{};                 // the next run
  std::optional<WallTime> unelected_from_;  // cron, run-anyway: ticks after it are not settled
  WallTime said_up_to_ = WallTime::min();   // ticks up to it that were passed over stand in the log
  bool said_more_ = false;                  // and so do those that are older than any that is made up for
  bool failing_ = false;                    // no election is to be had
  int stop_signal_ = 0;                     // that ends all this
};

}  // namespace ballot::app

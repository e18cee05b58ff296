// Notifier: does what the core's Notify and the terms of groups ask for: hooks, mail, pings, state files. Nothing of it
// is in the way of a run, or of the loop: all are children of the runner, so many at once, or written by a thread.
//
//   what                                | of a job or group
//   on_failure, on_recovery, on_missed, | one at a time, in order: no recovery overtakes its failure
//   on_late, on_slow, on_overdue        |
//   mail                                | 4 at a time
//   ping                                | one at a time, in order: no end of a run overtakes its start
//   on_promote, on_demote               | one at a time, see GroupHooks
//
// Thread: the loop's.
//
//   Notifier notifier(loop, settings, send, log);
//   notifier.define(groups);
//   notifier.notify(notify); ... if (notifier.takes(message)) return;
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "io/notify/children.hpp"
#include "io/notify/group_hooks.hpp"
#include "io/notify/hook_limits.hpp"
#include "io/notify/state_files.hpp"
#include "io/wall_timer.hpp"

namespace ballot::io {

struct NotifierSettings {
  std::string node;
  Identity daemon;          // for jobs that name no user, and for groups
  std::string credentials;  // the folder of secrets with relative paths
  std::string sendmail;     // programs
  std::string ping;
  bool silent = false;  // --dry-run
};

class Notifier {
 public:
  Notifier(boost::asio::io_context& loop, NotifierSettings settings, ToRunner send, Log log);

  void define(const std::vector<Group>& groups);
  void notify(const core::Notify& notice);
  /// Keeps a run's output until it is mailed or forgotten.
  void keep(const runner::AttemptId& id, const Output& output);
  void forget(const runner::AttemptId& id) { outputs_.erase(id); }
  /// Takes the store's additions to the environment of the group's hooks, before the term begins.
  void on_elected(const std::string& group, const std::vector<std::string>& environment) {
    group_hooks_.add(group, environment);
  }
  /// A term of this node has begun, or is over.
  void on_term(const TermRow& term, SteadyTime deadline);
  void on_deadline(SteadyTime deadline) { state_files_.keep(deadline); }

  void on_runner(RunnerLink link);
  /// True: the runner spoke of one of these, and not of a run.
  bool takes(const runner::FromRunner& message);

  /// The daemon stops; `left`: its terms go on without it. Calls `done` when nobody is to be notified any more, or goes
  /// on in the runner after ten seconds.
  void finish(bool left, std::function<void()> done);
  /// finish() does not wait, or not any longer.
  void hurry();

 private:
  void run_hook(const core::Notify& notice, const char* key, const std::vector<std::string>& command);
  void send_mail(const core::Notify& notice);
  void ping(const core::Notify& notice);
  Child child_of(const core::Notify& notice, const char* what) const;
  void check_finished();

  const NotifierSettings settings_;
  const ToRunner send_;
  const Log log_;
  Children hooks_, mails_, pings_, group_children_;
  GroupHooks group_hooks_;
  StateFiles state_files_;
  std::map<runner::AttemptId, Output> outputs_;
  std::map<std::string, std::uint64_t> led_;  // epochs of the terms of this node
  BootTimer finish_timer_;
  Millis patience_ = stop_patience;  // of finish()
  SteadyTime finish_by_{};
  std::function<void()> finished_;
};

}  // namespace ballot::io

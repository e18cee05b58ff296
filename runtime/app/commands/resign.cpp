// ballot resign --session FILE: leaves on behalf of a program that is dead. Its supervisor calls it, or its runner (of
// `run`: the child's guard). What the runner knows of ended runs is published first, so that whoever leads next closes
// them as they ended; then each group is resigned in which no `terminate` or `at-least-once` run goes on, and the
// session is left as it is, or ended where no group is left in it. Waits for no run, and kills nothing.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "app/commands/commands.hpp"
#include "app/ledger_access.hpp"
#include "app/observer.hpp"
#include "app/options.hpp"
#include "app/runner_view.hpp"
#include "app/session_file.hpp"
#include "app/session_lock.hpp"
#include "core/store/left_runs.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

using Known = RunnerView::Known;

constexpr Millis answer_within{2000};  // the store and the runner; a daemon that is back waits a little longer
constexpr std::size_t records_at_once = 500;

struct ResignOptions {
  ConfigOptions config;
  std::string session;
};

Exit nothing_to_do(const std::string& why) {
  std::cerr << "ballot resign: " << why << "; nothing is done\n";
  return Exit::done;
}

Result<void> publish(Observer& store, std::vector<Record> ends) {
  for (std::size_t from = 0; from < ends.size(); from += records_at_once) {
    const auto begin = ends.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = ends.begin() + static_cast<std::ptrdiff_t>(std::min(from + records_at_once, ends.size()));
    if (auto created = store.create_all({begin, end}); !created) return created;
  }
  return {};
}

/// Leaves the groups that are not in `kept`; true: none is left.
Result<bool> leave_groups(Observer& store, const std::set<std::string>& kept) {
  const auto elections = store.observe("");
  if (!elections) return elections.error();
  bool all = true;
  for (const Election& election : *elections)
    for (const Candidate& candidate : election.candidates) {
      if (candidate.id != store.session()) continue;
      if (kept.contains(election.group))
        all = false;
      else
        store.resign(election.group);
    }
  return all;
}

/// Somebody else's session, as ours is over: a daemon that was refused for its name has a runner too, which knows
/// nothing of the other's runs.
Result<bool> has_name_of(Observer& store, const std::string& node) {
  const auto elections = store.observe("");
  if (!elections) return elections.error();
  return std::any_of(elections->begin(), elections->end(), [&](const Election& election) {
    return std::any_of(election.candidates.begin(), election.candidates.end(),
                       [&](const Candidate& candidate) { return candidate.node == node; });
  });
}

/// The session of the dead program; one that only observes where that is over.
Result<std::unique_ptr<Observer>> open_store(const SessionFile& session, bool& has_session) {
  const config::Config config = config_of(session);
  has_session = !session.handle.empty();
  if (has_session) {
    auto store = Observer::open(config, session.handle, answer_within);
    if (store || store.error().code != Errc::not_found) return store;
    has_session = false;
  }
  return Observer::open(config, "", answer_within);
}

/// The file goes once nothing is left that it could be wanted for: no session, and no run that goes on.
void put_away(const std::string& path, SessionFile session, const RunnerView& runner) {
  const bool all_ended = runner.known == Known::nobody || (runner.known == Known::all && runner.running.empty());
  session.handle.clear();
  session.left_until.reset();
  if (all_ended)
    ::unlink(path.c_str());
  else
    (void)write_session_file(path, session);
}

Result<void> resign(const std::string& path, const SessionFile& session, const RunnerView& runner,
                    std::unique_ptr<Observer>& store) {
  bool has_session = false;
  auto opened = open_store(session, has_session);
  if (!opened) return opened.error();
  store = *std::move(opened);
  core::LeftRuns found;
  if (!session.runner_socket.empty()) {
    const auto registers = store->list("j/");
    if (!registers) return registers.error();
    RunnerView view = runner;
    if (!has_session && view.known == Known::all) {
      const auto taken = has_name_of(*store, session.node);
      if (!taken) return taken.error();
      if (*taken) view.known = Known::own;
    }
    found = core::left_runs(session.node, *registers, view, io::read_clocks().wall);
  }
  if (auto published = publish(*store, std::move(found.ends)); !published) return published;
  bool over = true;
  if (has_session) {
    const auto left = leave_groups(*store, found.kept_groups);
    if (!left) return left.error();
    over = *left;
    if (!store->close(!over)) return Error{Errc::unavailable, "the store does not confirm the end of the session"};
  }
  if (over) put_away(path, session, runner);
  return {};
}

Exit run(const ResignOptions& options) {
  if (::access(options.session.c_str(), F_OK) != 0) return Exit::done;  // stopped cleanly
  SessionLock lock(lock_path(options.session));
  const auto taken = lock.take("resign");
  if (taken == SessionLock::Taken::no_file)
    return fail("resign", {Errc::io, "cannot open " + lock_path(options.session)});
  if (taken != SessionLock::Taken::yes)
    return nothing_to_do("the session is in use: its daemon lives, or somebody else resigns for it");
  const auto session = read_session_file(options.session);
  if (!session && session.error().code == Errc::not_found) return Exit::done;
  if (!session) return fail("resign", session.error());
  const SteadyTime now = io::read_clocks().steady;
  if (session->left_until && session->boot_id == io::boot_id() && now < *session->left_until)
    return nothing_to_do("the daemon was stopped with `leave`, and may come back until its deadline");
  const RunnerView runner = read_runner(session->runner_socket, now + answer_within);
  if (runner.commanded) return nothing_to_do("the runner has a daemon");
  std::unique_ptr<Observer> store;
  const auto resigned = resign(options.session, *session, runner, store);
  if (resigned && session->runner_socket.empty() && ::access(options.session.c_str(), F_OK) != 0) lock.remove();
  if (resigned) return Exit::done;
  const Exit exit = fail("resign", resigned.error());
  std::cerr.flush();
  ::_exit(static_cast<int>(exit));  // a destructor of `store` would end the session
}

}  // namespace

Run setup_resign(CLI::App& command) {
  auto options = std::make_shared<ResignOptions>();
  add_config_options(command, options->config);
  add_string(command, "--session FILE", options->session, "the file `session` in the daemon's run directory",
             Need::required);
  return [options] { return run(*options); };
}

}  // namespace ballot::app

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
#include "core/store/left_runs.hpp"
#include "io/clocks.hpp"
#include "library/session_file.hpp"
#include "library/session_lock.hpp"

namespace ballot::app {
namespace {

using library::SessionFile, library::SessionLock;
using Known = RunnerView::Known;

constexpr Millis open_within{2000};      // the store and the runner; a daemon that is back waits a little longer
constexpr Millis answer_within{10'000};  // a store that could be opened: a hundred thousand registers take seconds
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

Result<std::unique_ptr<Observer>> open_store(const SessionFile& session, const std::string& handle) {
  auto store = Observer::open(config_of(session), handle, open_within);
  if (store) (*store)->wait_for_answers(answer_within);
  return store;
}

/// What the store shows of the dead program.
struct InStore {
  std::vector<Register> registers;  // of all jobs: what its runner knows of is in these
  std::set<std::string> groups;     // that it takes part in, also without jobs; read where its session has to go on
};

std::set<std::string> groups_in(const std::vector<Election>& elections, const std::string& node) {
  std::set<std::string> groups;
  for (const Election& election : elections)
    for (const Candidate& candidate : election.candidates)
      if (candidate.node == node) groups.insert(election.group);
  return groups;
}

/// Somebody else's session, as ours is over: a daemon that was refused for its name has a runner too, which knows
/// nothing of the other's runs.
Result<bool> has_name_of(Observer& store, const std::string& node) {
  const auto elections = store.observe("");
  if (!elections) return elections.error();
  return !groups_in(*elections, node).empty();
}

/// By an observer: whoever opens the dead program's session gives it another T, and so that is opened last, for what
/// takes no time.
Result<InStore> read_store(const SessionFile& session, const RunnerView& runner) {
  auto store = open_store(session, "");
  if (!store) return store.error();
  auto registers = (*store)->list("j/");
  if (!registers) return registers.error();
  InStore found{*std::move(registers), {}};
  if (core::left_runs(session.node, found.registers, runner, io::read_clocks().wall).kept_groups.empty()) return found;
  const auto elections = (*store)->observe("");
  if (!elections) return elections.error();
  found.groups = groups_in(*elections, session.node);
  return found;
}

/// The session of the dead program; one that only observes where that is over.
Result<std::unique_ptr<Observer>> open_session(const SessionFile& session, bool& has_session) {
  has_session = !session.handle.empty();
  if (has_session) {
    auto store = open_store(session, session.handle);
    if (store || store.error().code != Errc::not_found) return store;
    has_session = false;
  }
  return open_store(session, "");
}

/// Those that the dead program may lead: its own; or those of all jobs, and those that it takes part in without any.
std::set<std::string> groups_of(const SessionFile& session, const core::LeftRuns& left, std::set<std::string> groups) {
  if (!session.group.empty()) return {session.group};
  groups.insert(left.groups.begin(), left.groups.end());
  return groups;
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
  const bool has_runner = !session.runner_socket.empty();
  Result<InStore> in_store = InStore{};
  if (has_runner && !session.handle.empty()) in_store = read_store(session, runner);
  if (!in_store) return in_store.error();
  bool has_session = false;
  auto opened = open_session(session, has_session);
  if (!opened) return opened.error();
  store = *std::move(opened);
  RunnerView view = runner;
  if (has_runner && !has_session) {  // others may lead by now
    auto registers = store->list("j/");
    if (!registers) return registers.error();
    in_store->registers = *std::move(registers);
    if (view.known == Known::all) {
      const auto taken = has_name_of(*store, session.node);
      if (!taken) return taken.error();
      if (*taken) view.known = Known::own;
    }
  }
  core::LeftRuns found;
  if (has_runner) found = core::left_runs(session.node, in_store->registers, view, io::read_clocks().wall);
  if (auto published = publish(*store, std::move(found.ends)); !published) return published;
  const bool over = !has_session || found.kept_groups.empty();
  if (has_session) {
    for (const std::string& group : groups_of(session, found, in_store->groups))
      if (!found.kept_groups.contains(group)) store->resign(group);
    if (!store->close(!over)) return Error{Errc::unavailable, "the store does not confirm the end of the session"};
  }
  if (over) put_away(path, session, runner);
  return {};
}

Exit run(const ResignOptions& options) {
  if (::access(options.session.c_str(), F_OK) != 0) return Exit::done;  // stopped cleanly
  SessionLock lock(library::lock_path(options.session));
  const auto taken = lock.take("resign");
  if (taken == SessionLock::Taken::no_file)
    return fail("resign", {Errc::io, "cannot open " + library::lock_path(options.session)});
  if (taken != SessionLock::Taken::yes)
    return nothing_to_do("the session is in use: its daemon lives, or somebody else resigns for it");
  const auto session = library::read_session_file(options.session);
  if (!session && session.error().code == Errc::not_found) return Exit::done;
  if (!session) return fail("resign", session.error());
  const SteadyTime now = io::read_clocks().steady;
  if (session->left_until && session->boot_id == io::boot_id() && now < *session->left_until)
    return nothing_to_do("the daemon was stopped with `leave`, and may come back until its deadline");
  const RunnerView runner = read_runner(session->runner_socket, now + open_within);
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

// ballot resign --session FILE: leaves on behalf of a program that is dead. Its supervisor calls it, or its runner (of
// `run`: the child's guard). What the runner knows of ended runs is published first, so that whoever leads next closes
// them as they ended; then each group is resigned in which no `terminate` or `at-least-once` run goes on, and the
// session is left as it is, or ended where no group is left in it; then the claims that never reached the runner are
// published as lost. Waits for no run, and kills nothing.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "app/client/ledger_access.hpp"
#include "app/client/observer.hpp"
#include "app/client/runner_view.hpp"
#include "app/commands/commands.hpp"
#include "app/options/options.hpp"
#include "core/record/register.hpp"
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
constexpr Millis all_within{30'000};     // of all jobs, while others lead: nobody waits for it
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

/// What is left in the store by the dead program, whose session is open.
struct InStore {
  core::LeftRuns runs;
  core::LatestTerms terms;
  std::set<std::string> groups;  // that it leads; where its session has to go on, all that it takes part in
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

/// Of the jobs of what the runner has; of all where it knows nothing, or does not say so.
Result<std::vector<Register>> registers_of(Observer& store, const RunnerView& runner) {
  const auto jobs = runner.known == Known::nothing ? std::nullopt : runner.all_jobs();
  if (!jobs) return store.list("j/");
  std::vector<std::string> names;
  for (const std::string& job : *jobs) names.push_back(core::job_register(job));
  return names.empty() ? Result<std::vector<Register>>(std::vector<Register>{}) : store.read(names);
}

/// By an observer: whoever opens the dead program's session gives it another T, and so that is opened last, for what
/// takes no time. Nothing is read of jobs of which nothing runs: others wait.
Result<InStore> read_store(const SessionFile& session, const RunnerView& runner) {
  auto store = open_store(session, "");
  if (!store) return store.error();
  const auto groups = (*store)->list("g/");
  if (!groups) return groups.error();
  InStore found;
  for (const Register& stored : *groups) {
    const auto group = core::parse_group_register(stored.value);
    if (!group) continue;
    const std::string name = stored.name.substr(2);
    found.terms[name] = group->epoch;
    if (group->node == session.node && !group->ended_at) found.groups.insert(name);
  }
  const auto registers = registers_of(**store, runner);
  if (!registers) return registers.error();
  found.runs = core::left_runs(session.node, *registers, runner);
  if (found.runs.kept_groups.empty()) return found;
  const auto elections = (*store)->observe("");
  if (!elections) return elections.error();
  found.groups.merge(groups_in(*elections, session.node));
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

/// Publishes claims that never reached the runner as lost: reads the registers of all jobs.
Result<void> publish_never_started(Observer& store, const SessionFile& session, const RunnerView& runner,
                                   const core::LatestTerms* latest) {
  if (runner.known != Known::all) return {};
  const auto registers = store.list("j/");
  if (!registers) return registers.error();
  return publish(store, core::never_started(session.node, *registers, runner, latest, io::read_clocks().wall));
}

/// The dead program's session was over before: others may lead by now, and another daemon may have its name.
Result<void> publish_late(Observer& store, const SessionFile& session, RunnerView runner) {
  const auto registers = store.list("j/");
  if (!registers) return registers.error();
  if (runner.known == Known::all) {
    const auto taken = has_name_of(store, session.node);
    if (!taken) return taken.error();
    if (*taken) runner.known = Known::own;
  }
  std::vector<Record> ends = core::left_runs(session.node, *registers, runner).ends;
  for (Record& end : core::never_started(session.node, *registers, runner, nullptr, io::read_clocks().wall))
    ends.push_back(std::move(end));
  return publish(store, std::move(ends));
}

/// `over`: nothing is left in it. Writes that are under way are carried out first.
Result<void> leave(Observer& store, const SessionFile& session, const InStore& found, bool over) {
  const std::set<std::string> one{session.group};
  for (const std::string& group : session.group.empty() ? found.groups : one)
    if (!found.runs.kept_groups.contains(group)) store.resign(group);
  if (!store.close(!over)) return Error{Errc::unavailable, "the store does not confirm the end of the session"};
  return {};
}

Result<void> resign(const std::string& path, const SessionFile& session, const RunnerView& runner,
                    std::unique_ptr<Observer>& store) {
  const bool has_runner = !session.runner_socket.empty();
  Result<InStore> found = InStore{};
  if (has_runner && !session.handle.empty()) found = read_store(session, runner);
  if (!found) return found.error();
  bool has_session = false;
  auto opened = open_session(session, has_session);
  if (!opened) return opened.error();
  store = *std::move(opened);
  const bool over = !has_session || found->runs.kept_groups.empty();
  Result<void> done;
  if (has_session) {
    done = publish(*store, std::move(found->runs.ends));
    if (done) done = leave(*store, session, *found, over);
    if (done && has_runner) {
      auto reader = open_store(session, "");
      if (!reader) return reader.error();
      if (over) (*reader)->wait_for_answers(all_within);  // else its daemon may come back to the session
      done = publish_never_started(**reader, session, runner, &found->terms);
    }
  } else if (has_runner) {
    done = publish_late(*store, session, runner);
  }
  if (done && over) put_away(path, session, runner);
  return done;
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

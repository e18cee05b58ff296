// ballot resign --session FILE: leaves on behalf of a dead daemon, whose supervisor calls it. Each group without an
// open `terminate` or `at-least-once` run at once, every other one when the runner reports those runs gone. Kills
// nothing.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "app/commands/commands.hpp"
#include "app/ledger_access.hpp"
#include "app/observer.hpp"
#include "app/options.hpp"
#include "app/session_file.hpp"
#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "core/register.hpp"
#include "io/clocks.hpp"
#include "io/runner_start.hpp"

namespace ballot::app {
namespace {

struct Options {
  ConfigOptions config;
  std::string session;
};

using Runs = std::set<RunId>;

/// The runs that the runner has, told by itself. One that nobody has any more has no runs: it ends with its last one,
/// and takes them along if it is killed.
class RunnerView {
 public:
  explicit RunnerView(const std::string& socket) {
    auto found = io::find_runner(socket);
    unknown_ = !found;
    if (found) connection_ = *std::move(found);
    const SteadyTime until = io::read_clocks().steady + std::chrono::seconds(5);
    while (connection_ && !ready_ && take(until)) continue;
    unknown_ = unknown_ || (connection_ && !ready_);
  }

  /// Also where it cannot be told.
  bool has(const RunId& run) const { return unknown_ || live_.contains(run); }
  /// Waits for news. False: the time is over.
  bool take(SteadyTime until) {
    const Millis left = until - io::read_clocks().steady;
    if (left <= Millis(0)) return false;
    pollfd waiting{connection_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return false;
    char chunk[16 * 1024];
    const ssize_t size = ::recv(connection_.get(), chunk, sizeof chunk, MSG_DONTWAIT);
    if (size == 0) connection_.reset(), live_.clear();
    if (size <= 0) return true;
    frames_.feed({chunk, static_cast<std::size_t>(size)});
    while (true) {
      const auto message = frames_.next_from_runner();
      if (!message || !*message) return true;
      if (const auto* running = std::get_if<runner::Running>(&**message)) live_.insert(running->id.run);
      if (const auto* ended = std::get_if<runner::Ended>(&**message)) live_.erase(ended->id.run);
      ready_ = ready_ || std::holds_alternative<runner::Ready>(**message);
    }
  }

 private:
  UniqueFd connection_;
  runner::FrameReader frames_;
  Runs live_;
  bool ready_ = false, unknown_ = false;
};

/// The groups that the session leads, and the runs that each waits for.
Result<std::map<std::string, Runs>> groups_led(Observer& store, const std::string& node) {
  const auto elections = store.observe("");
  if (!elections) return elections.error();
  const auto registers = store.list("j/");
  if (!registers) return registers.error();
  std::map<std::string, Runs> groups;
  for (const Election& election : *elections)
    for (const Candidate& candidate : election.candidates)
      if (candidate.id == store.session()) groups[election.group];
  for (const Register& stored : *registers) {
    const auto job = core::parse_job_register(stored.value);
    if (!job || !groups.contains(job->group)) continue;
    for (const core::OpenRun& run : job->runs) {
      const bool awaited = run.at_least_once || run.on_leadership_lost == OnLeadershipLost::terminate;
      if (run.node == node && awaited) groups[job->group].insert(run.id);
    }
  }
  return groups;
}

Exit resign(Observer& store, const SessionFile& session) {
  auto groups = groups_led(store, session.node);
  if (!groups) return fail("resign", groups.error());
  RunnerView runner(session.runner_socket);
  const SteadyTime until = io::read_clocks().steady + store.timeout();  // then the session is over by itself
  bool waits = true;
  while (waits) {
    for (auto group = groups->begin(); group != groups->end();) {
      std::erase_if(group->second, [&](const RunId& run) { return !runner.has(run); });
      if (group->second.empty()) store.resign(group->first);
      group = group->second.empty() ? groups->erase(group) : std::next(group);
    }
    waits = !groups->empty() && runner.take(until);
  }
  store.close(!groups->empty());
  return Exit::done;
}

Exit run(const Options& options) {
  const auto session = read_session_file(options.session);
  if (!session && session.error().code == Errc::not_found) return Exit::done;  // stopped cleanly, or with `leave`
  if (!session) return fail("resign", session.error());
  auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  config->coordination.backend = session->backend;
  config->coordination.name_space = session->name_space;
  auto store = Observer::open(*config, session->handle);
  if (!store) return fail("resign", store.error());
  const Exit exit = resign(**store, *session);
  if (exit == Exit::done) ::unlink(options.session.c_str());
  return exit;
}

}  // namespace

Run setup_resign(CLI::App& command) {
  auto options = std::make_shared<Options>();
  add_config_options(command, options->config);
  command.add_option("--session", options->session, "the file `session` in the daemon's run directory")->required();
  return [options] { return run(*options); };
}

}  // namespace ballot::app

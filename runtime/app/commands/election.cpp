// ballot election list [REGEX] | watch GROUP | evict GROUP: elections, with no daemon needed (but to ask a leader).
// ballot election run GROUP -- CMD | file PATH GROUP: a candidate of its own, see signalled_command.hpp and
// leader_file_program.hpp.
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <random>
#include <regex>

#include "app/candidates/election_notes.hpp"
#include "app/candidates/leader_file_program.hpp"
#include "app/candidates/signalled_command.hpp"
#include "app/client/ask.hpp"
#include "app/client/ledger_access.hpp"
#include "app/client/observer.hpp"
#include "app/commands/commands.hpp"
#include "app/log/log_sink.hpp"
#include "app/options/options.hpp"
#include "app/options/run_options.hpp"
#include "app/print/escape.hpp"
#include "base/random.hpp"
#include "base/wall_text.hpp"
#include "config/names.hpp"
#include "core/request/request.hpp"
#include "io/clocks.hpp"
#include "io/control_client.hpp"
#include "io/leader_file.hpp"
#include "library/fleet_nodes.hpp"

namespace ballot::app {
namespace {

constexpr std::size_t longest_pattern = 1024;  // what std::regex can take, and
constexpr std::size_t longest_group = 256;     // of a name; it recurses with each of its letters
constexpr Millis election_poll_interval =
    std::chrono::seconds(1);  // candidates that come and go are no change of a register

struct ElectionOptions {
  ConfigOptions config;
  Format format = Format::table;
  std::string pattern, group;
  bool store = false;  // list
  bool force = false;
  Patience patience;
  std::string path, candidate;        // file
  bool check = false;                 // file
  bool terminate = false;             // run
  int won = SIGUSR1, lost = SIGUSR2;  // run
  Millis kill_grace = std::chrono::seconds(10);
  FlagVariables file_variables, run_variables;
  std::vector<std::string> child;
};

/// A name that is too long is nobody's group, and a pattern may be too hard for the name.
bool matches(const std::string& group, const std::regex& wanted) {
  try {
    return group.size() <= longest_group && std::regex_search(group, wanted);
  } catch (const std::regex_error&) {
    return false;
  }
}

using Facts = std::vector<std::pair<std::string, std::string>>;

/// What people want to know of the store before they look at its elections.
Facts facts_of(const Observer& observer, const std::string& backend) {
  Facts facts{{"backend", backend}, {"capability", text_of(observer.capability())}};
  facts.insert(facts.end(), observer.store().facts.begin(), observer.store().facts.end());
  return facts;
}

void show_store(const Observer& observer, const std::string& backend) {
  for (const auto& [name, value] : facts_of(observer, backend))
    std::cout << escaped(name, Escape::plain) << ": " << escaped(value, Escape::plain) << '\n';
  std::cout << '\n';
}

Exit list_store(const Observer& observer, const std::string& backend, Format format) {
  RecordWriter out(std::cout, {{"kind", "KIND"}, {"name", "NAME"}, {"value", "VALUE"}}, stdout_layout(format));
  for (const auto& [name, value] : facts_of(observer, backend)) out.row({std::string("fact"), name, value});
  for (const std::string& warning : observer.store().warnings) out.row({std::string("warning"), Cell(), warning});
  out.finish();
  return Exit::done;
}

Exit list(const ElectionOptions& options) {
  const auto config = load_backend_config(options.config);
  if (!config) return Exit::configuration;
  if (options.pattern.size() > longest_pattern)
    return fail("election list", {Errc::invalid, "REGEX has more than " + std::to_string(longest_pattern) + " bytes"});
  std::regex wanted;
  try {
    wanted = std::regex(options.pattern);
  } catch (const std::regex_error& error) {
    return fail("election list", {Errc::invalid, std::string("REGEX is no regular expression: ") + error.what()});
  }
  const auto observer = Observer::open(*config);
  if (!observer) return fail_to_open("election list", observer.error());
  const auto elections = (*observer)->observe("");
  if (!elections) return fail("election list", elections.error());
  for (const std::string& warning : (*observer)->store().warnings)
    std::cerr << "warning: " << escaped(warning, Escape::plain) << '\n';
  if (options.store) return list_store(**observer, config->coordination.backend, options.format);
  if (options.format == Format::table) show_store(**observer, config->coordination.backend);
  RecordWriter out(std::cout,
                   {{"group", "GROUP"},
                    {"leader", "LEADER"},
                    {"epoch", "EPOCH"},
                    {"candidates", "CANDIDATES"},
                    {"host", "HOST"},
                    {"pid", "PID"}},
                   stdout_layout(options.format));
  const WallTime now = io::read_clocks().wall;
  for (const Election& election : *elections) {
    if (!matches(election.group, wanted)) continue;
    const Candidate* leader = leader_of(election);
    const bool is_doubtful = leader && library::is_silent(*leader, now) && options.format == Format::table;
    out.row({election.group, word(!leader ? "" : leader->node + (is_doubtful ? " (silent)" : "")),
             number(election.epoch), static_cast<std::int64_t>(election.candidates.size()),
             word(leader ? leader->host : ""), leader ? Cell(std::int64_t{leader->pid}) : Cell()});
  }
  out.finish();
  return Exit::done;
}

/// What a line of `watch` says; a change is a line that differs.
std::vector<Cell> line_of(const Election& election) {
  const Candidate* leader = leader_of(election);
  std::string others;
  for (const Candidate& candidate : election.candidates)
    if (!candidate.leads) others += (others.empty() ? "" : " ") + candidate.node;
  return {election.group, word(leader ? leader->node : ""), number(election.epoch), word(others)};
}

Exit watch(const ElectionOptions& options) {
  const auto config = load_backend_config(options.config);
  if (!config) return Exit::configuration;
  const auto observer = Observer::open(*config);
  if (!observer) return fail_to_open("election watch", observer.error());
  (*observer)->watch("g/" + options.group);
  RecordWriter out(
      std::cout,
      {{"time", "TIME"}, {"group", "GROUP"}, {"leader", "LEADER"}, {"epoch", "EPOCH"}, {"followers", "FOLLOWERS"}},
      stdout_layout(options.format, true));
  std::vector<Cell> shown;
  bool silent = false;
  do {
    const auto elections = (*observer)->observe(options.group);
    if (!elections && elections.error().code == Errc::denied) return fail("election watch", elections.error());
    if (!elections && !silent) fail("election watch", elections.error());
    silent = !elections;
    if (silent) continue;  // a server that is away for less than the session may last
    std::vector<Cell> line = line_of(elections->empty() ? Election{options.group, 0, {}} : elections->front());
    if (line == shown) continue;
    shown = line;
    line.insert(line.begin(), Cell(io::read_clocks().wall));
    out.row(std::move(line));
    out.flush();
    if (!std::cout.flush()) return Exit::done;
  } while ((*observer)->wait_for_change(election_poll_interval));
  return fail("election watch", {Errc::unavailable, "the backend is gone"});
}

bool confirmed(const std::string& group) {
  if (::isatty(STDIN_FILENO) == 0) return true;
  std::cerr << "Evict the leader of group " << group << "? [y/N] " << std::flush;
  std::string answer;
  return std::getline(std::cin, answer) && (answer == "y" || answer == "Y" || answer == "yes");
}

/// Asks the leader by a record in the store, as a daemon would: any candidate of the group answers it when it leads.
Result<void> ask_leader(Observer& store, const ElectionOptions& options) {
  const auto elections = store.observe(options.group);
  if (!elections) return elections.error();
  if (elections->empty() || leader_of(elections->front()) == nullptr)
    return Error{Errc::not_found, "nobody leads group " + options.group};
  const Now now = io::read_clocks();
  core::Request request;
  request.kind = core::Request::Kind::evict;
  request.id = Random(std::random_device{}()).run_id(now.wall);
  request.group = options.group;
  request.until = now.wall + options.patience.time;
  request.by = io::host_name() + " uid " + std::to_string(::geteuid());
  store.watch(std::string(core::request_prefix));
  if (auto asked = store.create({core::request_record(request.id), core::to_text(request)}); !asked) return asked;
  const std::string answer = core::answer_record(request.id);
  while (io::read_clocks().steady < now.steady + options.patience.time) {
    const auto found = store.read({answer});
    if (!found) return found.error();
    if (!found->empty()) {
      store.remove({answer});
      return {};
    }
    if (!store.wait_for_change(election_poll_interval)) return Error{Errc::unavailable, "the backend is gone"};
  }
  store.remove({core::request_record(request.id)});
  return Error{Errc::timeout, "not done in time: the group's leader has not answered"};
}

/// By the daemon of this node, or by a record of ours where there is none.
Exit evict_asking(const ElectionOptions& options, const config::Config& config) {
  io::Message request;
  request.set("do", "evict").set("group", options.group).set("timeout_ms", std::int64_t{options.patience.time.count()});
  const auto answer = io::ask_once(config.control_socket, request, options.patience.time + std::chrono::seconds(5));
  if (answer) return Exit::done;
  if (answer.error().code != Errc::unavailable) return fail("election evict", answer.error());
  const auto observer = Observer::open(config);
  if (!observer) return fail_to_open("election evict", observer.error());
  const auto asked = ask_leader(**observer, options);
  return asked ? Exit::done : fail("election evict", asked.error());
}

Exit evict(const ElectionOptions& options) {
  if (!options.force && !confirmed(options.group)) return fail("election evict", {Errc::conflict, "not confirmed"});
  const auto config = load_backend_config(options.config);
  if (!config) return Exit::configuration;
  if (!options.force) return evict_asking(options, *config);
  const auto observer = Observer::open(*config);
  if (!observer) return fail_to_open("election evict", observer.error());
  const auto evicted = (*observer)->evict(options.group);
  return evicted ? Exit::done : fail("election evict", evicted.error());
}

Exit check_file(const ElectionOptions& options) {
  const auto valid = io::check_leader_file(options.path, options.group, io::read_clocks().steady, io::boot_id());
  if (valid) return Exit::done;
  fail("election file", valid.error());
  return Exit::failed;
}

Exit keep_file(const ElectionOptions& options) {
  if (options.check) return check_file(options);
  if (!read_variables(options.file_variables)) return Exit::usage;
  const auto config = load_backend_config(options.config);
  if (!config) return Exit::configuration;
  return LeaderFileProgram(*config, {"election file", options.candidate, options.group, Millis(0)}, options.path,
                           make_log(config->log, config->node))
      .run();
}

Exit run_child(const ElectionOptions& options) {
  if (options.child.empty()) return fail("election run", {Errc::invalid, "no command: it follows `--`"});
  if (!read_variables(options.run_variables)) return Exit::usage;
  const auto config = load_backend_config(options.config);
  if (!config) return Exit::configuration;
  const io::OnLost on_lost = options.terminate ? io::OnLost::interrupt : io::OnLost::signal;
  CandidateSession session(*config, options.group, options.candidate);
  io::ChildGuardSettings settings{
      options.child, options.kill_grace, on_lost,
      options.won,   options.lost,       library::candidate_epoch_path(*config, options.group, options.candidate)};
  session.add_to(settings);
  const std::string epoch_file = settings.epoch_file;
  auto guard = io::ChildGuard::make(std::move(settings));
  if (!guard) return fail("election run", guard.error());
  const Millis stop_grace = options.terminate ? options.kill_grace + std::chrono::seconds(1) : Millis(0);
  return SignalledCommand(*config, {"election run", options.candidate, options.group, stop_grace, &session},
                          {on_lost, epoch_file}, **guard, make_log(config->log, config->node))
      .run();
}

/// USR1, SIGUSR1 or 10.
std::string take_signal(std::string text, int& to) {
  const std::string given = text;
  if (text.starts_with("SIG")) text.erase(0, 3);
  for (int signal = 1; signal < 32; ++signal) {
    const char* name = ::sigabbrev_np(signal);
    if (text != std::to_string(signal) && (name == nullptr || text != name)) continue;
    if (signal == SIGKILL || signal == SIGSTOP) break;
    to = signal;
    return {};
  }
  return config::in_quotes(given) + " is not a signal that a program can catch, such as USR1";
}

CLI::App& add(CLI::App& command, const Words& words, const std::shared_ptr<ElectionOptions>& options, const char* name,
              const char* summary) {
  CLI::App& sub = add_subcommand(command, name, summary);
  add_config_options(sub, options->config);
  add_coordination_options(sub, options->config, words);
  return sub;
}

void add_group(CLI::App& command, const std::shared_ptr<ElectionOptions>& options) {
  add_value(
      command, "GROUP", "the group", [options](const std::string& text) { return take_group(text, options->group); },
      Need::required);
}

CLI::App& add_run(CLI::App& command, const Words& words, const std::shared_ptr<ElectionOptions>& options) {
  CLI::App& run = add(command, words, options, "run", "a program that is told by signals whether it leads");
  add_group(run, options);
  add_candidate_option(run, options->candidate, options->run_variables);
  add_switch(run, "--terminate", options->terminate, "on losing: INT, 1 s, TERM, kill_grace, KILL");
  add_value(run, "--won SIGNAL", "the signal on winning; default USR1",
            [options](const std::string& text) { return take_signal(text, options->won); });
  add_value(run, "--lost SIGNAL", "the signal on losing; default USR2",
            [options](const std::string& text) { return take_signal(text, options->lost); });
  add_kill_grace_option(run, options->kill_grace, options->run_variables);
  set_footer(run, "The command follows `--`: ballot election run GROUP [FLAGS] -- COMMAND [ARGS]");
  return run;
}

CLI::App& add_file(CLI::App& command, const Words& words, const std::shared_ptr<ElectionOptions>& options) {
  CLI::App& file = add(command, words, options, "file", "keep a file while this node leads");
  add_string(file, "PATH", options->path, "the file", Need::required);
  add_group(file, options);
  add_candidate_option(file, options->candidate, options->file_variables);
  add_switch(file, "--check", options->check, "is the file there, and valid? asks no backend");
  return file;
}

}  // namespace

Run setup_election(CLI::App& command, const Words& words) {
  auto options = std::make_shared<ElectionOptions>();
  if (words.child) options->child = *words.child;
  require_one_subcommand(command);
  CLI::App& listed = add(command, words, options, "list", "every election, its leader and how many take part");
  add_aliases(listed, {"ls", "info", "view", "i"});
  add_format_option(listed, options->format);
  add_string(listed, "REGEX", options->pattern, "only groups that it matches");
  add_switch(listed, "--store", options->store, "what the store says of itself, in their place");
  CLI::App& watched = add(command, words, options, "watch", "a line now, and one for each change");
  add_format_option(watched, options->format);
  add_string(watched, "GROUP", options->group, "the group", Need::required);
  CLI::App& evicted = add(command, words, options, "evict", "have the leader resign and stay out for a while");
  add_string(evicted, "GROUP", options->group, "the group", Need::required);
  add_switch(evicted, "--force", options->force, "ask neither you nor the leader: end its term");
  add_timeout_option(evicted, options->patience);
  CLI::App& filed = add_file(command, words, options);
  CLI::App& ran = add_run(command, words, options);
  return [options, &listed, &watched, &filed, &ran] {
    if (is_chosen(listed)) return list(*options);
    if (is_chosen(filed)) return keep_file(*options);
    if (is_chosen(ran)) return run_child(*options);
    return is_chosen(watched) ? watch(*options) : evict(*options);
  };
}

}  // namespace ballot::app

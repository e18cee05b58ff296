#include "app/client/ledger_access.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <span>

#include "app/client/ask.hpp"
#include "app/client/remote_ledger.hpp"
#include "app/client/stored_states.hpp"
#include "app/options/options.hpp"
#include "app/print/escape.hpp"
#include "base/wall_text.hpp"
#include "io/control_client.hpp"
#include "library/history/file_ledger.hpp"
#include "library/shown/values.hpp"

namespace ballot::app {
namespace {

constexpr std::size_t most_named = 5;  // nodes, a line each
constexpr const char* no_daemon = "no daemon answers here that could ask the other nodes";

}  // namespace

void flush_ledger(const config::Config& config) {
  io::Message flush;
  flush.set("do", "flush");
  // Without a daemon the file has everything already.
  (void)io::ask_once(config.control_socket, flush, std::chrono::seconds(2));
}

void add_scope_options(CLI::App& command, ScopeOptions& to, ScopeFlags flags) {
  add_switch(command, "--local", to.is_local, "what this node's ledger says, without the others");
  if (flags == ScopeFlags::local_and_node)
    add_string(command, "--node NAME", to.node, "what that node of the fleet says, and no other");
}

Result<std::unique_ptr<library::LedgerView>> open_ledger(const config::Config& config, LedgerScope scope) {
  if (!scope.node.empty() && !scope.is_fleet) return Error{Errc::invalid, "--local and --node exclude each other"};
  const std::string node = scope.node;
  const bool wants_fleet = scope.is_fleet && (!config.http.listen.empty() || !config.fleet.history.empty());
  auto remote = std::make_unique<RemoteLedger>(config.control_socket, std::move(scope));
  const auto answered = config.control_socket.empty() ? Error{Errc::unavailable, ""} : remote->try_sequence();
  if (answered) return std::unique_ptr<library::LedgerView>(std::move(remote));
  const Errc why = answered.error().code;
  if (why == Errc::timeout)
    std::cerr << "ballot: " << escaped(answered.error().what, Escape::plain) << ": its ledger's file is read instead\n";
  if (why == Errc::invalid) flush_ledger(config);  // a daemon of before
  if (why != Errc::unavailable && why != Errc::timeout && why != Errc::invalid) return answered.error();
  if (!node.empty() && node != config.node)
    return Error{Errc::unavailable, "node " + node + " is asked by this node's daemon: " + answered.error().what};
  library::LedgerPlace place = library::ledger_place(config);
  if (wants_fleet) place.why_alone = why == Errc::unavailable ? no_daemon : answered.error().what;
  auto file = library::FileLedger::open(std::move(place));
  if (!file && file.error().code == Errc::denied)
    return Error{Errc::denied,
                 answered.error().what + ". Without a daemon, only root and its user may read " + config.history.path};
  if (file && wants_fleet && why == Errc::unavailable)
    std::cerr << "ballot: " << no_daemon << ": this is what this node's ledger has\n";
  return file;
}

bool set_said_states(std::vector<io::Message>& jobs, const config::Config& config, const library::LedgerView* ledger) {
  const auto* const daemon = dynamic_cast<const RemoteLedger*>(ledger);
  if (!daemon || !daemon->is_of_fleet()) return false;
  library::drop_unsure_states(jobs, config.node);
  library::set_states(jobs, io::Message().set("states", daemon->said_states()));
  return true;
}

void warn_of_open_rows(std::string_view command, const library::LedgerView& ledger) {
  if (ledger.is_live()) return;
  std::cout.flush();
  std::cerr << "ballot " << command
            << ": no daemon answers: rows that are queued, claimed or running show what was known when it ended\n";
}

namespace {

/// What the time is of.
std::string heard_text(const library::MissingNode& node) {
  if (node.heard_by == "answer") return "its last answer was at ";
  if (node.heard_by == "ledger") return "since ";
  if (node.heard_by == "history") return "its ledger was last handed on to the fleet's history at ";
  if (node.heard_by == "election") return "it was last seen in an election at ";
  return node.heard_by == "record" ? "it may have lived longer: its record in the store is of " : "last heard of at ";
}

}  // namespace

std::string silence_of(const library::MissingNode& node) {
  std::string text = "node " + node.node +
                     (node.heard_by == "ledger"    ? " does not have its newest rows"
                      : node.heard_by == "history" ? " is behind in the fleet's history"
                                                   : " has not answered");
  if (node.last_heard) text += " (" + heard_text(node) + format_seconds(*node.last_heard) + ")";
  return text + ": " + node.why;
}

void name_missing(std::string_view command, const library::LedgerView& ledger) {
  std::cout.flush();
  if (const std::string failure = ledger.history_failure(); !failure.empty())
    std::cerr << "ballot " << command
              << ": the fleet's history does not answer, so the nodes were asked: " << escaped(failure, Escape::plain)
              << '\n';
  const std::vector<library::MissingNode> missing = ledger.missing();
  for (const library::MissingNode& node : std::span(missing).first(std::min(missing.size(), most_named)))
    std::cerr << "ballot " << command << ": " << escaped(silence_of(node), Escape::plain)
              << ". What it alone knows is not shown\n";
  if (missing.size() > most_named)
    std::cerr << "ballot " << command << ": and " << missing.size() - most_named
              << " more nodes have not answered; --format json names them all\n";
}

void remark_missing(RecordWriter& out, const library::MissingNode& node) {
  out.remark({{"missing", word(node.node)},
              {"last_heard", cell(node.last_heard)},
              {"why", word(node.why)},
              {"heard_by", word(node.heard_by)}});
}

void remark_missing(RecordWriter& out, const library::LedgerView& ledger, const config::Config& config) {
  if (const std::string why = ledger.why_alone(); !why.empty()) out.remark({{"alone", config.node}, {"why", why}});
  if (const std::string failure = ledger.history_failure(); !failure.empty())
    out.remark({{"history_failure", failure}});
  if (const auto as_of = ledger.as_of()) out.remark({{"as_of", cell(as_of)}});
  for (const library::MissingNode& node : ledger.missing()) remark_missing(out, node);
}

namespace {

/// As the daemon shows it, or, where it leads other jobs, the store.
std::optional<StoredRun> find_open_run(const config::Config& config, const std::string& suffix) {
  if (const auto open = ask_open_run(config, suffix))
    return StoredRun{open->text("job").value_or(""), open->text("node").value_or("")};
  ConfigOptions options;
  if (std::filesystem::exists(config.file)) options.file = config.file;
  const auto with_backend = load_backend_config(options);
  return with_backend ? find_stored_run(*with_backend, suffix) : std::nullopt;
}

Error unknown_run(const library::LedgerView& ledger, const config::Config& config, const std::string& suffix) {
  const bool is_whole = RunId::parse(suffix).has_value();
  if (ledger.is_of_fleet())
    return library::not_known(ledger,
                              is_whole ? "no node that answers knows run " + suffix
                                       : "no run that the nodes which answer know has an id that ends with " + suffix);
  const auto open = find_open_run(config, suffix);
  if (open && !open->node.empty() && open->node != config.node)
    return {Errc::not_found, "run " + suffix + " of job " + open->job + " is executed by node " + open->node +
                                 ": its history and its output are there"};
  return library::not_known(
      ledger, (is_whole ? "this node's ledger has no run " : "no run in this node's ledger has an id that ends with ") +
                  suffix + "; a run of another node is in that one's");
}

}  // namespace

Result<RunId> find_run(library::LedgerView& ledger, const config::Config& config, const std::string& suffix) {
  auto runs = ledger.find_run(suffix);
  if (!runs) return runs.error();
  if (runs->size() == 1) return runs->front();
  if (runs->empty()) return unknown_run(ledger, config, suffix);
  std::string text = "several runs have an id that ends with " + suffix + ":";
  for (const RunId& run : *runs) text += " " + run.text();
  return Error{Errc::invalid, text};
}

Exit fail(std::string_view command, const Error& error) {
  std::cerr << "ballot " << command << ": " << escaped(error.what, Escape::plain) << '\n';
  switch (error.code) {
    case Errc::invalid: return Exit::usage;
    case Errc::not_found: return Exit::not_found;
    case Errc::unavailable: return Exit::unreachable;
    case Errc::timeout: return Exit::gave_up;
    default: return Exit::failed;
  }
}

Exit fail_to_open(std::string_view command, const Error& error) {
  const Exit exit = fail(command, error);
  if (error.code == Errc::denied || exit == Exit::unreachable || exit == Exit::gave_up) return exit;
  return Exit::configuration;
}

}  // namespace ballot::app

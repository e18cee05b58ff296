#include "app/ledger_access.hpp"

#include <iostream>

#include "app/escape.hpp"
#include "app/remote_ledger.hpp"
#include "io/control_client.hpp"
#include "library/history/file_ledger.hpp"

namespace ballot::app {

void flush_ledger(const config::Config& config) {
  io::Message flush;
  flush.set("do", "flush");
  // Without a daemon the file has everything already.
  (void)io::ask_once(config.control_socket, flush, std::chrono::seconds(2));
}

Result<std::unique_ptr<library::LedgerView>> open_ledger(const config::Config& config) {
  auto remote = std::make_unique<RemoteLedger>(config.control_socket);
  const auto answered = config.control_socket.empty() ? Error{Errc::unavailable, ""} : remote->try_sequence();
  if (answered) return std::unique_ptr<library::LedgerView>(std::move(remote));
  const Errc why = answered.error().code;
  if (why == Errc::timeout)
    std::cerr << "ballot: " << escaped(answered.error().what, Escape::plain) << ": its ledger's file is read instead\n";
  if (why == Errc::invalid) flush_ledger(config);  // a daemon of before
  if (why != Errc::unavailable && why != Errc::timeout && why != Errc::invalid) return answered.error();
  auto file = library::FileLedger::open(library::ledger_place(config));
  if (!file && file.error().code == Errc::denied)
    return Error{Errc::denied,
                 answered.error().what + ". Without a daemon, only root and its user may read " + config.history.path};
  return file;
}

void warn_of_open_rows(std::string_view command, const library::LedgerView& ledger) {
  if (ledger.is_live()) return;
  std::cout.flush();
  std::cerr << "ballot " << command
            << ": no daemon answers: rows that are queued, claimed or running show what was known when it ended\n";
}

std::vector<Status> run_statuses() {
  return {Status::queued, Status::claimed,   Status::running, Status::succeeded,
          Status::failed, Status::timed_out, Status::killed,  Status::lost};
}

Result<RunId> find_run(library::LedgerView& ledger, const std::string& suffix) {
  auto runs = ledger.find_run(suffix);
  if (!runs) return runs.error();
  if (runs->size() == 1) return runs->front();
  if (runs->empty())
    return Error{Errc::not_found, "no run in this node's ledger has an id that ends with " + suffix +
                                      "; a run of another node is in that one's"};
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

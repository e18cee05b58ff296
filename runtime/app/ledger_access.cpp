#include "app/ledger_access.hpp"

#include <iostream>

#include "app/escape.hpp"
#include "io/control_client.hpp"

namespace ballot::app {

void flush_ledger(const config::Config& config) {
  io::Message flush;
  flush.set("do", "flush");
  // Without a daemon the file has everything already.
  (void)io::ask_once(config.control_socket, flush, std::chrono::seconds(2));
}

Result<storage::Reader> open_ledger(const config::Config& config) {
  flush_ledger(config);
  auto ledger = storage::Reader::open(config.history.path);
  // No such file is no such thing to fail with: the question may be fine, the place is not.
  if (!ledger && ledger.error().code == Errc::not_found) return Error{Errc::io, ledger.error().what};
  return ledger;
}

std::vector<Status> run_statuses() {
  return {Status::queued, Status::claimed,   Status::running, Status::succeeded,
          Status::failed, Status::timed_out, Status::killed,  Status::lost};
}

Result<RunId> find_run(storage::Reader& ledger, const std::string& suffix) {
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

// ballot why JOB [--at TIME], ballot why RUN: what became of the job's latest slot, or of the latest one at or before
// TIME, or of a run, and the one cause that applied. Slots are those of the ledger and, of a loaded job, those of its
// schedule (but for @every, whose phase only its register knows). The daemon answers, where one runs.
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/client/ledger_access.hpp"
#include "app/client/remote_ledger.hpp"
#include "app/client/stored_states.hpp"
#include "app/commands/commands.hpp"
#include "app/history/headline.hpp"
#include "app/history/row_document.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/jobs/subject.hpp"
#include "app/options/options.hpp"
#include "app/print/document.hpp"
#include "app/print/escape.hpp"
#include "app/print/local_times.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "io/control_client.hpp"
#include "library/why/why_answer.hpp"

namespace ballot::app {
namespace {

using library::UnrecordedSlot;
using library::WhyAnswer;
using library::WhyAsked;
using library::WhyFacts;

struct WhyOptions {
  ConfigOptions config;
  std::string subject;
  std::optional<WallTime> at;
  bool json = false;
  ScopeOptions scope;
};

std::size_t text_width() {
  const std::size_t terminal = terminal_width();
  return terminal == 0 ? 80 : std::clamp<std::size_t>(terminal, 40, 100);
}

/// The slots of the jobs that it comes after.
Document::Items upstream_document(const std::vector<io::Message>& upstream) {
  Document::Items items;
  for (const io::Message& parent : upstream) {
    Document one = Document::object();
    for (const char* const key : {"job", "slot", "status", "reason", "run_id", "node"}) {
      const auto text = parent.text(key);
      one.add(key, text ? Document(*text) : Document());
    }
    items.push_back(std::move(one));
  }
  return items;
}

void print_json(const WhyAnswer& answer, const library::LedgerView& ledger) {
  Document::Items rows;
  const Row* const last = answer.rows.empty() ? nullptr : &answer.rows.front();
  const bool is_of_store = last && ledger.is_evidence(*last);
  for (const Row& row : answer.rows)
    rows.push_back(row_document(row, is_of_store && rows.empty() ? RowSource::store : RowSource::ledger));
  const auto text_or_null = [](std::string_view text) {
    return text.empty() ? Document() : Document(std::string(text));
  };
  Document document = Document::object();
  document.add("job", answer.job).add("slot", answer.slot ? Document(format_slot(*answer.slot)) : Document());
  document.add("status", last ? std::string(to_string(last->status)) : answer.word);
  document.add("reason", last ? text_or_null(to_string(last->reason)) : Document());
  document.add("run_id", last && last->run ? Document(last->run->text()) : Document());
  document.add("why", answer.text).add("rows", std::move(rows));
  if (!answer.upstream.empty()) document.add("upstream", upstream_document(answer.upstream));
  if (is_of_store) document.add("evidence", "store");
  document.add("missing", missing_document(ledger.missing()));
  add_alone(document, ledger);
  std::cout << to_json(document);
}

std::vector<std::string> names_of(const std::vector<library::MissingNode>& missing) {
  std::vector<std::string> names;
  for (const library::MissingNode& node : missing) names.push_back(node.node);
  return names;
}

std::string headline_of(const WhyAnswer& answer, const library::LedgerView& ledger) {
  if (answer.rows.empty())
    return answer.job + ' ' + (answer.slot ? slot_in_zone(*answer.slot, answer.zone) + ' ' : "") + answer.word;
  const Row& last = answer.rows.front();
  std::string line = headline(last, answer.zone);
  if (ledger.is_evidence(last)) line += evidence_mark(last, names_of(ledger.missing()));
  if (answer.next_attempt) line += ", queued for attempt " + std::to_string(*answer.next_attempt);
  return line;
}

void print(const WhyAnswer& answer, const WhyOptions& options, const library::LedgerView& ledger) {
  if (options.json) return print_json(answer, ledger);
  std::cout << escaped(headline_of(answer, ledger), Escape::plain) << '\n'
            << wrapped(escaped(answer.text, Escape::plain), text_width()) << '\n';
}

/// One that hangs is not asked again.
UnrecordedSlot::Daemon without_daemon(const config::Config& config) {
  const auto answer = io::ask_once(config.control_socket, io::Message().set("do", "ready"), std::chrono::seconds(1));
  const bool is_hung = !answer && answer.error().code == Errc::timeout;
  return is_hung ? UnrecordedSlot::Daemon::hung : UnrecordedSlot::Daemon::away;
}

/// By the daemon, which knows more than the ledger, or where none answers by the file and what the job files say.
Result<WhyAnswer> explain(const WhyAsked& asked, const ConfigOptions& options, const config::Config& config,
                          library::LedgerView& ledger) {
  const config::JobsDir jobs = load_jobs(config);
  WhyFacts facts = library::facts_by_files(asked, jobs.set(), config.node, io::read_clocks().wall);
  if (auto* const daemon = dynamic_cast<RemoteLedger*>(&ledger)) return daemon->why(asked, facts);
  facts.is_known = true;
  facts.slot.keep = config.history.keep;
  facts.slot.daemon = without_daemon(config);
  auto answer = library::explain_asked(ledger, asked, facts);
  if (answer && !*answer) {
    const auto with_backend = load_backend_config(options);
    const auto stored = with_backend ? read_stored_state(*with_backend, asked.job, facts.slot.group)
                                     : Error{Errc::invalid, "the configuration"};
    if (stored) library::note_stored(*stored, facts.slot);
    facts.is_whole = true;
    answer = library::explain_asked(ledger, asked, facts);
  }
  return answer ? Result<WhyAnswer>(**answer) : answer.error();
}

Exit run(const WhyOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  auto ledger = open_ledger(*config, options.scope.scope());
  if (!ledger) return fail("why", ledger.error());
  const auto subject = find_subject(options.subject, *config, **ledger);
  if (!subject) return fail("why", subject.error());
  if (subject->run && options.at) return fail("why", {Errc::invalid, "--at is of a job's slots, not of a run"});
  const auto explained = explain({subject->job, subject->run, options.at}, options.config, *config, **ledger);
  if (explained) print(*explained, options, **ledger);
  name_missing("why", **ledger);
  if (explained && !explained->rows.empty() && !is_final(explained->rows.front().status))
    warn_of_open_rows("why", **ledger);
  return explained ? Exit::done : fail("why", explained.error());
}

}  // namespace

Run setup_why(CLI::App& command) {
  auto options = std::make_shared<WhyOptions>();
  add_config_options(command, options->config);
  add_string(command, "JOB", options->subject, "a job's name, or a run's last 6 or more digits", Need::required);
  add_scope_options(command, options->scope, ScopeFlags::local_and_node);
  add_value(command, "--at TIME", "the job's last slot up to this time; default: now",
            [to = options.get()](const std::string& text) { return take(parse_time(text), to->at); });
  add_text_or_json_option(command, options->json);
  return [options] { return run(*options); };
}

}  // namespace ballot::app

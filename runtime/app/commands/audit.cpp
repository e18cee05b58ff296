// ballot audit: whether the ledgers of the fleet, or this node's, can be right, by the schedule computed anew.
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/options/options.hpp"
#include "app/reports/audit_report.hpp"

namespace ballot::app {
namespace {

struct AuditOptions {
  ConfigOptions config;
  Format format = Format::table;
  std::vector<std::string> jobs, groups;
  audit::Scope scope;
  ScopeOptions ledgers;
};

/// The jobs that are asked for, by name and by group; none: all.
Result<std::vector<std::string>> jobs_asked_for(const AuditOptions& options, const config::Config& config,
                                                library::LedgerView& ledger) {
  for (const std::string& job : options.jobs)
    if (auto known = require_job(job, config, ledger); !known) return known.error();
  for (const std::string& group : options.groups)
    if (auto known = require_group(group, config, ledger); !known) return known.error();
  const auto asked = with_instances(options.jobs, ledger), groups = with_instances(options.groups, ledger);
  if (!asked || !groups) return asked ? groups.error() : asked.error();
  if (options.groups.empty()) return *asked;
  auto jobs = ledger.jobs_of(*groups);
  if (!jobs) return jobs.error();
  if (!options.jobs.empty())
    std::erase_if(*jobs,
                  [&](const std::string& job) { return std::find(asked->begin(), asked->end(), job) == asked->end(); });
  return jobs;
}

Exit run(const AuditOptions& options) {
  if (const auto fits = require_span(options.scope.since, options.scope.until); !fits)
    return fail("audit", fits.error());
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  auto ledger = open_ledger(*config, options.ledgers.scope());
  if (!ledger) return fail("audit", ledger.error());
  const auto jobs = jobs_asked_for(options, *config, **ledger);
  if (!jobs) return fail("audit", jobs.error());
  const bool none = jobs->empty() && !options.groups.empty();
  const auto audited =
      none ? Result<library::AuditResult>(library::AuditResult()) : (*ledger)->audit(*jobs, options.scope);
  if (!audited) return fail("audit", audited.error());
  print_audit(std::cout, *audited, options.format,
              {(*ledger)->is_of_fleet(), (*ledger)->missing(), (*ledger)->why_alone()});
  name_missing("audit", **ledger);
  const auto missing = (*ledger)->missing();
  const std::string& only = options.ledgers.node;
  const auto is_only = [&](const library::MissingNode& node) { return node.node == only && node.heard_by != "ledger"; };
  if (!only.empty() && std::any_of(missing.begin(), missing.end(), is_only))
    return fail("audit", {Errc::unavailable, "node " + only + " has not answered, so nothing of it is judged"});
  return audited->finding_count == 0 ? Exit::done : Exit::failed;
}

}  // namespace

Run setup_audit(CLI::App& command) {
  auto options = std::make_shared<AuditOptions>();
  AuditOptions& to = *options;
  add_config_options(command, to.config);
  add_list(command, "--job LIST", "only these jobs, a list",
           [&to](const std::string& text) { return to.jobs.push_back(text), std::string(); });
  add_list(command, "--group LIST", "only jobs that have been in these groups, a list",
           [&to](const std::string& text) { return to.groups.push_back(text), std::string(); });
  add_value(command, "--since TIME", "slots from this time on",
            [&to](const std::string& text) { return take(parse_time(text), to.scope.since); });
  add_value(command, "--until TIME", "slots before this time",
            [&to](const std::string& text) { return take(parse_time(text), to.scope.until); });
  add_scope_options(command, to.ledgers, ScopeFlags::local_and_node);
  add_value(command, "--format FORMAT", "table or json", [&to](const std::string& text) {
    if (text != "table" && text != "json") return unknown_word(text, {"table", "json"}).what;
    to.format = text == "json" ? Format::json : Format::table;
    return std::string();
  });
  return [options] { return run(*options); };
}

}  // namespace ballot::app

#include "app/jobs/subject.hpp"

#include "app/client/ask.hpp"
#include "app/client/ledger_access.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "base/instance.hpp"

namespace ballot::app {
namespace {

Result<Subject> subject_of(const RunId& run, library::LedgerView& ledger) {
  Subject subject{{}, run};
  const auto page =
      ledger.history({.run = run, .limit = 1}, [&](const Row& row) { return subject.job = row.job, false; });
  if (!page) return page.error();
  return subject;
}

}  // namespace

bool is_loaded(const std::string& job, const config::Config& config) {
  return load_jobs(config).set().definitions.contains(job);
}

Result<Subject> find_subject(const std::string& text, const config::Config& config, library::LedgerView& ledger) {
  const std::string own = instance_name(text, config.node);
  for (const std::string& name : {text, own}) {
    const auto known = ledger.knows_job(name);
    if (!known) return known.error();
    if (*known) return Subject{name, {}};
  }
  if (is_loaded(own, config)) return Subject{own, {}};
  const bool may_be_run = check_run_suffix(text).empty();
  if (may_be_run && !is_loaded(text, config)) {
    const auto run = find_run(ledger, config, text);
    if (run) return subject_of(*run, ledger);
    const bool is_unknown = run.error().code == Errc::not_found || run.error().code == Errc::unavailable;
    if (!is_unknown || !require_job(text, config, ledger)) return run.error();
  }
  if (const auto job = require_job(text, config, ledger); !job) return job.error();
  const bool has_own = own != text && !is_loaded(text, config) && ask_job(config, own);
  return Subject{has_own ? own : text, {}};
}

}  // namespace ballot::app

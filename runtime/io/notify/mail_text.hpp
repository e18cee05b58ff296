// The mail about a run's end, in cron's manner, as it is handed to `sendmail -i -t`. Pure: knows nothing of processes.
// No header can have more than its one line, whatever a value contains.
#pragma once

#include <optional>
#include <string>

#include "ballot/job.hpp"
#include "ballot/ledger.hpp"

namespace ballot::io {

struct MailFacts {
  const Job& job;
  const Row& row;                       // of the run that has ended
  std::string user;                     // who the job runs as
  std::string node;                     // who sends it
  const std::optional<Output>& output;  // none: it printed nothing, or another node has it
};

/// Whether the job's `mail_on` wants one: "failure", or also where it printed something, or always.
bool wants_mail(const Job& job, const Row& row);

std::string mail_text(const MailFacts& facts);

}  // namespace ballot::io

#include "io/notify/mail_text.hpp"

#include <algorithm>

#include "base/wall_text.hpp"
#include "core/notify.hpp"

namespace ballot::io {
namespace {

void header(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ");
  for (const char c : value) text += c >= ' ' && c != 0x7f ? c : '?';  // bytes from 0x80 on are negative: no header's
  text += '\n';
}

std::string outcome_text(const Row& row) {
  std::string text = row.status.description();
  if (row.reason != Reason::none) text += ": " + row.reason.description();
  if (row.exit_code && row.status == Status::failed) text += " " + std::to_string(*row.exit_code);
  if (row.signal && row.status == Status::failed) text += " " + std::to_string(*row.signal);
  return text;
}

void facts_of(std::string& text, const MailFacts& facts) {
  const Row& row = facts.row;
  const auto fact = [&](std::string_view name, std::string_view value) {
    header(text, "X-Cron-Env", "<" + std::string(name) + "=" + std::string(value) + ">");
  };
  fact("BALLOT_JOB", row.job);
  fact("BALLOT_GROUP", row.group);
  fact("BALLOT_NODE", row.node);
  if (row.run) fact("BALLOT_RUN_ID", row.run->text());
  fact("BALLOT_ATTEMPT", std::to_string(row.attempt));
  fact("BALLOT_SLOT", format_slot(row.slot));
  fact("BALLOT_TRIGGER", to_string(row.trigger));
  fact("BALLOT_STATUS", to_string(row.status));
  fact("BALLOT_REASON", to_string(row.reason));
  if (row.exit_code) fact("BALLOT_EXIT_CODE", std::to_string(*row.exit_code));
}

/// In place of an output that is not here.
std::string where_it_is(const MailFacts& facts) {
  const Row& row = facts.row;
  const std::string run = row.run ? row.run->text() : "";
  if (row.node != facts.node)
    return "[ballot: the run was executed by " + row.node + "; there `ballot output " + run +
           "` shows what it printed]\n";
  if (row.output_bytes == 0) return "[ballot: the run printed nothing]\n";
  return "[ballot: the run printed " + std::to_string(row.output_bytes) + " bytes, which are not kept]\n";
}

void body(std::string& text, const MailFacts& facts) {
  const bool kept = facts.output && !(facts.output->head.empty() && facts.output->tail.empty());
  if (!kept) {
    text += where_it_is(facts);
    return;
  }
  text += facts.output->head;
  if (const auto left_out = facts.output->left_out(); left_out > 0)
    text += "\n[ballot: " + std::to_string(left_out) + " bytes left out]\n";
  text += facts.output->tail;
}

}  // namespace

bool wants_mail(const Job& job, const Row& row) {
  const JobDetails& details = *job.details;
  if (details.mail_to.empty()) return false;
  return details.mail_on == MailOn::always || core::is_failure(row) ||
         (details.mail_on == MailOn::output && row.output_bytes > 0);
}

std::string mail_text(const MailFacts& facts) {
  std::string text;
  header(text, "From", facts.user + " (Cron Daemon)");
  header(text, "To", facts.job.details->mail_to);
  header(text, "Subject",
         "Cron <" + facts.user + "@" + facts.row.node + "> " + facts.row.job + ": " + outcome_text(facts.row));
  header(text, "MIME-Version", "1.0");
  header(text, "Content-Type", "text/plain; charset=UTF-8");
  header(text, "Content-Transfer-Encoding", "8bit");
  header(text, "Auto-Submitted", "auto-generated");
  facts_of(text, facts);
  text += '\n';
  body(text, facts);
  return text;
}

}  // namespace ballot::io

#include "library/asked_request.hpp"

#include <chrono>
#include <utility>

#include "base/env_words.hpp"
#include "base/made_at.hpp"
#include "base/wall_text.hpp"
#include "core/record/record_text.hpp"
#include "library/asked_terms.hpp"

namespace ballot::library {
namespace {

constexpr Millis most_patience = std::chrono::hours(1);

/// The last digits of a run's id, or all of them.
bool is_run_suffix(const std::string& text) {
  return text.size() >= 6 && text.size() <= 36 && text.find_first_not_of("0123456789abcdef-") == std::string::npos;
}

/// What is wrong with a request: "" where nothing is.
std::string fault_of(core::Request request, const std::string& run_suffix, Millis patience) {
  using Kind = core::Request::Kind;
  for (const std::string& name : {request.job, request.group})
    if (!name.empty() && !core::is_stored_name(name)) return "no job and no group has such a name";
  if (patience <= Millis(0) || patience > most_patience) return "timeout_ms must be from 1 to 3600000";
  if (request.kind != Kind::kill && request.kind != Kind::forget) return std::string(core::fault_of(request));
  const bool names_job = !request.job.empty() && run_suffix.empty() && request.kind == Kind::kill;
  if (!names_job && !is_run_suffix(run_suffix)) return "run must be a run's id, or the last 6 or more digits of it";
  return (names_job || request.job.empty()) && request.group.empty() ? "" : "it must name a run, and nothing else";
}

/// Texts NAME=VALUE, as the API has them; a command, whose values may have any bytes, has words of them.
Result<std::string> asked_env(const io::Message& question) {
  auto given = read_assignments(question.texts("env"));
  if (!given) return given.error();
  const auto words = parse_env_words(question.text("env_words").value_or(""));
  if (!words || (!words->empty() && !given->empty()))
    return Error{Errc::invalid, "env_words: these are not variables as `ballot trigger` writes them"};
  given->insert(words->begin(), words->end());
  if (std::string fault = fault_of_env(*given); !fault.empty()) return Error{Errc::invalid, std::move(fault)};
  return env_words(*given);
}

/// The id of a run that whoever triggers it has chosen. An old one could be of a run that is forgotten by now, and run
/// twice.
Result<RunId> chosen_id(const std::string& text, WallTime now) {
  constexpr Millis oldest = std::chrono::hours(1), most_ahead = std::chrono::minutes(1);  // clocks differ
  const auto id = RunId::parse(text);
  if (!id || id->bytes[6] >> 4 != 7 || id->text() != text)
    return Error{Errc::invalid, "the run's id must be a UUID of version 7 in lower case, not '" + text + "'"};
  const Millis age = now - made_at(*id);
  if (age <= oldest && -age <= most_ahead) return *id;
  return Error{Errc::invalid, "the run's id says that it was made at " + format_millis(made_at(*id)) +
                                  ", not within the last hour by this node's clock: choose a new one"};
}

}  // namespace

std::optional<core::Request::Kind> asked_kind(const std::string& word) {
  if (word == pause_with_terms) return core::Request::Kind::pause;
  const auto kind = core::parse_kind(word);
  using Kind = core::Request::Kind;
  const bool is_of_nodes = kind == Kind::release || kind == Kind::replace;
  return is_of_nodes || (kind && core::is_of_backfill(*kind)) ? std::nullopt : kind;  // BackfillDesk makes those
}

Millis patience_of(const io::Message& question) { return Millis(question.integer("timeout_ms").value_or(30'000)); }

Result<core::Request> asked_in(core::Request backfill, const io::Message& question, std::string by) {
  backfill.by = std::move(by);
  const std::string fault = fault_of(backfill, "", patience_of(question));
  return fault.empty() ? Result<core::Request>(std::move(backfill)) : Error{Errc::invalid, "'backfill': " + fault};
}

Result<AskedRequest> asked_request(core::Request::Kind kind, const io::Message& question, std::string by,
                                   WallTime now) {
  AskedRequest asked{{}, question.text("run").value_or(""), patience_of(question)};
  core::Request& request = asked.request;
  request.kind = kind;
  request.job = question.text("job").value_or("");
  request.group = question.text("group").value_or("");
  request.wait = kind == core::Request::Kind::trigger && question.flag("wait").value_or(false);
  request.alone = kind == core::Request::Kind::trigger && question.flag("alone").value_or(false);
  request.by = std::move(by);
  auto env = asked_env(question);
  if (!env) return env.error();
  request.env = *std::move(env);
  if (const auto followed = kind == core::Request::Kind::pause ? RunId::parse(asked.run) : std::nullopt)
    request.run = *followed, asked.run.clear();
  if (kind == core::Request::Kind::trigger && !asked.run.empty()) {
    const auto chosen = chosen_id(asked.run, now);
    if (!chosen) return chosen.error();
    request.id = *chosen, asked.run.clear();
  }
  auto terms = asked_terms(question, now);
  if (!terms) return terms.error();
  request.terms = *std::move(terms);
  if (const std::string fault = fault_of(request, asked.run, asked.patience); !fault.empty())
    return Error{Errc::invalid, "'" + std::string(core::to_string(kind)) + "': " + fault};
  return asked;
}

}  // namespace ballot::library

#include "core/request/request.hpp"

#include <array>

#include "base/env_words.hpp"
#include "base/instance.hpp"
#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr std::array<std::string_view, 11> kinds = {"trigger", "kill",     "pause",        "resume",
                                                    "forget",  "repair",   "evict",        "release",
                                                    "replace", "backfill", "backfill_stop"};
constexpr std::array<std::string_view, 8> codes = {"invalid",     "not_found", "conflict", "refused",
                                                   "unavailable", "timeout",   "io",       "corrupt"};

template <class Enum, std::size_t n>
std::optional<Enum> parse_word(const std::array<std::string_view, n>& words, std::string_view word) {
  for (std::size_t i = 0; i < n; ++i)
    if (words[i] == word) return static_cast<Enum>(i);
  return std::nullopt;
}

constexpr Field<Request> request_fields[] = {
    {"do", Times::once, [](Request& r, Words& w) { r.kind = w.keep(parse_word<Request::Kind>(kinds, w.word())); }},
    {"id", Times::once, [](Request& r, Words& w) { r.id = w.keep(RunId::parse(w.word())); }},
    {"job", Times::at_most_once, [](Request& r, Words& w) { r.job = w.name(); }},
    {"group", Times::at_most_once, [](Request& r, Words& w) { r.group = w.name(); }},
    {"run", Times::at_most_once, [](Request& r, Words& w) { r.run = w.keep(RunId::parse(w.word())); }},
    {"wait", Times::at_most_once, [](Request& r, Words&) { r.wait = true; }},
    {"first", Times::at_most_once, [](Request& r, Words&) { r.is_first = true; }},
    {"alone", Times::at_most_once, [](Request& r, Words&) { r.alone = true; }},
    {"env", Times::often, [](Request& r, Words& w) { add_word(r.env, w.rest); }},
    {"until", Times::once, [](Request& r, Words& w) { r.until = w.time(); }},
    {"by", Times::at_most_once, [](Request& r, Words& w) { r.by = w.line(); }},
    {"ends", Times::at_most_once, [](Request& r, Words& w) { r.terms.ends = w.time(); }},
    {"reason", Times::at_most_once, [](Request& r, Words& w) { r.terms.reason = w.line(); }},
    {"slots", Times::at_most_once, [](Request& r, Words& w) { r.slots = read_slot_ranges(w); }},
    {"parallel", Times::at_most_once, [](Request& r, Words& w) { r.parallel = w.number<int>(1, most_parallel); }},
};

/// An answer, and which of its two forms the text has.
struct AnswerText {
  Answer answer;
  bool refused = false;
};

constexpr Field<AnswerText> answer_fields[] = {
    {"done", Times::at_most_once, [](AnswerText& a, Words&) { a.answer.ok = true; }},
    {"refused", Times::at_most_once,
     [](AnswerText& a, Words& w) {
       a.refused = true;
       a.answer.code = w.keep(parse_word<Errc>(codes, w.word()));
       a.answer.text = w.line();
     }},
    {"said", Times::at_most_once, [](AnswerText& a, Words& w) { a.answer.text = w.line(); }},
    {"run", Times::at_most_once, [](AnswerText& a, Words& w) { a.answer.run = w.keep(RunId::parse(w.word())); }},
    {"repeats", Times::at_most_once, [](AnswerText& a, Words&) { a.answer.repeats = true; }},
    {"until", Times::once, [](AnswerText& a, Words& w) { a.answer.until = w.time(); }},
    {"by", Times::at_most_once, [](AnswerText& a, Words& w) { a.answer.by = w.line(); }},
};

std::string_view fault_of_answer(const AnswerText& a) {
  return a.answer.ok == a.refused ? "it is neither done nor refused" : "";
}

constexpr TextForm<Request> request_form{"the request", request_fields, fault_of};
constexpr TextForm<AnswerText> answer_form{"the answer", answer_fields, fault_of_answer};

}  // namespace

std::string_view to_string(Request::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::optional<Request::Kind> parse_kind(std::string_view word) { return parse_word<Request::Kind>(kinds, word); }

/// Each kind names what it is done to, and nothing else.
std::string_view fault_of(const Request& r) {
  using Kind = Request::Kind;
  const bool job = !r.job.empty(), group = !r.group.empty(), run = r.run != RunId{};
  const auto names = [&](bool wants_job, bool wants_group, bool wants_run) {
    return job == wants_job && group == wants_group && run == wants_run;
  };
  if (r.kind != Kind::pause && !r.terms.empty()) return "only a pause has an end and a reason";
  if (const std::string_view fault = fault_of(r.terms); !fault.empty()) return fault;
  if (r.kind != Kind::trigger && (r.alone || !r.env.empty())) return "only a trigger has variables, or is alone";
  if (const auto env = parse_env_words(r.env); !env || !fault_of_env(*env).empty())
    return "its variables are none that a trigger may give";
  if (r.kind != Kind::backfill && !r.slots.empty()) return "only a backfill has slots";
  switch (r.kind) {
    case Kind::trigger: return names(true, false, false) ? "" : "it must name a job, and nothing else";
    case Kind::kill:
    case Kind::forget:
    case Kind::replace: return names(true, false, true) ? "" : "it must name a job and a run";
    case Kind::pause:
    case Kind::resume:
    case Kind::repair:
      if (r.kind == Kind::pause && is_instance(r.job) && names(true, false, true)) return "";
      return names(true, false, false) || names(false, true, false) ? "" : "it must name a job or a group";
    case Kind::evict: return names(false, true, false) ? "" : "it must name a group, and nothing else";
    case Kind::release: return names(true, true, false) ? "" : "it must name a job and its group";
    case Kind::backfill:
      if (r.parallel < 1 || r.parallel > most_parallel) return "parallel must be from 1 to 16";
      return names(true, false, false) ? fault_of(r.slots) : "it must name a job, and nothing else";
    case Kind::backfill_stop: return names(true, false, false) ? "" : "it must name a job, and nothing else";
  }
  return "it is of no kind";
}

std::string request_record(const RunId& id) { return std::string(request_prefix) + id.text(); }
std::string answer_record(const RunId& id) { return request_record(id) + ".answer"; }
std::string end_record(const RunId& id) { return request_record(id) + ".end"; }

std::string to_text(const Request& r) {
  std::string text(heading);
  text += "\n";
  line(text, "do", to_string(r.kind));
  line(text, "id", r.id.text());
  if (!r.job.empty()) line(text, "job", r.job);
  if (!r.group.empty()) line(text, "group", r.group);
  if (r.run != RunId{}) line(text, "run", r.run.text());
  if (r.wait) line(text, "wait", "yes");
  if (r.is_first) line(text, "first", "yes");
  if (r.alone) line(text, "alone", "yes");
  for (const std::string_view word : words_of(r.env)) line(text, "env", word);
  line(text, "until", format_millis(r.until));
  if (!r.by.empty()) free_line(text, "by", r.by);
  if (r.terms.ends) line(text, "ends", format_millis(*r.terms.ends));
  if (!r.terms.reason.empty()) line(text, "reason", r.terms.reason);
  if (!r.slots.empty()) line(text, "slots", to_text(r.slots));
  if (r.parallel != 1) line(text, "parallel", std::to_string(r.parallel));
  return text;
}

std::string to_text(const Answer& a) {
  std::string text(heading);
  text += "\n";
  if (a.ok)
    line(text, "done", "yes");
  else
    free_line(text, "refused", std::string(codes[static_cast<std::size_t>(a.code)]) + " " + a.text);
  if (a.ok && !a.text.empty()) free_line(text, "said", a.text);
  if (a.run) line(text, "run", a.run->text());
  if (a.repeats) line(text, "repeats", "yes");
  line(text, "until", format_millis(a.until));
  if (!a.by.empty()) free_line(text, "by", a.by);
  return text;
}

Result<Request> parse_request(std::string_view text) { return parse_text(request_form, text); }

Result<Answer> parse_answer(std::string_view text) {
  auto read = parse_text(answer_form, text);
  if (!read) return read.error();
  return std::move(read->answer);
}

}  // namespace ballot::core

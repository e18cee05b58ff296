#include "core/record/standing_pause.hpp"

#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr Field<StandingPause> pause_fields[] = {
    {"id", Times::once, [](StandingPause& p, Words& w) { p.id = w.keep(RunId::parse(w.word())); }},
    {"at", Times::once, [](StandingPause& p, Words& w) { p.at = w.time(); }},
    {"by", Times::at_most_once, [](StandingPause& p, Words& w) { p.by = w.line(); }},
    {"ends", Times::at_most_once, [](StandingPause& p, Words& w) { p.terms.ends = w.time(); }},
    {"reason", Times::at_most_once, [](StandingPause& p, Words& w) { p.terms.reason = w.line(); }},
};

std::string_view fault_of_pause(const StandingPause& pause) { return fault_of(pause.terms); }

constexpr TextForm<StandingPause> pause_form{"the pause", pause_fields, fault_of_pause};

constexpr Field<PauseEnd> end_fields[] = {
    {"at", Times::once, [](PauseEnd& e, Words& w) { e.at = w.time(); }},
    {"by", Times::at_most_once, [](PauseEnd& e, Words& w) { e.by = w.line(); }},
};

constexpr TextForm<PauseEnd> end_form{"the end of the pause", end_fields, nullptr};
constexpr std::string_view end_prefix = "p/-";

std::optional<std::string> name_after(std::string_view prefix, const Register& stored) {
  if (!stored.name.starts_with(prefix)) return std::nullopt;
  std::string name = stored.name.substr(prefix.size());
  return is_stored_name(name) ? std::optional(std::move(name)) : std::nullopt;
}

}  // namespace

std::string pause_record(std::string_view job) { return std::string(pause_prefix).append(job); }

std::optional<std::string> paused_job(const Register& stored) { return name_after(pause_prefix, stored); }

std::string pause_end_record(std::string_view job) { return std::string(end_prefix).append(job); }

std::optional<std::string> resumed_job(const Register& stored) { return name_after(end_prefix, stored); }

std::string to_text(const StandingPause& pause) {
  std::string text(heading);
  text += "\n";
  line(text, "id", pause.id.text());
  line(text, "at", format_millis(pause.at));
  if (!pause.by.empty()) free_line(text, "by", pause.by);
  if (pause.terms.ends) line(text, "ends", format_millis(*pause.terms.ends));
  if (!pause.terms.reason.empty()) line(text, "reason", pause.terms.reason);
  return text;
}

Result<StandingPause> parse_standing_pause(std::string_view text) { return parse_text(pause_form, text); }

std::string to_text(const PauseEnd& end) {
  std::string text(heading);
  text += "\n";
  line(text, "at", format_millis(end.at));
  if (!end.by.empty()) free_line(text, "by", end.by);
  return text;
}

Result<PauseEnd> parse_pause_end(std::string_view text) { return parse_text(end_form, text); }

std::optional<PauseEnd> pause_end_of(const Register& stored) {
  if (auto end = parse_pause_end(stored.value)) return *std::move(end);
  return std::nullopt;
}

StandingPause standing_pause_of(const Register& stored) {
  if (auto pause = parse_standing_pause(stored.value)) return *std::move(pause);
  return {};
}

}  // namespace ballot::core

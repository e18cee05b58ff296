#include "core/record/standing_pause.hpp"

#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr Field<StandingPause> pause_fields[] = {
    {"id", Times::once, [](StandingPause& p, Words& w) { p.id = w.keep(RunId::parse(w.word())); }},
    {"at", Times::once, [](StandingPause& p, Words& w) { p.at = w.time(); }},
    {"by", Times::at_most_once, [](StandingPause& p, Words& w) { p.by = w.line(); }},
};

constexpr TextForm<StandingPause> pause_form{"the pause", pause_fields, nullptr};

}  // namespace

std::string pause_record(std::string_view job) { return std::string(pause_prefix).append(job); }

std::optional<std::string> paused_job(const Register& stored) {
  if (!stored.name.starts_with(pause_prefix)) return std::nullopt;
  std::string name = stored.name.substr(pause_prefix.size());
  return is_stored_name(name) ? std::optional(std::move(name)) : std::nullopt;
}

std::string to_text(const StandingPause& pause) {
  std::string text(heading);
  text += "\n";
  line(text, "id", pause.id.text());
  line(text, "at", format_millis(pause.at));
  if (!pause.by.empty()) free_line(text, "by", pause.by);
  return text;
}

Result<StandingPause> parse_standing_pause(std::string_view text) { return parse_text(pause_form, text); }

StandingPause standing_pause_of(const Register& stored) {
  if (auto pause = parse_standing_pause(stored.value)) return *std::move(pause);
  return {};
}

}  // namespace ballot::core

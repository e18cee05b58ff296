#include "core/record/open_run_text.hpp"

#include <charconv>

#include "base/duration.hpp"
#include "base/env_words.hpp"
#include "base/wall_text.hpp"
#include "core/record/record_text.hpp"
#include "core/record/trigger_text.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t most_codes = 256;
constexpr std::size_t longest_upstream =
    150;                                   // four ids: beside slots' ends, less than a release before this one keeps
constexpr double largest_backoff = 1'000;  // as in job files

std::string join(const std::vector<int>& codes) {
  std::string text;
  for (const int code : codes) text += (text.empty() ? "" : ",") + std::to_string(code);
  return text;
}

/// The shortest text that reads as the same number.
std::string factor_text(double factor) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, factor).ptr};
}

std::string_view word_of(AfterRun what) { return what == AfterRun::rerun ? "rerun" : "reelect"; }

std::vector<int> read_codes(Words& words) {
  std::vector<int> codes;
  std::string_view text = words.rest;
  words.require(!text.empty());
  while (!text.empty() && codes.size() <= most_codes) {
    const std::size_t end = std::min(text.find(','), text.size());
    Words code{text.substr(0, end)};
    codes.push_back(code.number(0, 255));
    words.require(code.ok && end + 1 != text.size());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  words.require(codes.size() <= most_codes);
  return codes;
}

AfterRun read_after(Words& words) { return words.one_of("rerun", AfterRun::rerun, "reelect", AfterRun::reelect); }

void read_node(OpenRun& run, Words& words) {
  words.require(words.rest.size() <= longest_word);
  run.node = words.rest;  // none where it waits
}

void read_state(OpenRun& run, Words& words) {
  const std::string_view state = words.word();
  run.queued = state == "queued";
  words.require(run.queued || state == "claimed" || state == "waiting");
}

using RunField = Field<OpenRun>;
constexpr RunField run_fields[] = {
    {"slot", Times::once, [](OpenRun& run, Words& w) { run.slot = w.time(); }},
    {"trigger", Times::once, [](OpenRun& run, Words& w) { run.trigger = w.keep(parse_trigger(w.word())); }},
    {"kind", Times::at_most_once, [](OpenRun& run, Words& w) { run.trigger = w.keep(parse_trigger(w.word())); }},
    {"attempt", Times::once, [](OpenRun& run, Words& w) { run.attempt = w.count(1); }},
    {"fence", Times::once, [](OpenRun& run, Words& w) { run.fence = w.counter(); }},
    {"epoch", Times::once, [](OpenRun& run, Words& w) { run.epoch = w.counter(); }},
    {"node", Times::once, read_node},
    {"state", Times::once, read_state},
    {"until", Times::at_most_once, [](OpenRun& run, Words& w) { run.waits_until = w.time(); }},
    {"on_leadership_lost", Times::once,
     [](OpenRun& run, Words& w) {
       run.on_leadership_lost = w.one_of("terminate", OnLeadershipLost::terminate, "finish", OnLeadershipLost::finish);
     }},
    {"kill_grace", Times::once, [](OpenRun& run, Words& w) { run.kill_grace = w.span(); }},
    {"lost_after", Times::at_most_once, [](OpenRun& run, Words& w) { run.lost_after = w.span(); }},
    {"guarantee", Times::at_most_once,
     [](OpenRun& run, Words& w) { run.at_least_once = w.one_of("at-least-once", true, "at-most-once", false); }},
    {"lost", Times::at_most_once, [](OpenRun& run, Words& w) { run.lost = w.count(); }},
    {"lost_limit", Times::at_most_once, [](OpenRun& run, Words& w) { run.lost_limit = w.count(1); }},
    {"awaited", Times::at_most_once, [](OpenRun& run, Words&) { run.awaited = true; }},
    {"upstream", Times::at_most_once, [](OpenRun& run, Words& w) { run.variables.edit().upstream = w.line(); }},
    {"env", Times::often, [](OpenRun& run, Words& w) { add_word(run.variables.edit().env, w.rest); }},
    {"begun", Times::at_most_once, [](OpenRun& run, Words& w) { run.begun_at = w.time(); }},
    {"expect_within", Times::at_most_once, [](OpenRun& run, Words& w) { run.expect_within = w.span(); }},
    {"late", Times::at_most_once, [](OpenRun& run, Words&) { run.late = true; }},
    {"slow", Times::at_most_once, [](OpenRun& run, Words&) { run.slow = true; }},
    {"on_success", Times::at_most_once, [](OpenRun& run, Words& w) { run.on_success = read_after(w); }},
    {"on_error", Times::at_most_once, [](OpenRun& run, Words& w) { run.on_error = read_after(w); }},
    {"retries", Times::at_most_once, [](OpenRun& run, Words& w) { run.retries = w.count(); }},
    {"retry_delay", Times::at_most_once, [](OpenRun& run, Words& w) { run.retry_delay = w.span(); }},
    {"retry_max_delay", Times::at_most_once, [](OpenRun& run, Words& w) { run.retry_max_delay = w.span(); }},
    {"retry_backoff", Times::at_most_once,
     [](OpenRun& run, Words& w) { run.retry_backoff = w.factor(1, largest_backoff); }},
    {"success_codes", Times::at_most_once, [](OpenRun& run, Words& w) { run.success_codes = read_codes(w); }},
};

constexpr TextForm<OpenRun> run_form{"the run", run_fields, nullptr};

std::string_view take_field(std::string_view& rest) {
  const std::string_view field = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(field.size() + 1, rest.size()));
  return field;
}

}  // namespace

std::string to_text(const OpenRun& run) {
  std::string text = run.id.text();
  const auto field = [&](std::string_view key, std::string_view value) {
    text.append(" ").append(key).append("=").append(value);
  };
  field("slot", format_slot(run.slot));
  field("trigger", to_string(known_before(run.trigger)));
  if (known_before(run.trigger) != run.trigger) field("kind", to_string(run.trigger));
  field("attempt", std::to_string(run.attempt));
  field("fence", std::to_string(run.fence));
  field("epoch", std::to_string(run.epoch));
  field("node", run.node);
  field("state", run.queued ? "queued" : run.waits_until ? "waiting" : "claimed");
  if (run.waits_until) field("until", format_millis(*run.waits_until));
  field("on_leadership_lost", run.on_leadership_lost == OnLeadershipLost::terminate ? "terminate" : "finish");
  field("kill_grace", format_duration(run.kill_grace));
  if (run.on_leadership_lost == OnLeadershipLost::finish) field("lost_after", format_duration(run.lost_after));
  if (run.success_codes != std::vector<int>{0}) field("success_codes", join(run.success_codes));
  if (run.at_least_once) {
    field("guarantee", "at-least-once");
    field("lost", std::to_string(run.lost));
    field("lost_limit", std::to_string(run.lost_limit));
  }
  if (run.retries > 0) field("retries", std::to_string(run.retries));
  // Also of the last attempt while it waits: whoever takes it over has to know how long.
  if (run.retries > 0 || (run.waits_until && !run.queued && run.attempt > 1)) {
    field("retry_delay", format_duration(run.retry_delay));
    field("retry_backoff", factor_text(run.retry_backoff));
    field("retry_max_delay", format_duration(run.retry_max_delay));
  }
  if (run.on_success != AfterRun::ignore) field("on_success", word_of(run.on_success));
  if (run.on_error != AfterRun::ignore) field("on_error", word_of(run.on_error));
  if (run.awaited) field("awaited", "yes");
  const std::string& upstream = run.variables->upstream;
  if (!upstream.empty() && upstream.size() <= longest_upstream) field("upstream", upstream);
  for (const std::string_view word : words_of(run.variables->env)) field("env", word);
  if (run.expect_within > Millis(0)) {
    field("begun", format_slot(run.begun_at));
    field("expect_within", format_duration(run.expect_within));
  }
  if (run.late) field("late", "yes");
  if (run.slow) field("slow", "yes");
  if (!run.unknown.empty()) text.append(" ").append(run.unknown);
  return text;
}

OpenRun read_open_run(Words& words) {
  OpenRun run;
  run.id = words.keep(RunId::parse(words.word()));
  FieldsRead<OpenRun> seen;
  bool waits = false;
  while (words.ok && !words.rest.empty()) {
    const std::string_view field = take_field(words.rest);
    const std::size_t equals = std::min(field.find('='), field.size());
    const auto known = find_field(run_form.fields, field.substr(0, equals));
    if (!known) {
      run.unknown.append(run.unknown.empty() ? "" : " ").append(field);
      continue;
    }
    waits = waits || field == "state=waiting" || field == "state=queued";
    Words value{field.substr(std::min(equals + 1, field.size()))};
    run_fields[*known].read(run, value);
    words.require(value.ok && seen.add(run_form, *known));
  }
  words.require(seen.missing(run_form).empty());
  const auto env = parse_env_words(run.variables->env);
  words.require(env && fault_of_env(*env).empty());
  words.require((run.expect_within > Millis(0)) == (run.begun_at != WallTime{}));
  words.require(waits ? run.waits_until.has_value() : !run.waits_until && !run.node.empty());
  return run;
}

}  // namespace ballot::core

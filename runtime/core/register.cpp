#include "core/register.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "core/record_text.hpp"

namespace ballot::core {
namespace {

std::string join(const std::vector<int>& codes) {
  std::string text;
  for (const int code : codes) text += (text.empty() ? "" : ",") + std::to_string(code);
  return text;
}

std::vector<int> split_codes(Words& words, std::string_view text) {
  std::vector<int> codes;
  while (!text.empty() && words.ok) {
    const std::size_t end = std::min(text.find(','), text.size());
    codes.push_back(words.as<int>(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return codes;
}

/// The shortest text that reads as the same number.
std::string factor_text(double factor) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, factor).ptr};
}

std::string_view word_of(AfterRun what) { return what == AfterRun::rerun ? "rerun" : "reelect"; }

AfterRun after_run(std::string_view word) {
  return word == "rerun" ? AfterRun::rerun : word == "reelect" ? AfterRun::reelect : AfterRun::ignore;
}

std::string run_text(const OpenRun& run) {
  std::string text = run.id.text();
  const auto field = [&](std::string_view key, std::string_view value) {
    text.append(" ").append(key).append("=").append(value);
  };
  field("slot", format_slot(run.slot));
  field("trigger", to_string(run.trigger));
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
  if (run.retries > 0) {
    field("retries", std::to_string(run.retries));
    field("retry_delay", format_duration(run.retry_delay));
    field("retry_backoff", factor_text(run.retry_backoff));
    field("retry_max_delay", format_duration(run.retry_max_delay));
  }
  if (run.on_success != AfterRun::ignore) field("on_success", word_of(run.on_success));
  if (run.on_error != AfterRun::ignore) field("on_error", word_of(run.on_error));
  if (run.awaited) field("awaited", "yes");
  if (!run.unknown.empty()) text.append(" ").append(run.unknown);
  return text;
}

void read_run_field(OpenRun& run, Words& words, std::string_view field) {
  const std::size_t equals = std::min(field.find('='), field.size());
  const std::string_view key = field.substr(0, equals);
  const std::string_view value = field.substr(std::min(equals + 1, field.size()));
  if (key == "slot")
    run.slot = words.keep(parse_wall(value));
  else if (key == "trigger")
    run.trigger = words.keep(parse_trigger(value));
  else if (key == "attempt")
    run.attempt = words.as<int>(value);
  else if (key == "fence")
    run.fence = words.as<std::uint64_t>(value);
  else if (key == "epoch")
    run.epoch = words.as<std::uint64_t>(value);
  else if (key == "node")
    run.node = value;
  else if (key == "on_leadership_lost")
    run.on_leadership_lost = value == "finish" ? OnLeadershipLost::finish : OnLeadershipLost::terminate;
  else if (key == "kill_grace")
    run.kill_grace = words.keep(parse_duration(value));
  else if (key == "lost_after")
    run.lost_after = words.keep(parse_duration(value));
  else if (key == "guarantee")
    run.at_least_once = value == "at-least-once";
  else if (key == "lost")
    run.lost = words.as<int>(value);
  else if (key == "lost_limit")
    run.lost_limit = words.as<int>(value);
  else if (key == "awaited")
    run.awaited = true;
  else if (key == "until")
    run.waits_until = words.keep(parse_wall(value));
  else if (key == "state")
    run.queued = value == "queued";
  else if (key == "on_success")
    run.on_success = after_run(value);
  else if (key == "on_error")
    run.on_error = after_run(value);
  else if (key == "retries")
    run.retries = words.as<int>(value);
  else if (key == "retry_delay")
    run.retry_delay = words.keep(parse_duration(value));
  else if (key == "retry_max_delay")
    run.retry_max_delay = words.keep(parse_duration(value));
  else if (key == "retry_backoff")
    run.retry_backoff = words.as<double>(value);
  else if (key == "success_codes")
    run.success_codes = split_codes(words, value);
  else
    run.unknown.append(run.unknown.empty() ? "" : " ").append(field);
}

OpenRun read_run(Words& words) {
  OpenRun run;
  run.id = words.keep(RunId::parse(words.word()));
  while (words.ok && !words.rest.empty()) read_run_field(run, words, words.word());
  return run;
}

Disposition read_disposition(Words& words) {
  Disposition d;
  d.from = words.time();
  d.to = words.time();
  d.slots = words.as<std::int64_t>(words.word());
  d.status = words.keep(parse_status(words.word()));
  d.reason = words.keep(parse_reason(words.word()));
  return d;
}

void read_timing(Timing& timing, Words& words, std::string_view key) {
  if (key == "not_before")
    timing.not_before = words.time();
  else if (key == "not_after")
    timing.not_after = words.time();
  else if (key == "timezone")
    timing.timezone = words.word();
  else
    timing.expressions.emplace_back(words.rest);
}

void read_job_line(JobRegister& r, Words& words, std::string_view whole) {
  const std::string_view key = words.word();
  if (key == "group")
    r.group = words.word();
  else if (key == "definition")
    r.definition = words.word();
  else if (key == "schedule" || key == "timezone" || key == "not_before" || key == "not_after")
    read_timing(r.timing, words, key);
  else if (key == "epoch")
    r.epoch = words.number();
  else if (key == "since")
    r.since = words.time();
  else if (key == "cursor")
    r.cursor = words.time();
  else if (key == "paused")
    r.paused = true;
  else if (key == "released")
    r.released = true;
  else if (key == "failing")
    r.failing = true;
  else if (key == "fence")
    r.fence = words.number();
  else if (key == "settled")
    r.dispositions.push_back(read_disposition(words));
  else if (key == "run")
    r.runs.push_back(read_run(words));
  else if (key == "anchor") {
    const WallTime at = words.time();
    r.anchors.push_back({std::string(words.rest), at});
  } else if (key == "triggered")
    r.triggered.push_back(words.keep(RunId::parse(words.word())));
  else if (key == "repaired") {
    r.repaired_at = words.time();
    r.repaired_by = words.rest;
  } else if (key == "boot")
    r.boots.emplace_back(words.word());
  else
    r.unknown.emplace_back(whole);
}

void read_group_line(GroupRegister& r, Words& words, std::string_view whole) {
  const std::string_view key = words.word();
  if (key == "epoch")
    r.epoch = words.number();
  else if (key == "node")
    r.node = words.word();
  else if (key == "elected_at")
    r.elected_at = words.time();
  else if (key == "ended_at")
    r.ended_at = words.time();
  else if (key == "cause")
    r.cause = words.keep(parse_cause(words.word()));
  else if (key == "paused")
    r.paused = true;
  else if (key == "halted")
    r.halted = words.rest;
  else if (key == "repaired") {
    r.repaired_at = words.time();
    r.repaired_by = words.rest;
  } else if (key == "hand_over_to") {
    r.hand_over_to = words.word();
    r.passes = static_cast<int>(words.number());
  } else if (key == "turned") {
    r.turned_at = words.time();
    r.failed_turns = static_cast<int>(words.number());
  } else
    r.unknown.emplace_back(whole);
}

void timing_lines(std::string& text, const Timing& timing) {
  if (!timing.timezone.empty()) line(text, "timezone", timing.timezone);
  for (const std::string& expression : timing.expressions) line(text, "schedule", expression);
  if (timing.not_before) line(text, "not_before", format_slot(*timing.not_before));
  if (timing.not_after) line(text, "not_after", format_slot(*timing.not_after));
}

}  // namespace

std::string job_register(std::string_view job) { return "j/" + std::string(job); }
std::string group_register(std::string_view group) { return "g/" + std::string(group); }

std::string to_text(const JobRegister& r) {
  std::string text;
  text.reserve(512);
  text.append(heading).append("\n");
  line(text, "group", r.group);
  if (!r.definition.empty()) line(text, "definition", r.definition);
  timing_lines(text, r.timing);
  line(text, "epoch", std::to_string(r.epoch));
  line(text, "since", format_slot(r.since));
  line(text, "cursor", format_slot(r.cursor));
  if (r.paused) line(text, "paused", "yes");
  if (r.released) line(text, "released", "yes");
  if (r.failing) line(text, "failing", "yes");
  line(text, "fence", std::to_string(r.fence));
  for (const Disposition& d : r.dispositions) {
    const std::string range = format_slot(d.from) + " " + format_slot(d.to) + " " + std::to_string(d.slots);
    line(text, "settled", range + " " + std::string(to_string(d.status)) + " " + std::string(to_string(d.reason)));
  }
  for (const OpenRun& run : r.runs) line(text, "run", run_text(run));
  for (const Anchor& anchor : r.anchors) line(text, "anchor", format_slot(anchor.at) + " " + anchor.text);
  for (const std::string& boot : r.boots) line(text, "boot", boot);
  for (const RunId& run : r.triggered) line(text, "triggered", run.text());
  if (r.repaired_at) line(text, "repaired", format_millis(*r.repaired_at) + " " + r.repaired_by);
  for (const std::string& unknown : r.unknown) text.append(unknown).append("\n");
  return text;
}

std::string to_text(const GroupRegister& r) {
  std::string text(heading);
  text += "\n";
  line(text, "epoch", std::to_string(r.epoch));
  line(text, "node", r.node);
  line(text, "elected_at", format_millis(r.elected_at));
  if (r.ended_at) line(text, "ended_at", format_millis(*r.ended_at));
  if (r.cause != Cause::none) line(text, "cause", to_string(r.cause));
  if (r.paused) line(text, "paused", "yes");
  if (!r.halted.empty()) line(text, "halted", r.halted);
  if (r.repaired_at) line(text, "repaired", format_millis(*r.repaired_at) + " " + r.repaired_by);
  if (!r.hand_over_to.empty()) line(text, "hand_over_to", r.hand_over_to + " " + std::to_string(r.passes));
  if (r.turned_at) line(text, "turned", format_millis(*r.turned_at) + " " + std::to_string(r.failed_turns));
  for (const std::string& unknown : r.unknown) text.append(unknown).append("\n");
  return text;
}

JobRegister salvage_job_register(std::string_view text) {
  JobRegister rest;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    JobRegister with = rest;
    Words words{whole};
    read_job_line(with, words, whole);
    if (words.ok && with.unknown.size() == rest.unknown.size()) rest = std::move(with);
  }
  return rest;
}

Result<JobRegister> parse_job_register(std::string_view text) {
  return parse_lines<JobRegister>(text, "the register", read_job_line);
}
Result<GroupRegister> parse_group_register(std::string_view text) {
  return parse_lines<GroupRegister>(text, "the register", read_group_line);
}

}  // namespace ballot::core

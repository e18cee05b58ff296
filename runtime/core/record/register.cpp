#include "core/record/register.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/wall_text.hpp"
#include "core/record/open_run_text.hpp"
#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr std::uint32_t most_missed = 4'000'000'000;

Disposition read_disposition(Words& words) {
  Disposition d;
  d.from = words.time();
  d.to = words.time();
  d.slots = words.number<std::int64_t>(1, std::max<std::int64_t>(1, (d.to - d.from) / std::chrono::seconds(1) + 1));
  d.status = words.keep(Named<Status>::parse(words.word()));
  d.reason = words.keep(Named<Reason>::parse(words.word()));
  const bool of_slots = d.status == Status::skipped || d.status == Status::missed || !d.status.is_known();
  words.require(d.from <= d.to && of_slots);
  return d;
}

void read_passed_over(JobRegister& r, Words& words) {
  PassedOver range;
  range.from = words.time();
  range.to = words.time();
  words.require(range.from <= range.to);
  r.passed_over.push_back(range);
}

/// Job files may name any time; no slot lies outside of these.
WallTime read_bound(Words& words) { return std::clamp(words.keep(parse_wall(words.word())), first_time, last_time); }

void add_expression(JobRegister& r, std::string_view text) {
  r.timing.expressions.change([&](std::vector<std::string>& texts) { texts.emplace_back(text); });
}

void read_anchor(JobRegister& r, Words& words) {
  const WallTime at = words.time();
  r.anchors.push_back({std::string(words.line()), at});
}

/// Who has paused and repaired it.
Interventions& interventions(JobRegister& r) { return r.interventions.edit(); }
const Interventions& interventions(const JobRegister& r) { return *r.interventions; }
template <class R>
requires std::same_as<std::remove_const_t<R>, GroupRegister> R& interventions(R& r) { return r; }

template <class R>
void read_repaired(R& r, Words& words) {
  interventions(r).repaired_at = words.time();
  interventions(r).repaired_by = words.line();
}

template <class R>
void read_paused_by(R& r, Words& words) {
  interventions(r).paused_at = words.time();
  interventions(r).paused_by = words.line();
}

/// It comes after the pause that it belongs to.
template <class R>
void read_pause_terms(R& r, Words& words) {
  const auto terms = read_terms(words, r.paused ? interventions(r).paused_at : std::nullopt);
  if (terms) interventions(r).pause_terms = *terms;
}

/// Fields of a pause. A node that does not know the second one keeps it when it resumes: then it means nothing.
template <class R>
void pause_lines(std::string& text, const R& r) {
  if (!r.paused) return;
  line(text, "paused", "yes");
  const auto& by = interventions(r);
  if (!by.paused_at) return;
  free_line(text, "paused_by", format_millis(*by.paused_at) + " " + by.paused_by);
  if (!by.pause_terms.empty()) free_line(text, "pause_terms", terms_line(*by.paused_at, by.pause_terms));
}

template <class R>
void repair_lines(std::string& text, const R& r) {
  const auto& by = interventions(r);
  if (by.repaired_at) free_line(text, "repaired", format_millis(*by.repaired_at) + " " + by.repaired_by);
  if (by.repair > 0) line(text, "repair", std::to_string(by.repair));
}

void read_standing_pause(JobRegister& r, Words& words) {
  Interventions& of = r.interventions.edit();
  of.standing_pause = words.keep(RunId::parse(words.word()));
  of.own_pause = !words.rest.empty();
  words.require(!of.own_pause || words.word() == "own");
}

void read_end(JobRegister& r, Words& words) {
  LastEnd end = read_last_end(words);
  end.last_success = r.last_end->last_success;
  r.last_end.edit() = std::move(end);
}

void read_expected_success(JobRegister& r, Words& words) {
  ExpectedSuccess& success = r.kept.edit().success.edit();
  success.from = words.time();
  words.require(success.from != WallTime{});
  if (!words.rest.empty()) success.overdue = words.time();
}

using JobField = Field<JobRegister>;
constexpr JobField job_fields[] = {
    {"group", Times::once, [](JobRegister& r, Words& w) { r.group = w.name(); }},
    {"definition", Times::at_most_once, [](JobRegister& r, Words& w) { r.definition = w.word(); }},
    {"timezone", Times::at_most_once, [](JobRegister& r, Words& w) { r.timing.timezone = w.word(); }},
    {"schedule", Times::often, [](JobRegister& r, Words& w) { add_expression(r, w.line()); }},
    {"not_before", Times::at_most_once, [](JobRegister& r, Words& w) { r.timing.not_before = read_bound(w); }},
    {"not_after", Times::at_most_once, [](JobRegister& r, Words& w) { r.timing.not_after = read_bound(w); }},
    {"epoch", Times::once, [](JobRegister& r, Words& w) { r.epoch = w.counter(); }},
    {"since", Times::once, [](JobRegister& r, Words& w) { r.since = w.time(); }},
    {"cursor", Times::once, [](JobRegister& r, Words& w) { r.cursor = w.time(); }},
    {"claimed", Times::at_most_once, [](JobRegister& r, Words& w) { r.claimed_until = w.time(); }},
    {"passed_over", Times::often, read_passed_over},
    {"paused", Times::at_most_once, [](JobRegister& r, Words&) { r.paused = true; }},
    {"paused_by", Times::at_most_once, read_paused_by<JobRegister>},
    {"pause_terms", Times::at_most_once, read_pause_terms<JobRegister>},
    {"standing_pause", Times::at_most_once, read_standing_pause},
    {"released", Times::at_most_once, [](JobRegister& r, Words&) { r.released = true; }},
    {"failing", Times::at_most_once, [](JobRegister& r, Words&) { r.failing = true; }},
    {"last_success", Times::at_most_once, [](JobRegister& r, Words& w) { r.last_end.edit().last_success = w.time(); }},
    {"last_end", Times::at_most_once, read_end},
    {"missed", Times::at_most_once,
     [](JobRegister& r, Words& w) { r.missed = w.number<std::uint32_t>(0, most_missed); }},
    {"fence", Times::once, [](JobRegister& r, Words& w) { r.fence = w.counter(); }},
    {"settled", Times::often, [](JobRegister& r, Words& w) { r.dispositions.push_back(read_disposition(w)); }},
    {"run", Times::often, [](JobRegister& r, Words& w) { r.runs.push_back(read_open_run(w)); }},
    {"anchor", Times::often, read_anchor},
    {"boot", Times::often, [](JobRegister& r, Words& w) { r.kept.edit().boots.emplace_back(w.word()); }},
    {"expects_success", Times::at_most_once, read_expected_success},
    {"ended", Times::often, [](JobRegister& r, Words& w) { r.kept.edit().ends.push_back(read_slot_end(w)); }},
    {"chained", Times::often, [](JobRegister& r, Words& w) { r.kept.edit().chained.push_back(read_chained_slot(w)); }},
    {"backfill", Times::at_most_once,
     [](JobRegister& r, Words& w) { r.kept.edit().backfill.push_back(read_backfill(w)); }},
    {"triggered", Times::often,
     [](JobRegister& r, Words& w) { r.triggered.push_back(w.keep(RunId::parse(w.word()))); }},
    {"repaired", Times::at_most_once, read_repaired<JobRegister>},
    {"repair", Times::at_most_once, [](JobRegister& r, Words& w) { r.interventions.edit().repair = w.counter(); }},
    {"claims_passed", Times::at_most_once,
     [](JobRegister& r, Words& w) { r.interventions.edit().claims_passed = w.time(); }},
};

/// What no node writes, however right each field is.
std::string_view fault_of_lists(const JobRegister& r) {
  if (r.runs.size() > open_run_limit) return "it has too many runs";
  if (r.dispositions.size() > disposition_limit) return "it has too many ranges of settled slots";
  if (r.passed_over.size() > passed_over_limit) return "it has too many ranges that were passed over";
  if (r.triggered.size() > triggered_limit) return "it has too many triggered runs";
  if (r.kept->boots.size() > boot_limit) return "it has too many boots";
  if (const std::string_view fault = fault_of(r.kept->ends); !fault.empty()) return fault;
  if (const std::string_view fault = fault_of(r.kept->chained); !fault.empty()) return fault;
  std::size_t unknown = 0;
  for (const std::string& one : r.unknown) unknown += one.size() + 1;
  for (const OpenRun& run : r.runs) unknown += run.unknown.size();
  if (unknown > unknown_limit) return "it has too many fields that this node does not know";
  for (std::size_t i = 1; i < r.dispositions.size(); ++i)
    if (r.dispositions[i].from <= r.dispositions[i - 1].to) return "its settled slots overlap";
  for (std::size_t i = 0; i < r.runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (r.runs[i].id == r.runs[j].id) return "it has a run twice";
  return {};
}

std::string_view fault_of_job(const JobRegister& r) {
  if (r.released && !r.definition.empty()) return "it is released, and has a definition";
  if (!r.dispositions.empty() && r.dispositions.back().to > r.cursor)
    return "it has settled slots that its cursor has not passed";
  return fault_of_lists(r);
}

/// Settled slots say how far the cursor was at least, where its own line cannot be read.
std::string_view fault_of_salvaged(const JobRegister& r) {
  return r.cursor == WallTime{} ? fault_of_lists(r) : fault_of_job(r);
}

/// A pause of which a line can be read stands where the others may be among those that cannot: `pause_terms` say of
/// themselves since when it is.
void salvage_pause(JobRegister& r, std::string_view text, const std::vector<std::string>& left_out) {
  if (!r.paused && !may_be_lost("paused", left_out)) return;
  if (r.interventions->paused_at) r.paused = true;
  while (!text.empty()) {
    Words words{take_line(text)};
    if (!is_plain(words.rest) || words.word() != "pause_terms") continue;
    const WallTime of = Words(words).time();
    const auto terms = read_terms(words, of);
    const bool is_its =
        r.interventions->paused_at ? r.interventions->paused_at == of : may_be_lost("paused_by", left_out);
    if (!words.ok || !terms || !is_its) continue;
    r.paused = true;
    r.interventions.edit().paused_at = of;
    r.interventions.edit().pause_terms = *terms;
  }
}

using GroupField = Field<GroupRegister>;
constexpr GroupField group_fields[] = {
    {"epoch", Times::once, [](GroupRegister& r, Words& w) { r.epoch = w.counter(); }},
    {"node", Times::once, [](GroupRegister& r, Words& w) { r.node = w.word(); }},
    {"elected_at", Times::once, [](GroupRegister& r, Words& w) { r.elected_at = w.time(); }},
    {"ended_at", Times::at_most_once, [](GroupRegister& r, Words& w) { r.ended_at = w.time(); }},
    {"cause", Times::at_most_once, [](GroupRegister& r, Words& w) { r.cause = w.keep(parse_cause(w.word())); }},
    {"led_before", Times::often,
     [](GroupRegister& r, Words& w) {
       const WallTime from = w.time();
       r.led_before.push_back({from, w.time()});
     }},
    {"paused", Times::at_most_once, [](GroupRegister& r, Words&) { r.paused = true; }},
    {"paused_by", Times::at_most_once, read_paused_by<GroupRegister>},
    {"pause_terms", Times::at_most_once, read_pause_terms<GroupRegister>},
    {"halted", Times::at_most_once, [](GroupRegister& r, Words& w) { r.halted = w.line(); }},
    {"halted_at", Times::at_most_once, [](GroupRegister& r, Words& w) { r.halted_at = w.time(); }},
    {"repaired", Times::at_most_once, read_repaired<GroupRegister>},
    {"repair", Times::at_most_once, [](GroupRegister& r, Words& w) { r.repair = w.counter(); }},
    {"hand_over_to", Times::at_most_once,
     [](GroupRegister& r, Words& w) {
       r.hand_over_to = w.word();
       r.forwards = w.count();
     }},
    {"turned", Times::at_most_once,
     [](GroupRegister& r, Words& w) {
       r.last_handover_at = w.time();
       r.failed_handovers = w.count();
     }},
};

std::string_view fault_of_group(const GroupRegister& r) {
  std::size_t unknown = 0;
  for (const std::string& one : r.unknown) unknown += one.size() + 1;
  return unknown > unknown_limit ? "it has too many fields that this node does not know" : "";
}

constexpr TextForm<JobRegister> job_form{"the register", job_fields, fault_of_job, &JobRegister::unknown};
constexpr TextForm<JobRegister> salvage_form{"the register", job_fields, fault_of_salvaged, &JobRegister::unknown};
constexpr TextForm<GroupRegister> group_form{"the register", group_fields, fault_of_group, &GroupRegister::unknown};

void timing_lines(std::string& text, const Timing& timing) {
  if (!timing.timezone.empty()) line(text, "timezone", *timing.timezone);
  for (const std::string& expression : timing.expressions) line(text, "schedule", expression);
  if (timing.not_before) line(text, "not_before", format_slot(*timing.not_before));
  if (timing.not_after) line(text, "not_after", format_slot(*timing.not_after));
}

}  // namespace

std::string job_register(std::string_view job) { return "j/" + std::string(job); }
std::string group_register(std::string_view group) { return "g/" + std::string(group); }

std::optional<std::string> job_of(const Register& stored) {
  if (!stored.name.starts_with("j/")) return std::nullopt;
  std::string name = stored.name.substr(2);
  return is_stored_name(name) ? std::optional(std::move(name)) : std::nullopt;
}

void JobRegister::count_missed(std::int64_t slots) {
  missed = static_cast<std::uint32_t>(std::min<std::int64_t>(missed + slots, most_missed));
}

void JobRegister::go_on_from(WallTime second) {
  const WallTime first = std::exchange(since, std::min(since, second));
  cursor = second;
  if (!kept->ends.empty()) bring_back(kept.edit().ends, second), kept.tidy();
  if (first <= second || claimed_until <= second) return;
  if (passed_over.size() >= passed_over_limit) passed_over.erase(passed_over.begin());
  passed_over.push_back({second + std::chrono::seconds(1), std::min(first, claimed_until)});
  std::rotate(passed_over.begin(), passed_over.end() - 1, passed_over.end());
}

void JobRegister::end_backfill() {
  if (!backfill()) return;
  triggered.push_back(backfill()->id);
  bound_triggered();
  kept.edit().backfill.clear();
  kept.tidy();
}

void JobRegister::bound_triggered() {
  if (triggered.size() <= triggered_limit) return;
  std::sort(triggered.begin(), triggered.end());
  triggered.erase(triggered.begin(), triggered.end() - triggered_limit);
}

void JobRegister::note_claims_passed() {
  const auto& repaired = interventions->repaired_at;
  if (claimed_until <= cursor && repaired != interventions->claims_passed)
    interventions.edit().claims_passed = repaired;
}

bool JobRegister::is_claimed(WallTime slot) const {
  return slot <= claimed_until && std::none_of(passed_over.begin(), passed_over.end(), [&](const PassedOver& range) {
           return range.from <= slot && slot <= range.to;
         });
}

bool JobRegister::may_have_forgotten(WallTime at) const {
  return at <= interventions->repaired_at &&
         at.time_since_epoch().count() <= static_cast<std::int64_t>(interventions->repair);
}

WallTime JobRegister::alike_until(WallTime slot) const {
  if (slot > claimed_until) return last_time;
  WallTime until = claimed_until;
  for (const PassedOver& range : passed_over) {
    if (range.from <= slot && slot <= range.to) return range.to;
    if (range.from > slot) until = std::min(until, range.from - Millis(1));
  }
  return until;
}

std::string to_text(const JobRegister& r) {
  std::string text;
  text.reserve(512);
  text.append(heading).append("\n");
  line(text, "group", *r.group);
  if (!r.definition.empty()) line(text, "definition", r.definition.text());
  timing_lines(text, r.timing);
  line(text, "epoch", std::to_string(r.epoch));
  line(text, "since", format_slot(r.since));
  line(text, "cursor", format_slot(r.cursor));
  if (r.claimed_until != WallTime{}) line(text, "claimed", format_slot(r.claimed_until));
  for (const PassedOver& range : r.passed_over)
    line(text, "passed_over", format_slot(range.from) + " " + format_slot(range.to));
  pause_lines(text, r);
  if (const auto& followed = r.interventions->standing_pause)
    line(text, "standing_pause", followed->text() + (r.interventions->own_pause ? " own" : ""));
  if (r.released) line(text, "released", "yes");
  if (r.failing) line(text, "failing", "yes");
  if (r.last_end->last_success) line(text, "last_success", format_millis(*r.last_end->last_success));
  if (r.last_end->run) line(text, "last_end", to_text(*r.last_end));
  if (r.missed > 0) line(text, "missed", std::to_string(r.missed));
  line(text, "fence", std::to_string(r.fence));
  for (const Disposition& d : r.dispositions) {
    const std::string range = format_slot(d.from) + " " + format_slot(d.to) + " " + std::to_string(d.slots);
    line(text, "settled", range + " " + std::string(to_string(d.status)) + " " + std::string(to_string(d.reason)));
  }
  for (const OpenRun& run : r.runs) line(text, "run", to_text(run));
  for (const Anchor& anchor : r.anchors) line(text, "anchor", format_slot(anchor.at) + " " + anchor.text);
  for (const std::string& boot : r.kept->boots) line(text, "boot", boot);
  for (const SlotEnd& end : r.kept->ends) line(text, "ended", to_text(end));
  for (const ChainedSlot& slot : r.kept->chained) line(text, "chained", to_text(slot));
  if (const ExpectedSuccess& success = *r.kept->success; success.from != WallTime{})
    line(text, "expects_success",
         format_slot(success.from) + (success.overdue ? " " + format_slot(*success.overdue) : ""));
  if (const Backfill* const backfill = r.backfill()) line(text, "backfill", to_text(*backfill));
  for (const RunId& run : r.triggered) line(text, "triggered", run.text());
  repair_lines(text, r);
  if (const auto& at = r.interventions->claims_passed) line(text, "claims_passed", format_millis(*at));
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
  for (const LedSpan& span : r.led_before)
    line(text, "led_before", format_millis(span.from) + " " + format_millis(span.until));
  pause_lines(text, r);
  if (!r.halted.empty()) free_line(text, "halted", r.halted);
  if (!r.halted.empty() && r.halted_at) line(text, "halted_at", format_millis(*r.halted_at));
  repair_lines(text, r);
  if (!r.hand_over_to.empty()) line(text, "hand_over_to", r.hand_over_to + " " + std::to_string(r.forwards));
  if (r.last_handover_at)
    line(text, "turned", format_millis(*r.last_handover_at) + " " + std::to_string(r.failed_handovers));
  for (const std::string& unknown : r.unknown) text.append(unknown).append("\n");
  return text;
}

bool may_be_lost(std::string_view key, const std::vector<std::string>& left_out) {
  return std::any_of(left_out.begin(), left_out.end(),
                     [&](const std::string& one) { return one.empty() || one == key; });
}
JobRegister salvage_job_register(std::string_view text, std::vector<std::string>* left_out) {
  std::vector<std::string> own;
  std::vector<std::string>& lost = left_out ? *left_out : own;
  JobRegister r = salvage_text(salvage_form, text, &lost);
  salvage_pause(r, text.substr(0, largest_text), lost);
  if (r.cursor == WallTime{} && !r.dispositions.empty()) r.cursor = r.dispositions.back().to;
  return r;
}
Result<JobRegister> parse_job_register(std::string_view text) { return parse_text(job_form, text); }
Result<GroupRegister> parse_group_register(std::string_view text) { return parse_text(group_form, text); }

}  // namespace ballot::core

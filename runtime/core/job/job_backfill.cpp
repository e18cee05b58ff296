#include "core/job/job_backfill.hpp"

#include <algorithm>
#include <utility>

#include "base/wall_text.hpp"
#include "core/job/job_writes.hpp"
#include "core/job/trigger_answers.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t most_counted = 10'000;

std::string slots_text(std::size_t count) {
  if (count == most_counted) return std::to_string(count) + " slots or more";
  return std::to_string(count) + (count == 1 ? " slot" : " slots");
}

/// Why a write that nobody has asked for has ended it.
std::string cause_of(const PendingWrite& write) {
  if (write.is<FinishRepair>()) return "the job was repaired";
  if (write.next.definition.empty()) return "no job file of its group defines the job any more";
  return "its job's slots are others by an edit";
}

}  // namespace

void JobBackfill::answer(const RunId& request, Answer answer) {
  c_.wants.answers.push_back({request, std::move(answer)});
}

bool JobBackfill::change() {
  while (job_.commands.next_backfill()) {
    const Request asked = job_.commands.take_backfill();
    if (auto known = answer_at_once(asked)) {
      answer(asked.id, *std::move(known));
      continue;
    }
    JobWrites writes{c_, job_, machine_};
    PendingWrite write = writes.begin(0);
    write.intent = ChangeBackfill{asked.id};
    if (asked.kind == Request::Kind::backfill_stop)
      write.next.end_backfill();
    else
      write.next.kept.edit().backfill.push_back(
          {asked.id, c_.now.wall, asked.by, asked.parallel, 0, settled(asked.slots)});
    writes.send(std::move(write));
    return true;
  }
  return false;
}

bool JobBackfill::finish() {
  const Backfill* const backfill = job_.view.stored().backfill();
  if (!backfill || !job_.is_defined() || job_.is_draining()) return false;
  if (job_.slots.first_within(backfill->left) || job_.runs.list().backfilling() > 0) return false;
  JobWrites writes{c_, job_, machine_};
  PendingWrite write = writes.begin(disposition_limit);
  write.intent = ChangeBackfill{};
  write.next.end_backfill();
  writes.send(std::move(write));
  return true;
}

/// Those that the cursor has not passed are to be run by the schedule, or skipped.
SlotRanges JobBackfill::settled(SlotRanges slots) const {
  const WallTime cursor = job_.view.stored().cursor;
  std::erase_if(slots, [&](const SlotRange& range) { return range.from > cursor; });
  if (!slots.empty()) slots.back().to = std::min(slots.back().to, cursor);
  return slots;
}

/// The same request may be read twice: by the next leader, where this one has not answered it.
std::optional<Answer> JobBackfill::answer_of_repeated(const RunId& request) const {
  const JobRegister& stored = job_.view.stored();
  if (stored.backfill() && stored.backfill()->id == request) return Answer::did("the backfill goes on");
  const auto& done = stored.triggered;
  if (std::find(done.begin(), done.end(), request) != done.end()) return Answer::did("the backfill is over");
  if (auto refusal = refusal_after_repair(stored, request)) return refusal;
  if (done.size() < triggered_limit || request > *std::min_element(done.begin(), done.end())) return std::nullopt;
  return Answer::refused(Errc::unavailable, "whether it was begun before is not known any more; ask again");
}

/// None: it takes a write.
std::optional<Answer> JobBackfill::answer_at_once(const Request& asked) const {
  const auto refuse = [&](Errc code, const std::string& why) { return Answer::refused(code, why); };
  const Backfill* const going_on = job_.view.stored().backfill();
  if (asked.kind == Request::Kind::backfill_stop)
    return going_on ? std::nullopt : std::optional(Answer::did("no backfill of job " + job_.name + " goes on"));
  if (auto repeated = answer_of_repeated(asked.id)) return repeated;
  if (!job_.is_defined()) return refuse(Errc::not_found, "no job file defines " + job_.name);
  if (c_.settings.dry_run) return refuse(Errc::conflict, "the daemon runs with --dry-run");
  if (going_on)
    return refuse(Errc::conflict, "a backfill of job " + job_.name + " goes on since " + format_millis(going_on->at) +
                                      (going_on->by.empty() ? "" : ", by " + going_on->by) + "; `ballot backfill " +
                                      job_.name + " --stop` ends it");
  if (!job_.definition->job.enabled)
    return refuse(Errc::refused, "job " + job_.name + " is disabled: it has no slots; a trigger runs it");
  if (job_.slots.first_within(settled(asked.slots))) return std::nullopt;
  if (!job_.slots.first_within(asked.slots))
    return refuse(Errc::refused, "by its schedule job " + job_.name + " has no slot there");
  return refuse(Errc::refused, "what becomes of these slots is not decided yet: up to " +
                                   format_slot(job_.view.stored().cursor) + " it is" +
                                   (job_.is_paused() ? ", for the job is paused" : ""));
}

std::string JobBackfill::left_text(const Backfill& backfill) const {
  const auto next = job_.slots.first_within(backfill.left);
  if (!next) return "all of its slots were begun";
  return slots_text(job_.slots.count_within(backfill.left, most_counted)) + " from " + format_slot(*next) +
         " on are not begun";
}

/// For whoever asks later what became of the slots that it has not come to.
void JobBackfill::record_end(const Backfill& before, const std::string& why) {
  RequestRow request;
  request.id = c_.random.run_id(c_.now.wall);
  request.kind = std::string(to_string(Request::Kind::backfill_stop));
  request.job = job_.name;
  request.node = c_.settings.node;
  request.at = c_.now.wall;
  request.by = c_.settings.node + ", as " + why;
  const RunId id = request.id;
  c_.out.push_back(RecordRequest{std::move(request)});
  c_.out.push_back(RecordAnswer{{id, "done", left_text(before), c_.now.wall}});
}

void JobBackfill::confirm(const PendingWrite& write) {
  const Backfill* const before = job_.view.stored().backfill();
  const Backfill* const next = write.next.backfill();
  const auto* const asked = write.intent_as<ChangeBackfill>();
  const bool is_new = next && !before, is_over = before && !next;
  if (is_new) {
    const std::string text = "backfill of " + slots_text(job_.slots.count_within(next->left, most_counted)) +
                             " up to " + format_slot(next->left.back().to);
    c_.out.push_back(Notice{Level::info, text, {{"job", job_.name}, {"by", next->by}}});
    if (asked && asked->request) answer(*asked->request, Answer::did(text));
  }
  if (!is_over) return;
  const bool is_done = asked && !asked->request;
  const std::string text = "the backfill is " + std::string(is_done ? "done" : "stopped") + ": " +
                           slots_text(before->begun) + " begun" + (is_done ? "" : ", " + left_text(*before));
  if (asked && asked->request) answer(*asked->request, Answer::did(text));
  Notice notice{is_done || asked ? Level::info : Level::warn, text, {{"job", job_.name}}};
  if (!asked) notice.fields.emplace_back("why", cause_of(write));
  c_.out.push_back(std::move(notice));
  if (!asked) record_end(*before, cause_of(write));
}

}  // namespace ballot::core

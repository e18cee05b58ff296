#include "library/backfill/backfill_desk.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/instance.hpp"
#include "base/quoted.hpp"
#include "base/wall_text.hpp"
#include "config/other_instance.hpp"
#include "core/job/slots/slot_feed.hpp"
#include "core/record/record_text.hpp"
#include "core/record/register.hpp"
#include "io/clocks.hpp"
#include "library/backfill/slot_choice.hpp"
#include "library/shown/ledger_ask.hpp"

namespace ballot::library {
namespace {

using io::Message;

constexpr Millis settled_patience{5000};

core::Request backfill_request(core::Request::Kind kind, const std::string& job) {
  core::Request request;
  request.kind = kind;
  request.job = job;
  return request;
}

/// Errors: invalid.
Result<SlotsAsked> slots_asked_from(const Message& message, WallTime now) {
  SlotsAsked asked;
  asked.job = message.text("job").value_or("");
  const auto since = message.text("since"), until = message.text("until");
  if (!since) return Error{Errc::invalid, "since must say from when on slots are to be run"};
  for (const auto& text : {since, until})
    if (text && !parse_wall(*text))
      return Error{Errc::invalid, "since and until: " + ballot::quoted(*text) + " is no time as 2025-03-09T07:00:00Z"};
  asked.since = *parse_wall(*since);
  asked.until = until ? *parse_wall(*until) : now;
  const auto which = parse_which(message.text("which").value_or(""));
  if (!which) return Error{Errc::invalid, "which must be failed, missed or all"};
  asked.which = *which;
  asked.until = std::min(asked.until, now);
  if (asked.since >= asked.until)
    return Error{Errc::invalid, "since must be before until, and in the past: " + format_millis(asked.since) +
                                    " is not before " + format_millis(asked.until)};
  return asked;
}

std::string slots_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " slot" : " slots"); }

/// Where nothing is to be run.
std::string nothing_text(std::size_t considered, std::size_t going_on) {
  if (considered == 0) return "nothing to run: by its schedule the job has no slot there that is settled";
  std::string text = "nothing to run: none of " + slots_text(considered) + " is to be run again";
  return going_on == 0 ? text : text + "; of " + slots_text(going_on) + " a run goes on";
}

Message choice_message(const SlotChoice& choice) {
  std::vector<Message> slots;
  for (const ChosenSlot& one : choice.chosen)
    slots.push_back(Message().set("slot", format_slot(one.slot)).set("why", one.why));
  Message message;
  message.set("slots", std::move(slots)).set("considered", static_cast<std::int64_t>(choice.considered));
  message.set("going_on", static_cast<std::int64_t>(choice.going_on));
  if (choice.ranges.empty()) return message;
  const std::string_view fault = core::fault_of(choice.ranges);
  return fault.empty() ? message.set("ranges", core::to_text(choice.ranges)) : message.set("fault", std::string(fault));
}

}  // namespace

struct BackfillDesk::Asking {
  io::Question question;
  io::Reply reply;
  SlotsAsked asked;
  schedule::DefinitionPtr definition;
  int parallel = 1;
  bool is_dry = false;
  std::vector<WallTime> slots = {};  // that are settled
  std::set<WallTime> open = {};      // with a run that goes on
};

void BackfillDesk::answer(const io::Question& question, const io::Reply& reply) const {
  const Message& message = question.message;
  const std::string job = message.text("job").value_or("");
  const bool stops = message.flag("stop").value_or(false);
  if (stops && message.flag("dry_run").value_or(false))
    return reply.fail({Errc::invalid, "stop ends the whole backfill: with dry_run it would not"});
  if (stops) return request_(backfill_request(core::Request::Kind::backfill_stop, job), question, reply);
  auto asked = slots_asked_from(message, io::read_clocks().wall);
  if (!asked) return reply.fail(asked.error());
  const auto parallel = message.integer("parallel").value_or(1);
  if (parallel < 1 || parallel > core::most_parallel)
    return reply.fail({Errc::invalid, "parallel must be from 1 to " + std::to_string(core::most_parallel)});
  const auto own = parts_.jobs.set().definitions.find(job);
  const schedule::DefinitionPtr definition =
      own != parts_.jobs.set().definitions.end() ? *own : config::definition_on(parts_.jobs.set(), name_, job);
  if (!definition && !parts_.node.core().views().group_of_instances(job).empty())
    return reply.fail({Errc::invalid, "job " + job + " runs on each node: name one of its instances, as " +
                                          instance_name(job, name_)});
  if (!definition) return reply.fail({Errc::not_found, "no job " + job + " is in force; see `ballot jobs`"});
  if (!definition->job.enabled || definition->plan.empty())
    return reply.fail({Errc::refused, "job " + job + (definition->job.enabled ? " has no schedule" : " is disabled") +
                                          ": it has no slots; `ballot trigger` runs it"});
  read_register(std::make_shared<Asking>(Asking{question, reply, *std::move(asked), definition,
                                                static_cast<int>(parallel), message.flag("dry_run").value_or(false)}));
}

void BackfillDesk::read_register(const AskingPtr& asking) const {
  parts_.node.read(
      {core::job_register(asking->asked.job)}, settled_patience, [this, asking](const io::Engine::Registers& read) {
        const io::Reply& reply = asking->reply;
        const std::string& job = asking->asked.job;
        if (!read) return reply.fail({Errc::unavailable, "the store does not say what is settled of job " + job});
        if (read->empty()) return reply.fail({Errc::refused, "job " + job + " has no register yet: nobody has led it"});
        const auto stored = core::parse_job_register(read->front().value);
        if (!stored) return reply.fail({Errc::refused, "job " + job + ": " + stored.error().what});
        const auto anchors = core::phase_of(asking->definition->plan, *stored);
        if (!anchors)
          return reply.fail({Errc::unavailable, "from when on job " + job + " counts is not known yet; try again"});
        // What the cursor has not passed is the schedule's to run.
        const WallTime until = std::min(asking->asked.until, stored->cursor + Millis(1));
        auto slots = slots_of_plan(asking->definition->plan, *anchors, asking->asked.since, until);
        if (!slots) return reply.fail(slots.error());
        asking->slots = *std::move(slots);
        for (const core::OpenRun& run : stored->runs) asking->open.insert(run.slot);
        choose(asking);
      });
}

void BackfillDesk::choose(const AskingPtr& asking) const {
  const auto read = [asked = asking->asked, slots = asking->slots,
                     open = asking->open](LedgerView& ledger) -> Result<Message> {
    const auto choice = choose_slots(ledger, asked, slots, open);
    if (!choice) return choice.error();
    return choice_message(*choice);
  };
  const io::Handler desk = [this, read](const io::Question& question, const io::Reply& reply) {
    parts_.desk.answer(question, reply, read);
  };
  io::Question question = asking->question;
  question.message = Message().set("do", std::string("ledger")).set("scope", std::string("fleet"));
  const auto ask = [this, asking, desk, question] {
    ask_ledger(desk, question, asking->reply, [this, asking](const Result<Message>& choice) {
      if (!choice) return asking->reply.fail(choice.error());
      go_on(asking, *choice);
    });
  };
  if (parts_.node.ledger_state().degraded) return ask();
  parts_.node.flush(ask);
}

void BackfillDesk::go_on(const AskingPtr& asking, const Message& choice) const {
  const auto chosen = choice.objects("slots");
  const auto considered = static_cast<std::size_t>(choice.integer("considered").value_or(0));
  const auto going_on = static_cast<std::size_t>(choice.integer("going_on").value_or(0));
  if (asking->is_dry || chosen.empty()) {
    Message answer;
    answer.set("done", true);
    answer.set("text", chosen.empty() ? nothing_text(considered, going_on)
                                      : slots_text(chosen.size()) + " of " + std::to_string(considered) +
                                            " would be run, oldest first; nothing is begun by --dry-run");
    return asking->reply.finish(answer.set("slots", chosen));
  }
  core::Request request = backfill_request(core::Request::Kind::backfill, asking->asked.job);
  if (const auto fault = choice.text("fault"))
    return asking->reply.fail({Errc::invalid, slots_text(chosen.size()) + " of " + std::to_string(considered) +
                                                  " would be run, which cannot be asked for: " + *fault});
  const std::string text = choice.text("ranges").value_or("");
  core::Words words{text};
  request.slots = core::read_slot_ranges(words);
  request.parallel = asking->parallel;
  request_(request, asking->question, asking->reply);
}

}  // namespace ballot::library

#include "library/why/why_desk.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "core/record/move_marks.hpp"
#include "io/clocks.hpp"
#include "library/held/stored_states.hpp"
#include "library/shown/ledger_ask.hpp"

namespace ballot::library {
namespace {

using io::Message;

constexpr Millis registers_patience{2000}, leader_patience{2000};
constexpr const char* unfinished = "facts_lack";  // of an answer that needs the whole facts

Result<WhyAsked> asked_from(const Message& message) {
  WhyAsked asked{message.text("job").value_or("")};
  if (const auto slot = message.integer("slot")) asked.at = WallTime(Millis(*slot));
  const auto run = message.text("run");
  if (!run) return asked;
  asked.run = RunId::parse(*run);
  if (!asked.run) return Error{Errc::invalid, "run: '" + *run + "' is no run's id"};
  return asked;
}

void note_registers(const std::vector<Register>& registers, UnrecordedSlot& slot) {
  note_stored(StoredStates::of(registers, io::read_clocks().wall).of(slot.job, slot.group), slot);
  for (const Register& one : registers)
    if (one.name == core::job_register(slot.job))
      if (const auto stored = core::parse_job_register(one.value))
        slot.since = stored->since, slot.settled_until = std::max(stored->cursor, stored->since);
}

/// Whether the node that leads the job was heard of of late, and what it says of itself.
void note_leader(const FleetNode& node, UnrecordedSlot& slot) {
  slot.leader_is_silent = node.state == "silent";
  slot.leader_heard = node.last_heard;
  slot.leader_until = node.session_until;
  if (slot.leader_trouble.empty()) slot.leader_trouble = why_unfit(node);
}

}  // namespace

struct WhyDesk::Asking {
  io::Question question;
  io::Reply reply;
  WhyAsked asked;
  WhyFacts facts = {};
};

void WhyDesk::answer(const io::Question& question, const io::Reply& reply) const {
  auto asked = asked_from(question.message);
  if (!asked) return reply.fail(asked.error());
  const auto asking = std::make_shared<Asking>(Asking{question, reply, *std::move(asked)});
  asking->facts = facts_by_files(asking->asked, parts_.jobs.set(), name_, io::read_clocks().wall);
  asking->facts.slot.keep = keep_;
  note_chain(*asking);
  asking->question.message.set("jobs", std::vector{asking->asked.job});
  parts_.views.job(asking->asked.job, [this, asking](const core::JobView* view) {
    UnrecordedSlot& slot = asking->facts.slot;
    if (view) {
      note_job(*view, *asking);
    } else if (!asking->facts.is_known && asking->question.message.flag("defined_here").value_or(false)) {
      slot.schedule = UnrecordedSlot::Schedule::some;
      slot.daemon = UnrecordedSlot::Daemon::unaware;
      if (const auto at = asking->question.message.integer("scheduled"))
        asking->facts.scheduled = WallTime(Millis(*at));
    }
    const NodeStatus status = parts_.views.node_status();
    slot.store_is_silent = status.store_is_silent;
    slot.store_heard = status.store_heard;
    slot.store_refusal = status.refusal;
    if (slot.leader == name_)
      slot.leader_trouble = parts_.node.is_stopping() ? "stopping: nothing new is launched" : status.refusal;
    asking->facts.job.store_is_silent = status.store_is_silent;
    ask(asking);
  });
}

/// What this node leads of its chain.
void WhyDesk::note_chain(Asking& asking) const {
  const core::Views views = parts_.node.core().views();
  std::vector<std::string> names{asking.asked.job};
  for (auto& [name, job] : asking.facts.job.chain) {
    if (name != asking.asked.job) names.push_back(name);
    const auto view = views.find_job(asking.facts.slot.now, name);
    if (!view || view->leader != name_) continue;
    job.pauses = standing_pauses_of(*view);
    job.since = view->since;
  }
  asking.facts.job.to_come = attempts_to_come(views.runs_of_others(names));
}

void WhyDesk::note_job(const core::JobView& view, Asking& asking) const {
  UnrecordedSlot& slot = asking.facts.slot;
  asking.facts.is_known = true;
  slot.group = view.group;
  slot.leader = view.leader;
  slot.without_candidates = view.without_candidates;
  slot.state = text_of(view);
  slot.trouble = view.trouble;
  slot.halted_at = view.halted_at;
  slot.halted_with_group = view.halted_with_group;
  slot.since = view.since;
  if (slot.leader == name_) slot.settled_until = view.previous ? view.previous : view.since;
  slot.pauses = standing_pauses_of(view);
  if (slot.leader == name_) slot.has_phase = true;
  const core::Views views = parts_.node.core().views();
  asking.facts.waiting = views.waiting(asking.asked.job);
  if (slot.leader == name_) asking.facts.in_question = views.runs_in_question(asking.asked.job);
}

void WhyDesk::ask(const AskingPtr& asking) const {
  const bool is_shown = asking->question.message.text("form") == "shown";
  const auto read = [asked = asking->asked, facts = asking->facts, is_shown](LedgerView& ledger) -> Result<Message> {
    const auto answer = explain_asked(ledger, asked, facts);
    if (!answer) return answer.error();
    if (!*answer) return Message().set(unfinished, true);
    return is_shown ? shown(**answer, facts.slot.group, ledger) : to_message(**answer, ledger);
  };
  const auto go_on = [this, asking, read] {
    const io::Handler desk = [this, read](const io::Question& question, const io::Reply& reply) {
      parts_.desk.answer(question, reply, read);
    };
    ask_ledger(desk, asking->question, asking->reply, [this, asking](const Result<Message>& answer) {
      if (!answer) return asking->reply.fail(answer.error());
      if (!answer->flag(unfinished)) return asking->reply.finish(*answer);
      asking->facts.is_whole = true;
      ask_store(asking);
    });
  };
  if (asking->facts.is_whole || parts_.node.ledger_state().degraded) return go_on();
  parts_.node.flush(go_on);
}

/// Of what this node leads it knows what is in the store.
void WhyDesk::ask_store(const AskingPtr& asking) const {
  const UnrecordedSlot& slot = asking->facts.slot;
  if (slot.group.empty() || slot.leader == name_ || slot.store_is_silent) return ask_leaders(asking);
  std::vector<std::string> names{core::job_register(slot.job), core::group_register(slot.group),
                                 core::pause_record(common_name(slot.job))};
  names.insert(names.end(), std::begin(core::holding_marks), std::end(core::holding_marks));
  parts_.node.read(std::move(names), registers_patience, [this, asking](const io::Engine::Registers& registers) {
    UnrecordedSlot& facts = asking->facts.slot;
    if (registers) note_registers(*registers, facts);
    ask_leaders(asking);
  });
}

/// Another node's instance is in a group that this node is no candidate of.
void WhyDesk::ask_leaders(const AskingPtr& asking) const {
  const UnrecordedSlot& slot = asking->facts.slot;
  const bool is_elsewhere = slot.schedule == UnrecordedSlot::Schedule::not_loaded && !slot.group.empty();
  if (!is_elsewhere || slot.store_is_silent) return ask_nodes(asking);
  parts_.views.leaders([this, asking](const LeadersPtr& leaders) {
    UnrecordedSlot& facts = asking->facts.slot;
    const auto leader = leaders ? leaders->find(facts.group) : Leaders::const_iterator();
    if (leaders && leader != leaders->end()) facts.leader = leader->second.node;
    facts.is_led_by_nobody = leaders && leader == leaders->end();
    ask_nodes(asking);
  });
}

void WhyDesk::ask_nodes(const AskingPtr& asking) const {
  if (asking->facts.slot.leader.empty()) return ask(asking);
  parts_.fleet.look(parts_.views.node_status(), leader_patience, [this, asking](const std::vector<FleetNode>& nodes) {
    for (const FleetNode& node : nodes)
      if (node.node == asking->facts.slot.leader) note_leader(node, asking->facts.slot);
    ask(asking);
  });
}

}  // namespace ballot::library

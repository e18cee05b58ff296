#include "app/why_nothing.hpp"

#include <algorithm>

#include "app/why_text.hpp"
#include "base/duration.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

using Schedule = UnrecordedSlot::Schedule;
using Daemon = UnrecordedSlot::Daemon;

std::string next_of(const UnrecordedSlot& slot) {
  return slot.next ? " The next slot is " + format_slot(*slot.next) + "." : "";
}

/// Of a slot that no node of the fleet has a row of.
std::string not_yet(const UnrecordedSlot& slot) {
  constexpr Millis written_within = std::chrono::minutes(1);
  if (slot.slot && *slot.slot > slot.now - written_within)
    return "what becomes of a slot is written within seconds. Ask again.";
  return "whoever led the group then has not recorded it, or nobody has settled it; `ballot audit` says which slots "
         "have "
         "no row.";
}

std::string led_elsewhere(const UnrecordedSlot& slot) {
  const std::string leads = "Node " + slot.leader + " leads group " + slot.group;
  if (slot.scope == UnrecordedSlot::Scope::node) return leads + ": ask there. Ledgers belong to their nodes.";
  return leads + ", and no ledger has a row of the slot: " + not_yet(slot);
}

/// A dead node's group has to wait until nothing of its term can go on.
std::string led_by_silent(const UnrecordedSlot& slot) {
  return "Node " + slot.leader + ", which leads group " + slot.group + ", does not renew its session" +
         (slot.leader_heard ? "; it was last heard of " + format_millis(*slot.leader_heard) : "") +
         ". Another node leads the group once that session is over: runs of the dead term with on_leadership_lost = "
         "\"terminate\" are killed by then, so that none goes on beside the next. The slots that pass meanwhile are "
         "settled by the next leader, by the job's misfire policy.";
}

bool is_led_elsewhere(const UnrecordedSlot& slot) { return !slot.leader.empty() && slot.leader != slot.node; }

/// Of a job that runs by hand alone: its runs may be another node's.
std::string triggered_elsewhere(const UnrecordedSlot& slot) {
  return is_led_elsewhere(slot) && slot.missing.empty() ? " " + led_elsewhere(slot) : "";
}

bool is_paused(const UnrecordedSlot& slot) {
  const auto since = paused_since(slot.pauses);
  return slot.state == "paused" && (!since || *slot.slot >= *since);
}

std::string paused_text(const UnrecordedSlot& slot) {
  return "The job is " + pauses_text(slot.pauses) +
         ". Slots that pass meanwhile become skipped: paused when it is resumed (" +
         resume_commands(slot.pauses, slot.job, slot.group) + ").";
}

std::string ask_node_of_instance(const UnrecordedSlot& slot) {
  const bool is_missing =
      std::find(slot.missing.begin(), slot.missing.end(), node_of_instance(slot.job)) != slot.missing.end();
  const bool has_answered = !is_missing && slot.scope == UnrecordedSlot::Scope::fleet;
  if (has_answered) return ". It has answered, and has no row of the slot: " + not_yet(slot);
  return is_missing ? ". It has not answered: what became of the slot nobody else knows, and while that node is away "
                      "nobody runs it."
                    : ": ask there.";
}

/// Why the files make no slot of it: "" where they do.
std::string why_not_scheduled(const UnrecordedSlot& slot) {
  switch (slot.schedule) {
    case Schedule::not_loaded:
      if (is_instance(slot.job) && node_of_instance(slot.job) != slot.node && slot.slot && is_paused(slot))
        return paused_text(slot);
      if (is_instance(slot.job) && node_of_instance(slot.job) != slot.node)
        return "It is the instance of node " + std::string(node_of_instance(slot.job)) +
               ", which runs the job for itself and keeps what became of it" + ask_node_of_instance(slot);
      return "No job file that this node reads defines the job any more, so nothing of it is due.";
    case Schedule::of_program:
      return "The job is defined by the program that embeds ballot, not by a file, and its schedule is not known here. "
             "This node's ledger has no slot of it up to that time." +
             next_of(slot) + (is_led_elsewhere(slot) ? " " + led_elsewhere(slot) : "");
    case Schedule::disabled:
      return "Its job file says enabled = false: it is never due; `ballot trigger` runs it." +
             triggered_elsewhere(slot);
    case Schedule::none: return "It has no schedule: it runs by `ballot trigger` only." + triggered_elsewhere(slot);
    case Schedule::only_reboot:
      return "Its slots are the boots of the node that leads its group, and this node's ledger has none of them.";
    case Schedule::some: break;
  }
  return {};
}

/// What keeps the job from being settled now: "" where nothing does.
std::string why_not_settled(const UnrecordedSlot& slot) {
  if (slot.state.starts_with("waiting for group"))
    return "The job moved to another group, and the one that had it has not released it yet: it is " + slot.state + ".";
  if (is_paused(slot)) return paused_text(slot);
  if (slot.state == "clock_skew")
    return "The job is settled ahead of this node's clock, and waits until the clock is there: see `ballot status`.";
  if (slot.leader.empty())
    return "Nobody leads group " + slot.group +
           " at present. Whoever leads it next settles the slots that were passed, by the job's misfire policy.";
  if (is_led_elsewhere(slot) && slot.leader_is_silent) return led_by_silent(slot);
  return is_led_elsewhere(slot) ? led_elsewhere(slot) : "";
}

bool is_before_definition(const UnrecordedSlot& slot) { return slot.since && *slot.slot <= *slot.since; }

std::string not_due(const UnrecordedSlot& slot) {
  return "The slot was not due: the job, as it is defined now, counts from " + format_slot(*slot.since) + " on.";
}

/// A slot that was due after the leader was last heard of is in no ledger.
bool is_after_silence(const UnrecordedSlot& slot) {
  return is_led_elsewhere(slot) && slot.leader_is_silent && slot.leader_heard && *slot.slot > *slot.leader_heard;
}

std::string silent_nodes(const UnrecordedSlot& slot) {
  std::string nodes;
  for (const std::string& node : slot.missing) nodes += (nodes.empty() ? "" : ", ") + node;
  const bool are_many = slot.missing.size() > 1;
  return (are_many ? "nodes " : "node ") + nodes + (are_many ? " have" : " has") + " not answered";
}

std::string with_silent_nodes(const UnrecordedSlot& slot) {
  if (is_after_silence(slot)) return led_by_silent(slot);
  const std::string nodes = silent_nodes(slot);
  if (is_before_definition(slot))
    return not_due(slot) + " No ledger that was asked has a row of it by an earlier definition; " + nodes + ".";
  return "No ledger that was asked has a row of the slot, and " + nodes + ": what became of it may be recorded there.";
}

std::string not_recorded(const UnrecordedSlot& slot) {
  if (slot.daemon == Daemon::unaware)
    return "The daemon does not have the job: its files define it, and have not been read again. See `ballot check`, "
           "and "
           "the daemon's log.";
  if (!slot.missing.empty()) return is_paused(slot) ? paused_text(slot) : with_silent_nodes(slot);
  if (is_before_definition(slot)) return not_due(slot);
  if (slot.keep > Millis(0) && *slot.slot < slot.now - slot.keep)
    return "Rows are kept for " + format_duration(slot.keep) + " ([history] keep), and the slot is older.";
  if (slot.state == "halted") {
    const bool was_before = slot.halted_at && *slot.slot < *slot.halted_at && is_led_elsewhere(slot);
    return (was_before ? led_elsewhere(slot) + " " : "") + halted_text(slot);
  }
  if (slot.daemon == Daemon::hung)
    return "This node's ledger says nothing of it, and the daemon here, which may know more, does not answer: it "
           "hangs, "
           "or was stopped by a signal. Its log and `ballot status` say more.";
  if (slot.daemon == Daemon::away)
    return "This node's ledger says nothing of it, and no daemon runs here that knows more. The node that led the "
           "group "
           "at the time wrote what became of it.";
  if (const std::string text = why_not_settled(slot); !text.empty()) return text;
  if (*slot.slot > slot.now - std::chrono::seconds(2))
    return "It is due just now, and what becomes of it is not decided.";
  if (slot.scope == UnrecordedSlot::Scope::fleet)
    return "This node leads the group, and no ledger has a row of the slot: " + not_yet(slot);
  return "This node leads the group, and its ledger says nothing of the slot: the node that led the group then wrote "
         "what became of it, or nobody has settled it yet.";
}

}  // namespace

/// A register of a newer format says itself what is to be done.
std::string halted_text(const UnrecordedSlot& job) {
  std::string text = job.halted_with_group ? "Group " + job.group : "The job";
  text += " is halted" + (job.halted_at ? " since " + format_millis(*job.halted_at) : "") + ": " + job.trouble +
          ". Nothing of it is launched";
  if (job.trouble.find("newer format") != std::string::npos) return text + ".";
  return text + " until `ballot repair " + (job.halted_with_group ? "--group " + job.group : job.job) +
         "`; the slots of the halt then become missed: halted.";
}

Explained why_nothing(const UnrecordedSlot& slot) {
  if (slot.waits && slot.slot) return {"queued", std::string(rule_of(Status::queued, Reason::none))};
  const std::string unscheduled = why_not_scheduled(slot);
  const bool runs_by_hand = slot.schedule == Schedule::none || slot.schedule == Schedule::disabled;
  if (runs_by_hand && !slot.missing.empty())
    return {"not recorded", unscheduled + " No ledger that was asked has a run of it up to that time, and " +
                                silent_nodes(slot) + ": a run of it may be recorded there."};
  if (!slot.slot)
    return {"no slot", unscheduled.empty() ? "The schedule has no slot up to that time." + next_of(slot) : unscheduled};
  if (*slot.slot > slot.now) return {"to come", unscheduled.empty() ? "The slot is still to come." : unscheduled};
  return {"not recorded", unscheduled.empty() ? not_recorded(slot) : unscheduled};
}

}  // namespace ballot::app

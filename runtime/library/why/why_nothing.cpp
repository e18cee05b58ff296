#include "library/why/why_nothing.hpp"

#include <algorithm>

#include "base/duration.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "core/record/move_marks.hpp"
#include "library/held/stored_states.hpp"
#include "library/refusal_text.hpp"
#include "library/why/why_text.hpp"

namespace ballot::library {
namespace {

using Schedule = UnrecordedSlot::Schedule;
using Daemon = UnrecordedSlot::Daemon;

std::string next_of(const UnrecordedSlot& slot) {
  return slot.next ? " The next slot is " + format_slot(*slot.next) + "." : "";
}

bool is_new(const UnrecordedSlot& slot) {
  constexpr Millis written_within = std::chrono::minutes(1);
  return slot.slot && *slot.slot > slot.now - written_within;
}

/// Of a slot that no node of the fleet has a row of.
std::string not_yet(const UnrecordedSlot& slot) {
  if (is_new(slot)) return "what becomes of a slot is written within seconds. Ask again.";
  return "whoever led the group then has not recorded it, or nobody has settled it; `ballot audit` says which slots "
         "have "
         "no row.";
}

bool is_refused(const UnrecordedSlot& slot) { return slot.leader_trouble.starts_with(store_refuses); }

/// The leader says what keeps it from settling anything.
std::string led_by_unfit(const UnrecordedSlot& slot) {
  const bool is_own = slot.leader == slot.node;
  return (is_own ? "This node" : "Node " + slot.leader) + " leads group " + slot.group +
         (is_own ? ", and " : ", and says of itself that it ") +
         (is_refused(slot) ? "starts nothing: " : "is not fit to: ") + slot.leader_trouble +
         ". What is due is settled, by the job's misfire policy, once that is over, or another node leads the group" +
         (is_own ? "." : "; `ballot status` there says more.");
}

std::string led_elsewhere(const UnrecordedSlot& slot) {
  const std::string leads = "Node " + slot.leader + " leads group " + slot.group;
  if (slot.scope == UnrecordedSlot::Scope::node) return leads + ": ask there. Ledgers belong to their nodes.";
  if (!slot.leader_trouble.empty()) return led_by_unfit(slot);
  return leads + ", and no ledger has a row of the slot: " + not_yet(slot);
}

/// A dead node's group has to wait until nothing of its term can go on.
std::string led_by_silent(const UnrecordedSlot& slot) {
  return "Node " + slot.leader + ", which leads group " + slot.group + " by the store, " +
         (slot.leader_is_silent ? "does not renew its session" : "does not answer") +
         (slot.leader_heard ? "; it was last heard of " + format_millis(*slot.leader_heard) : "") +
         ". Another node leads the group once that session is over" +
         (slot.leader_until ? ", which is at " + format_seconds(*slot.leader_until) + " unless it is renewed" : "") +
         ": runs of the dead term with on_leadership_lost = "
         "\"terminate\" are killed by then, so that none goes on beside the next. The slots that pass meanwhile are "
         "settled by the next leader, by the job's misfire policy.";
}

bool is_missing(const UnrecordedSlot& slot, std::string_view node) {
  return std::find(slot.missing.begin(), slot.missing.end(), node) != slot.missing.end();
}

bool is_led_elsewhere(const UnrecordedSlot& slot) { return !slot.leader.empty() && slot.leader != slot.node; }

/// Of a job that runs by hand alone: nobody has triggered it, as far as the ledgers know that were asked.
std::string never_triggered(const UnrecordedSlot& slot) {
  if (!slot.missing.empty()) return {};  // one of them may have a run of it
  const bool is_of_fleet = slot.scope == UnrecordedSlot::Scope::fleet;
  if (is_led_elsewhere(slot) && !is_of_fleet) return " " + led_elsewhere(slot);
  return std::string(" It was never triggered") + (slot.at ? " up to that time" : "") +
         (is_of_fleet ? ": no ledger has a run of it" : ", as far as this node's ledger knows") +
         (slot.keep > Millis(0) ? "; rows are kept for " + format_duration(slot.keep) + " ([history] keep)." : ".");
}

/// The slot had waited when the pause began, and nothing had become of it.
bool was_waiting(const UnrecordedSlot& slot) {
  const auto since = paused_since(slot.pauses);
  return slot.slot && since && *slot.slot < *since && slot.settled_until && *slot.slot > *slot.settled_until;
}

bool is_paused(const UnrecordedSlot& slot) {
  const auto since = paused_since(slot.pauses), until = paused_until(slot.pauses);
  const bool has_begun = !since || *slot.slot >= *since || was_waiting(slot);
  return slot.state == "paused" && has_begun && (!until || *slot.slot <= *until);
}

std::string paused_text(const UnrecordedSlot& slot) {
  const bool ends = std::all_of(slot.pauses.begin(), slot.pauses.end(), [](const Pause& one) { return one.until; });
  const std::string of_those = was_waiting(slot) ? "The slot was due before that, and waited when the pause began. It "
                                                   "becomes, as slots that pass meanwhile do, skipped: paused "
                                                 : "Slots that pass meanwhile become skipped: paused ";
  return "The job is " + pauses_text(slot.pauses) + ". " + of_those + (ends ? "then, or before that " : "") +
         "when it is resumed (" + resume_commands(slot.pauses, slot.job, slot.group) + ").";
}

std::string led_by_nobody(const UnrecordedSlot& slot) {
  if (slot.without_candidates)
    return "Of the nodes that are there none may lead group " + slot.group + ", by the candidates of [group." +
           slot.group +
           "], so nobody runs its jobs. Whoever leads it next settles the slots that were passed, by the "
           "job's misfire policy.";
  return "Nobody leads group " + slot.group + " at present" +
         (slot.store_refusal.empty() ? "" : ": " + slot.store_refusal) +
         ". Whoever leads it next settles the slots that were passed, by the job's misfire policy.";
}

/// Of another node's instance.
bool is_elsewhere(const UnrecordedSlot& slot) {
  return is_instance(slot.job) && node_of_instance(slot.job) != slot.node;
}

/// The instance's own node, which would know all of it, does not answer.
bool is_away(const UnrecordedSlot& slot) { return is_elsewhere(slot) && is_missing(slot, node_of_instance(slot.job)); }

/// Of an instance whose node is away: what the store alone says of its pause.
std::string pause_by_store(const UnrecordedSlot& slot) {
  const std::string node(node_of_instance(slot.job));
  const bool is_known = slot.missing.size() == 1 && slot.missing_heard;
  return " Node " + node + ", which runs it for itself, has not answered" +
         (is_known ? "; last heard of " + format_seconds(*slot.missing_heard) : "") +
         ": that is what the store shows of its pause, and while that node is away nobody runs it.";
}

/// Where the pause is not why the slot was not run.
std::string pause_beside(const UnrecordedSlot& slot) {
  if (slot.state == "paused" && !slot.pauses.empty()) return " By the store it is " + pauses_text(slot.pauses) + ".";
  return slot.store_is_silent ? " Whether it is paused is not known: the store does not answer this node." : "";
}

std::string ask_node_of_instance(const UnrecordedSlot& slot) {
  const bool has_answered = !is_away(slot) && slot.scope == UnrecordedSlot::Scope::fleet;
  if (has_answered && !slot.undefined_there.empty())
    return ". It has answered: the job is not defined there (" + slot.undefined_there +
           "), so nobody runs it. When its job files define the job again, it settles the slots that were passed.";
  if (has_answered && slot.is_led_by_nobody) return ". " + led_by_nobody(slot);
  if (has_answered) return ". It has answered, and has no row of the slot: " + not_yet(slot);
  if (!is_away(slot)) return ": ask there.";
  return ". It has not answered: what became of the slot nobody else knows, and while that node is away nobody runs "
         "it." +
         pause_beside(slot);
}

/// Why the files make no slot of it: "" where they do.
std::string why_not_scheduled(const UnrecordedSlot& slot) {
  switch (slot.schedule) {
    case Schedule::not_loaded:
      if (is_elsewhere(slot) && slot.slot && is_paused(slot))
        return paused_text(slot) + (is_away(slot) ? pause_by_store(slot) : "");
      if (is_elsewhere(slot))
        return "It is the instance of node " + std::string(node_of_instance(slot.job)) +
               ", which runs the job for itself and keeps what became of it" + ask_node_of_instance(slot);
      return "No job file that this node reads defines the job any more, so nothing of it is due.";
    case Schedule::disabled:
      return "Its job file says enabled = false: it is never due; `ballot trigger` runs it." + never_triggered(slot);
    case Schedule::none:
      if (!slot.no_slots.empty())
        return "It has no schedule of its own: " + slot.no_slots + ". So no slot of it is due." + never_triggered(slot);
      return "It has no schedule: it runs by `ballot trigger` only." + never_triggered(slot);
    case Schedule::only_reboot:
      return "Its slots are the boots of the node that leads its group, and this node's ledger has none of them.";
    case Schedule::some: break;
  }
  return {};
}

/// In an outage.
std::string without_store(const UnrecordedSlot& slot) {
  return "The store does not answer this node" +
         (slot.store_heard ? ", since " + format_seconds(*slot.store_heard) : "") + ": who leads group " + slot.group +
         (slot.leader.empty() ? " is not known here" : " next is not known, and node " + slot.leader + " led it last") +
         ", and nothing is claimed without the store. The slots that pass meanwhile are settled once it answers, by "
         "whoever leads then, by the job's misfire policy.";
}

/// What keeps the job from being settled now: "" where nothing does.
std::string why_not_settled(const UnrecordedSlot& slot) {
  if (slot.state.starts_with("waiting for group"))
    return "The job moved to another group, and the one that had it has not released it yet: it is " + slot.state + ".";
  if (is_paused(slot)) return paused_text(slot);
  if (slot.state == "clock_skew")
    return "The job is settled ahead of this node's clock, and waits until the clock is there: see `ballot status`.";
  if (slot.leader.empty() && slot.store_is_silent) return without_store(slot);
  if (slot.leader.empty()) return led_by_nobody(slot);
  if (is_led_elsewhere(slot) && slot.leader_is_silent) return led_by_silent(slot);
  return is_led_elsewhere(slot) ? led_elsewhere(slot) : "";
}

bool is_before_definition(const UnrecordedSlot& slot) { return slot.since && *slot.slot <= *slot.since; }

std::string not_due(const UnrecordedSlot& slot) {
  return "The slot was not due: the job, as it is defined now, counts from " + format_slot(*slot.since) + " on.";
}

/// A slot that was due after the leader was last heard of is in no ledger.
bool is_after_silence(const UnrecordedSlot& slot) {
  const bool has_answered = !slot.leader_is_silent && !is_missing(slot, slot.leader);
  return is_led_elsewhere(slot) && !has_answered && slot.leader_heard && *slot.slot > *slot.leader_heard;
}

/// Nor is one that was due after the store has answered last claimed by anybody here.
bool is_after_store(const UnrecordedSlot& slot) {
  const bool is_own = slot.leader.empty() || slot.leader == slot.node;
  return is_own && slot.store_is_silent && slot.store_heard && *slot.slot > *slot.store_heard;
}

std::string silent_nodes(const UnrecordedSlot& slot) {
  std::string nodes;
  for (const std::string& node : slot.missing) nodes += (nodes.empty() ? "" : ", ") + node;
  const bool are_many = slot.missing.size() > 1;
  return (are_many ? "nodes " : "node ") + nodes + (are_many ? " have" : " has") + " not answered";
}

/// The ledger's file alone is known.
std::string without_daemon(const UnrecordedSlot& slot) {
  if (slot.daemon == Daemon::hung)
    return "This node's ledger says nothing of it, and the daemon here, which may know more, does not answer: it "
           "hangs, or was stopped by a signal. Its log and `ballot status` say more.";
  return "This node's ledger says nothing of it, and no daemon runs here that knows more. The node that led the "
         "group at the time wrote what became of it.";
}

/// What its leader would say of a job is not known.
bool is_leader_unheard(const UnrecordedSlot& slot) {
  return is_led_elsewhere(slot) && (slot.leader_is_silent || is_missing(slot, slot.leader));
}

/// Of a job with `@every`, whose slots only whoever leads it can name: why none is known up to the time. "": nothing
/// is missing.
std::string why_not_known(const UnrecordedSlot& slot) {
  const WallTime at = slot.at.value_or(slot.now);
  if (slot.state == "paused" && !slot.pauses.empty()) {
    const auto since = paused_since(slot.pauses);
    if (!since || at >= *since) return paused_text(slot);
  }
  if (is_leader_unheard(slot) && slot.leader_heard && at > *slot.leader_heard) return led_by_silent(slot);
  if (!slot.missing.empty())
    return "No ledger that was asked has a row of such a slot, and " + silent_nodes(slot) +
           ": what became of it may be recorded there.";
  if (is_leader_unheard(slot)) return led_by_silent(slot);
  if (slot.daemon != Daemon::there) return without_daemon(slot);
  if (!slot.leader.empty()) return {};
  return slot.store_is_silent ? without_store(slot) : led_by_nobody(slot);
}

/// Nothing was launched then, whatever nodes that do not answer may know.
bool is_in_halt(const UnrecordedSlot& slot) {
  return slot.state == "halted" && slot.halted_at && *slot.slot > *slot.halted_at;
}

std::string with_silent_nodes(const UnrecordedSlot& slot) {
  if (is_in_halt(slot)) return halted_text(slot);
  const std::string nodes = silent_nodes(slot);
  if (is_after_silence(slot)) return led_by_silent(slot);
  if (is_after_store(slot)) return without_store(slot) + " Also, " + nodes + ".";
  if (slot.without_candidates)
    return led_by_nobody(slot) + " No ledger that was asked has a row of the slot, and " + nodes + ".";
  if (is_before_definition(slot))
    return not_due(slot) + " No ledger that was asked has a row of it by an earlier definition; " + nodes + ".";
  const std::string none = "No ledger that was asked has a row of the slot, and " + nodes;
  const bool leader_answers = !slot.leader.empty() && !is_missing(slot, slot.leader);
  if (leader_answers && !slot.leader_trouble.empty()) return led_by_unfit(slot) + " " + none + ".";
  if (leader_answers && slot.missing_heard && *slot.slot > *slot.missing_heard)
    return none + "; last heard of " + format_seconds(*slot.missing_heard) + ", before the slot was due. " +
           (slot.leader == slot.node ? "This node" : "Node " + slot.leader) + " leads group " + slot.group +
           " now: " + not_yet(slot);
  return none + ": what became of it may be recorded there.";
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
  if (slot.state == "halted" || is_move(slot.state)) {
    const bool was_before = slot.halted_at && *slot.slot < *slot.halted_at && is_led_elsewhere(slot);
    return (was_before ? led_elsewhere(slot) + " " : "") + halted_text(slot);
  }
  if (slot.daemon == Daemon::hung || slot.daemon == Daemon::away) return without_daemon(slot);
  if (const std::string text = why_not_settled(slot); !text.empty()) return text;
  if (is_after_store(slot)) return without_store(slot);
  if (!slot.leader_trouble.empty()) return led_by_unfit(slot);
  if (*slot.slot > slot.now - std::chrono::seconds(2))
    return "It is due just now, and what becomes of it is not decided.";
  if (slot.scope == UnrecordedSlot::Scope::fleet)
    return "This node leads the group, and no ledger has a row of the slot: " + not_yet(slot);
  const std::string none = "This node leads the group, and its ledger says nothing of the slot";
  const bool is_settled = slot.settled_until && *slot.slot <= *slot.settled_until;
  if (is_settled) return none + ", which is settled: the node that led the group then wrote what became of it.";
  if (is_new(slot)) return none + " yet: " + not_yet(slot);
  return none + ": the node that led the group then wrote what became of it, or nobody has settled it yet.";
}

/// Of a namespace that moves, or has moved, to another store.
std::string move_text(const UnrecordedSlot& job) {
  const std::string since = job.halted_at ? " (" + format_millis(*job.halted_at) + ")" : "";
  const std::string text = "Nothing of group " + job.group + " is launched: " + job.trouble + since;
  if (job.state == "moved") return text + ". Its slots are those of the other store, which ballot.toml has to name.";
  if (job.trouble == core::is_being_moved)
    return text +
           ". Where `ballot store export` was ended, run it again, or give the move up by `ballot store reopen`.";
  return text + ". Where that was killed, run `ballot store import` of the same file again.";
}

/// Of a slot that the job's calendars leave out.
Explained why_left_out(const UnrecordedSlot& slot) {
  const std::string why = "The job's calendars do not allow its day: " + slot.left_out + ". ";
  if (*slot.slot > slot.now) return {"to come", why + "Nothing is due then: it will be skipped: calendar."};
  if (is_before_definition(slot)) return {"not recorded", why + not_due(slot)};
  return {"not recorded", why +
                              "Nothing is due then, and the slot becomes skipped: calendar, which is written within "
                              "seconds where a node leads the group."};
}

}  // namespace

/// A register of a newer format says itself what is to be done.
std::string halted_text(const UnrecordedSlot& job) {
  if (is_move(job.state)) return move_text(job);
  std::string text = job.halted_with_group ? "Group " + job.group : "The job";
  text += " is halted" + (job.halted_at ? " since " + format_millis(*job.halted_at) : "") + ": " + job.trouble +
          ". Nothing of it is launched";
  if (job.trouble.find("newer format") != std::string::npos) return text + ".";
  return text + " until `ballot repair " + (job.halted_with_group ? "--group " + job.group : job.job) +
         "`; the slots of the halt then become missed: halted.";
}

std::string held_by_pause_text(const UnrecordedSlot& job) {
  return "The job is " + pauses_text(job.pauses) + ", and no attempt of the run starts before that is over (" +
         resume_commands(job.pauses, job.job, job.group) + ").";
}

std::string refusal_beside(const UnrecordedSlot& job, const std::string& text) {
  const std::string refusal = is_refused(job) ? job.leader_trouble : job.leader.empty() ? job.store_refusal : "";
  if (refusal.empty() || text.find(refusal) != std::string::npos) return {};
  return " Nothing of group " + job.group + " is started at present, by hand neither: " + refusal + ".";
}

Explained why_nothing(const UnrecordedSlot& slot) {
  if (slot.waits && slot.slot) return {"queued", std::string(rule_of(Status::queued, Reason::none))};
  if (slot.waits_behind && slot.slot && slot.queue_is_full)
    return {"not recorded",
            "As many slots of the job wait as its queue_limit allows, so this one becomes skipped: queue_full. That is "
            "written when the slots before it are settled; the last one of these that waits is that of " +
                format_slot(*slot.waits_behind) + "."};
  if (slot.waits_behind && slot.slot)
    return {"queued", "The slots of a job are settled in their order, and that of " + format_slot(*slot.waits_behind) +
                          ", which comes before, still waits."};
  const std::string unscheduled = why_not_scheduled(slot);
  const bool runs_by_hand = slot.schedule == Schedule::none || slot.schedule == Schedule::disabled;
  if (runs_by_hand && !slot.missing.empty())
    return {"not recorded", unscheduled + " No ledger that was asked has a run of it up to that time, and " +
                                silent_nodes(slot) + ": a run of it may be recorded there."};
  if (!slot.slot && !slot.has_phase && is_away(slot)) return {"not recorded", unscheduled};
  if (!slot.slot && !slot.has_phase && slot.schedule == Schedule::some)
    if (const std::string unknown = why_not_known(slot); !unknown.empty())
      return {"not recorded",
              "Its @every counts from a time that only the node which leads the job and its register know, so which "
              "slots it has is not known here. " +
                  unknown};
  if (!slot.slot)
    return {"no slot", unscheduled.empty() ? "The schedule has no slot up to that time." + next_of(slot) : unscheduled};
  if (unscheduled.empty() && !slot.left_out.empty()) return why_left_out(slot);
  if (*slot.slot > slot.now) return {"to come", unscheduled.empty() ? "The slot is still to come." : unscheduled};
  return {"not recorded", unscheduled.empty() ? not_recorded(slot) : unscheduled};
}

}  // namespace ballot::library

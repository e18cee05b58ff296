#include "library/why/why_text.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "base/duration.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"

namespace ballot::library {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Status::missed) + 1> status_rules{
    // queued
    "The slot is due and waits: for the job's previous run (concurrency = \"queue\", or \"allow\" at its max_running), "
    "for a job of its chain (after), for room under a max_running of the group or the node, or for the next attempt of "
    "a retry. A slot that cannot start by its start_deadline is missed.",
    // claimed
    "The slot is reserved for this term by a conditional write to the job's register, and its run is about to be "
    "started. No other term can claim it.",
    // running
    "It is running. It ends by itself, at its deadline if it has one, by `ballot kill`, or, but for jobs with "
    "on_leadership_lost = \"finish\", when its node loses leadership.",
    // succeeded
    "The command ended with one of the job's success_codes.",
    // failed, timed_out, killed, lost, skipped, missed: each reason has a rule of its own
    "The attempt failed.", "The attempt ran longer than the job's deadline.", "The attempt was killed.",
    "What became of the attempt is not known.", "The slot was passed over by the job's own policy.",
    "The slot was due and was not run."};

constexpr std::array<std::string_view, static_cast<std::size_t>(last_reason) + 1> reason_rules{
    // none
    "",
    // exit_code
    "The command ended with a code that is not among the job's success_codes.",
    // signal
    "The command was ended by a signal that ballot did not send.",
    // cannot_start
    "The command could not be started; the log of its node says why.",
    // oom
    "The kernel ended the command because memory ran out: its own limit (memory_max) or the machine's.",
    // lost_limit
    "Every attempt so far was lost with its node, as often as the job's lost_limit allows. It is not tried on another "
    "node, "
    "so that a job which kills its node does not go round the fleet.",
    // deadline
    "The attempt ran longer than the job's deadline allows. A command gets the kill_signal, and KILL when kill_grace "
    "has passed; a function is asked to stop.",
    // operator
    "Somebody asked for it: `ballot kill`. A command gets the kill_signal, and KILL when kill_grace has passed; a "
    "function is asked to stop.",
    // replaced
    "A newer slot of the job came due while it ran, and concurrency = \"replace\" ends the running one in favour of "
    "the new.",
    // leadership_lost
    "Its node's term ended, or could not be renewed before its deadline, and on_leadership_lost = \"terminate\" ends "
    "what runs under a term: a command is killed by that deadline, a function is asked to stop.",
    // shutdown
    "The daemon was stopped, and the run had not ended by then ([runner] on_stop).",
    // node_died
    "Its node died, was cut off or restarted while the attempt was open, and no outcome of it arrived in time "
    "(lost_after, or "
    "the old term's deadline). With guarantee = \"at-most-once\" it is not run again; with \"at-least-once\" another "
    "attempt "
    "follows.",
    // runner_died
    "The runner, which keeps the children of its node, no longer knows the attempt: it died or was restarted. Whether "
    "the "
    "command finished is not known.",
    // forgotten
    "Somebody closed it by `ballot forget`: its node will not come back to say how it ended.",
    // evidence_lost
    "The only ledger that knew what became of the slot is gone, with its disk or its file.",
    // overlap
    "The job's previous run had not ended, and concurrency = \"skip\", the default, passes such slots over. With "
    "\"replace\" it is the newest of the slots that wait for the running one to go that is run.",
    // queue_full
    "As many slots of the job waited as queue_limit allows, or its list of open runs was full; queue_overflow says "
    "whether the "
    "newest or the oldest waiting slot gives way.",
    // paused
    "The job or its group was paused (`ballot pause`). Slots that pass meanwhile are settled when it is resumed, or by "
    "its own end; only manual triggers run.",
    // dry_run
    "The leader runs with --dry-run: it does everything but the launch.",
    // misfire
    "It was due while no leader could start it, or there was no room for it, and the job's misfire policy (\"latest\", "
    "\"all\" up to misfire_limit, \"skip\") catches up other slots than this one.",
    // start_deadline
    "It could not start within the job's start_deadline: until it was too late there was no room, or no leader, or it "
    "waited for a job of its chain. A job whose slots must be caught up after a longer outage sets a longer "
    "start_deadline.",
    // unclaimed
    "A leader was there, but its claim could not be confirmed by the backend before the start deadline; or it stood "
    "still or died, and its lease was not over yet; or its runner did not answer; or it was being stopped, and claims "
    "nothing more while it waits "
    "for its runs to end. With guarantee = \"at-most-once\" nothing "
    "starts without a confirmed claim.",
    // stale
    "The claim was confirmed, but when the run was about to be started, the time for which the claim permits it "
    "had passed: the node was suspended, stopped or very slow. Nothing was started.",
    // dst_gap
    "The date that the schedule names does not exist in the job's time zone: the clocks skipped that day.",
    // no_leader
    "No node led the group at the time, and when one did again the slot was not caught up.",
    // no_definition
    "When the slot was to be settled, no leader's job files defined the job any more, or they defined it differently.",
    // halted
    "The group or the job was halted, because the backend had gone back to an older state or a register could not be "
    "read. "
    "Nothing is launched until `ballot repair`.",
    // exception
    "The job is a function of the program that embeds ballot, and it threw: the text is in its output. If the job has "
    "retries left, another attempt follows.",
    // temporary
    "The job is a function of the program that embeds ballot, and it said that another attempt may succeed: the text "
    "is "
    "in its output. If the job has retries left, one follows.",
    // permanent
    "The job is a function of the program that embeds ballot, and it said that no other attempt would succeed: the "
    "text "
    "is in its output. None follows.",
    // upstream
    "A job that this one comes after (after = [...]) had ended otherwise than after_status asks, or its slot was "
    "skipped "
    "or missed; or more than eight of its later slots had ended since, and how this one ended was not kept.",
    // calendar
    "The job's calendars ('except', 'only') do not allow its day, and by 'shift' it has no other day to go to. Nothing "
    "is "
    "due on such a day, whoever leads."};

std::string end_of(const Row& row) {
  if (row.exit_code) return "exit code " + std::to_string(*row.exit_code);
  if (!row.signal) return {};
  const char* name = ::sigabbrev_np(*row.signal);
  return "signal " + (name != nullptr ? std::string(name) : std::to_string(*row.signal));
}

std::string times_of(const Row& row) {
  std::string text;
  if (row.started_at) text += " started " + format_millis(*row.started_at);
  const bool is_lost = row.status == Status::lost;  // when it ended nobody knows
  if (row.ended_at)
    text += (text.empty() ? "" : ",") + std::string(is_lost ? " taken for lost " : " ended ") +
            format_millis(*row.ended_at);
  if (row.duration) text += " after " + format_duration(std::max(*row.duration, Millis(0)));
  return text;
}

std::string leftover_of(const Row& row) {
  switch (row.leftover) {
    case Leftover::none: return {};
    case Leftover::escaped: return " A process of it left its group and may still run.";
    case Leftover::unkillable: return " A process of it could not be killed and is still there.";
  }
  return {};
}

}  // namespace

std::string_view rule_of(Status status, Reason reason) {
  if (!is_known(status) || !is_known(reason))
    return "A newer version of ballot has recorded this, for a reason that this one does not know: ask that version.";
  return reason == Reason::none ? status_rules[static_cast<std::size_t>(status)]
                                : reason_rules[static_cast<std::size_t>(reason)];
}

std::string_view rule_of(const Row& row) {
  if (row.reason == Reason::no_leader && is_instance(row.job))
    return "The job runs on each node for itself, and the instance's node was down at the time, or had no session with "
           "the backend or no runner that answered; when it was back the slot was not caught up.";
  if (row.status == Status::succeeded && row.reason == Reason::none && !row.exit_code)
    return "The job is a function of the program that embeds ballot, and it returned success.";
  return rule_of(row.status, row.reason);
}

/// As what has not been settled yet is said of.
std::string pause_of(const Row& row) {
  if (row.reason != Reason::paused || (row.paused_by.empty() && !row.pause_ends && row.pause_reason.empty())) return "";
  const auto since = row.paused_at == WallTime{} ? std::nullopt : row.paused_at;  // the register did not say
  std::string text =
      " " + pauses_text({{Pause::Of::job, since, row.paused_by, row.pause_ends, row.pause_reason}}) + ".";
  text[1] = 'P';
  return text;
}

std::string circumstances(const Row& row) {
  std::string text;
  if (row.run) {
    text = "Attempt " + std::to_string(row.attempt) + " (" + std::string(to_string(row.trigger)) + ")";
    if (!row.node.empty()) text += " on " + row.node;
    text += times_of(row);
    if (const std::string end = end_of(row); !end.empty()) text += ", " + end;
    text += ".";
    if (!row.triggered_by.empty()) text += " Triggered by " + row.triggered_by;
    if (!row.env.empty()) text += (row.triggered_by.empty() ? " Triggered with " : " with ") + *row.env;
    if (!row.triggered_by.empty() || !row.env.empty()) text += ".";
    if (!row.ended_by.empty())
      text += (row.reason == Reason::forgotten ? " Forgotten by " : " Killed by ") + row.ended_by + ".";
    if (row.fence == 0 && row.started_at)
      text +=
          " It has no confirmed claim: the backend did not answer, and the job is at-least-once. The group's next "
          "leader may have run the slot too.";
  } else if (!row.node.empty()) {
    text = "Recorded by " + row.node + ".";
  }
  text += pause_of(row);
  if (!row.resumed_by.empty()) text += " Resumed by " + row.resumed_by + ".";
  return text + leftover_of(row);
}

/// One that goes on is not known to be the last.
std::string attempts_text(const std::vector<Row>& rows, std::string_view who_knows) {
  const Row& last = rows.front();
  if (!last.run || !is_final(last.status)) return {};
  std::set<int> attempts;
  for (const Row& row : rows)
    if (row.run == last.run && row.attempt <= last.attempt) attempts.insert(row.attempt);
  if (attempts.size() < 2) return {};
  return " It is the last of " + std::to_string(attempts.size()) + " attempts that " + std::string(who_knows) + ".";
}

std::string before_text(const std::vector<Row>& rows) {
  const Row& last = rows.front();
  for (const Row& row : rows)
    if (last.run && row.run == last.run && row.attempt < last.attempt)
      return " Before it: " + circumstances(row) + " " + std::string(rule_of(row));
  return {};
}

std::string evidence_text(const Row& row) {
  const std::string of_what = row.run && row.attempt > 1 ? "of attempt " + std::to_string(row.attempt) : "of it";
  std::string text =
      "This is what the job's register in the store shows; no ledger that was asked has a row " + of_what + ". ";
  if (!row.run)
    return text +
           "A run claimed the slot, and is not open any more: it has ended, and how is recorded by the node that "
           "executed it.";
  if (is_final(row.status))
    return text + "Attempt " + std::to_string(row.attempt) + " of the run was the last, on node " + row.node +
           times_of(row) + (end_of(row).empty() ? "" : ", " + end_of(row)) +
           ". What it printed, and how long it took, only the ledger of that node can have. " +
           std::string(rule_of(row));
  if (row.status == Status::queued) return text + "The run waits for attempt " + std::to_string(row.attempt) + ".";
  return text + "Attempt " + std::to_string(row.attempt) + " of the run was claimed by node " + row.node +
         ", and has not been closed: it may go on there.";
}

}  // namespace ballot::library

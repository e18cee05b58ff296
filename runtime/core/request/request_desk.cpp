#include "core/request/request_desk.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/record/outcome.hpp"
#include "core/request/asked_runs.hpp"
#include "core/request/pause_answers.hpp"
#include "core/request/record_ops.hpp"

namespace ballot::core {
namespace {

using RecordOp = StoreClient::RecordOp;

constexpr Millis relist_pause{200};
constexpr Millis fate_slack{1300};                       // past manual_slack: by then nobody begins what was asked for,
constexpr Millis fate_patience{3000};                    // and so long the store may take to say whether somebody has
constexpr Millis answer_life = std::chrono::minutes(1);  // past the patience of whoever asked
constexpr Millis leftover_slack{1000};

std::string result_of(const Answer& answer) { return answer.ok ? "done" : "refused"; }

SteadyTime fate_unknown_at(SteadyTime until) { return until + fate_slack + fate_patience; }

}  // namespace

// ---- what is asked here

RequestDesk::Errands RequestDesk::accept(Now now, const Ask& ask, bool open) {
  Errands errands;
  Asked asked{{ask.asker}, ask.request, now.steady + ask.patience, now.wall};
  asked.request.until = now.wall + ask.patience;
  asked.run_suffix = ask.run_suffix, asked.gone = ask.gone;
  const auto [place, added] = asked_.emplace(ask.request.id, std::move(asked));
  if (added && open)
    send(errands, place->second);
  else if (!added)
    join(errands, ask, place->second);
  return errands;
}

/// A trigger may be repeated, as its id is its run's.
void RequestDesk::join(Errands& errands, const Ask& ask, Asked& asked) {
  const bool is_same = asked.is_trigger() && is_same_trigger(ask.request, asked.request);
  if (!is_same || ask.request.wait != asked.request.wait)
    return errands.push_back(Reply{ask.asker, false, under_way(asked.request), {}, Errc::conflict});
  asked.askers.push_back(ask.asker);
  if (asked.is_answered()) errands.push_back(Reply{ask.asker, true, "", ask.request.id, Errc::invalid, true});
}

/// A kill and a forget name a run by its last digits, or by its job: the registers say which one is meant.
void RequestDesk::send(Errands& errands, Asked& asked) {
  if (names_run(asked.request.kind) && asked.request.run == RunId{})
    return errands.push_back(ListRuns{asked.request.id});
  asked.phase = Phase::sent;
  if (asked.request.of_all) errands.push_back(pause_end_op(asked.request, asked.at));
  RecordOp op = asked.request.of_all ? standing_pause_op(asked.request, asked.at)
                                     : creation(request_record(asked.request.id), to_text(asked.request));
  (op.next.empty() ? op : op.next.front()).request = asked.request.id;
  errands.push_back(std::move(op));
}

/// Asks the store what is next asked of it for the request.
void RequestDesk::resume(Errands& errands, const RunId& request, Asked& asked) {
  asked.goes_on = false;
  asked.was_sent = asked.was_sent || asked.is_sent();
  if (asked.is_trigger() && asked.phase == Phase::sent) asked.phase = Phase::in_question;
  asked.phase == Phase::in_question ? ask_fate(errands, request, asked) : send(errands, asked);
}

RequestDesk::Errands RequestDesk::on_opened() {
  Errands errands;
  for (auto& [id, asked] : asked_)
    if (asked.phase < Phase::stored) resume(errands, id, asked);
  return errands;
}

bool RequestDesk::on_unknown(const RunId& request) {
  const auto it = asked_.find(request);
  return it != asked_.end() && it->second.phase < Phase::stored && (it->second.goes_on = true);
}

RequestDesk::Errands RequestDesk::go_on() {
  Errands errands;
  for (auto& [id, asked] : asked_)
    if (asked.goes_on && asked.phase < Phase::stored) resume(errands, id, asked);
  return errands;
}

RequestDesk::Errands RequestDesk::on_runs_listed(const RunId& request, const std::vector<Register>& registers,
                                                 bool open) {
  Errands errands;
  const auto it = asked_.find(request);
  if (it == asked_.end()) return errands;
  Asked& asked = it->second;
  const std::vector<NamedRun> found = open_runs(registers, asked.request.job, asked.run_suffix);
  if (found.size() != 1) {
    asked.request.run = RunId::parse(asked.run_suffix).value_or(RunId{});  // it is recorded with the request
    return conclude(errands, request, "refused", no_single_run(found, asked.request.job, asked.run_suffix)), errands;
  }
  asked.request.job = found.front().job;
  asked.request.run = found.front().id;
  asked.run = found.front();
  if (asked.request.kind == Request::Kind::kill && asked.gone.contains(asked.run.node))
    conclude(errands, request, "refused", run_of_gone(asked.run));
  else if (open)
    send(errands, asked);
  return errands;
}

RequestDesk::Errands RequestDesk::on_stored(const RunId& request, bool existed) {
  Errands errands;
  const auto it = asked_.find(request);
  if (it == asked_.end()) return errands;
  Asked& asked = it->second;
  if (!asked.is_answered()) asked.phase = Phase::stored;
  asked.existed = asked.existed || existed;
  if (asked.request.of_all)
    conclude(errands, request, "done", done_for_all(asked.request));
  else if (existed || asked.missed)
    ask_fate(errands, request, asked);
  return errands;
}

void RequestDesk::ask_fate(Errands& errands, const RunId& request, Asked& asked) {
  if (!asked.is_trigger() || std::exchange(asked.fate_asked, true)) return;
  asked.missed = false;
  errands.push_back(ReadFate{request, asked.request.job});
}

/// Of a record that is gone the node that was asked before has taken the answer, or the leader had done it before: the
/// job's register says so.
void RequestDesk::follow_gone(Errands& errands, const std::set<RunId>& there) {
  for (auto& [id, asked] : asked_) {
    if (!asked.is_sent() || asked.is_answered() || asked.answer) continue;
    asked.missed = !there.contains(id);
    if (asked.phase == Phase::in_question || (asked.phase == Phase::stored && asked.missed))
      ask_fate(errands, id, asked);
  }
}

/// What was sent before may arrive still, and is done then.
RequestDesk::Errands RequestDesk::on_not_stored(const RunId& request, const std::string& why) {
  Errands errands;
  const auto it = asked_.find(request);
  const bool may_arrive = it != asked_.end() && it->second.was_sent;
  if (!may_arrive) return conclude(errands, request, "refused", Answer::refused(Errc::unavailable, why)), errands;
  expire(errands, request, may_arrive_yet(it->second.request, why));
  return errands.push_back(removal({request_record(request)})), errands;
}

RequestDesk::Errands RequestDesk::on_withdrawn(const RunId& request) {
  Errands errands;
  return tell_answer(errands, request), errands;
}

void RequestDesk::reply(Errands& errands, const RunId& request, const Answer& answer, bool repeats) {
  const auto it = asked_.find(request);
  if (it == asked_.end() || it->second.is_answered()) return;
  repeats = repeats || it->second.shared || answer.repeats;
  for (const Asker asker : it->second.askers) {
    errands.push_back(Reply{asker, answer.ok, answer.text, answer.run, answer.code, repeats});
    repeats = true;
  }
  const bool was_sent = it->second.is_sent();
  it->second.phase = Phase::answered;
  if (!answer.ok && was_sent) refused_[request] = it->second.request;
  if (!answer.ok || !it->second.request.wait) asked_.erase(it);
}

void RequestDesk::tell_end(Errands& errands, const Asked& asked, const Row& row) {
  for (const Asker asker : asked.askers) errands.push_back(RunEnded{asker, row});
}

void RequestDesk::tell_answer(Errands& errands, const RunId& request) {
  const auto it = asked_.find(request);
  if (it == asked_.end() || !it->second.answer || it->second.is_answered()) return;
  taken_.erase(request);
  const Answer answer = *it->second.answer;
  errands.push_back(Conclude{request, result_of(answer), answer.text, {}});
  reply(errands, request, answer);
}

/// It is answered here. A node that has taken it up may record another end.
void RequestDesk::conclude(Errands& errands, const RunId& request, std::string result, const Answer& answer) {
  const auto it = asked_.find(request);
  if (it == asked_.end() || it->second.is_answered()) return;
  const bool is_recorded = taken_.contains(request);
  errands.push_back(Conclude{request, std::move(result), answer.text,
                             is_recorded ? std::nullopt : std::optional(it->second.request)});
  reply(errands, request, answer);
}

void RequestDesk::expire(Errands& errands, const RunId& request, const Answer& answer) {
  conclude(errands, request, "expired", answer);
}

/// The client waits no longer. The request is removed, so that it is not carried out behind the client's back.
RequestDesk::Errands RequestDesk::expire(Now now, bool open) {
  Errands errands;
  std::vector<RunId> over;
  for (const auto& [id, asked] : asked_)
    if (!asked.is_answered() && asked.until <= now.steady) over.push_back(id);
  for (const RunId& id : over) expire(errands, now, open, id, asked_.at(id));
  return errands;
}

/// Of a trigger it must be certain that nothing comes of it: its answer may be under way, or its leader gone.
void RequestDesk::expire(Errands& errands, Now now, bool open, const RunId& id, Asked& asked) {
  const bool stays = asked.shared || asked.request.of_all;  // the record is another node's, or the pause itself
  if (asked.answer) return tell_answer(errands, id);        // done, and the request cannot be removed
  if (asked.is_trigger() && asked.is_sent()) {
    if (!asked.fate_at) asked.fate_at = asked.until + fate_slack;
    if (now.steady < fate_unknown_at(asked.until)) {
      if (now.steady >= *asked.fate_at && open && !std::exchange(asked.fate_asked, true))
        errands.push_back(ReadFate{id, asked.request.job});
      return;
    }
    const std::string why = "the store does not say whether it was begun; see `ballot history`";
    expire(errands, id, Answer::refused(Errc::unavailable, why));
  } else {
    expire(errands, id, not_answered(asked.request, asked.run, open));
  }
  if (!stays) errands.push_back(removal({request_record(id)}));
}

RequestDesk::Errands RequestDesk::on_fate(Now now, const RunId& request, const std::vector<Register>& registers) {
  Errands errands;
  const auto it = asked_.find(request);
  if (it == asked_.end() || it->second.is_answered()) return errands;
  Asked& asked = it->second;
  const auto answer = fate_of(request, registers);
  const bool is_over = asked.fate_at && now.steady >= *asked.fate_at;
  if (!is_over) {
    const auto stored = stored_request(request, registers);
    if (asked.phase == Phase::in_question) {
      asked.fate_asked = false;
      if (!answer && !stored) return send(errands, asked), errands;
      asked.phase = Phase::stored;
    }
    if (stored && !is_same_trigger(*stored, asked.request)) {
      conclude(errands, request, "refused", Answer::refused(Errc::conflict, under_way(*stored)));
      return errands;
    }
    asked.shared = asked.shared || (asked.existed && (!stored || *stored != asked.request));
    asked.fate_asked = false;
    // Of this node's own record that is still there whoever does it answers, or removes it: it was done before.
    if (answer && (!stored || asked.shared)) return reply_fate(errands, asked, *answer), errands;
    if (asked.missed) return ask_fate(errands, request, asked), errands;  // it has gone since this was read
    if (stored || !asked.shared) return errands;
  }
  const std::string late = is_over ? "not done in time: the group's leader has not answered"
                                   : "another node was asked for the run before, and nothing came of it: ask again";
  if (!asked.shared) errands.push_back(removal({request_record(request), answer_record(request)}));
  if (answer)
    reply(errands, request, *answer);
  else
    expire(errands, request, Answer::refused(is_over ? Errc::timeout : Errc::unavailable, late));
  return errands;
}

/// A store reads one record after the other: the answer may have come between, and is there the next time.
void RequestDesk::reply_fate(Errands& errands, Asked& asked, const Answer& answer) {
  const bool may_come = answer.by.empty() && !asked.existed && !std::exchange(asked.was_gone, true);
  if (may_come) return ask_fate(errands, asked.request.id, asked);
  reply(errands, asked.request.id, answer, answer.by != asked.request.by || answer.by.empty());
}

bool RequestDesk::on_fate_unknown(Now now, const RunId& request) {
  const auto it = asked_.find(request);
  if (it == asked_.end() || it->second.is_answered()) return false;
  it->second.fate_asked = false;
  if (it->second.fate_at) it->second.fate_at = std::max(*it->second.fate_at, now.steady + relist_pause);
  return on_unknown(request);
}

/// Requests that other nodes take up go on without this node; those that it has not published are withdrawn.
RequestDesk::Errands RequestDesk::give_up(const std::string& why) {
  Errands errands;
  std::vector<RunId> open;
  for (const auto& [id, asked] : asked_)
    if (!asked.is_answered()) open.push_back(id);
  for (const RunId& id : open) {
    const bool is_shared = asked_.at(id).shared;
    if (!taken_.contains(id)) tell_answer(errands, id);  // what was refused here the next leader may do
    if (!is_shared) errands.push_back(removal({request_record(id)}));
    expire(errands, id, Answer::refused(Errc::unavailable, why));
  }
  return errands;
}

// ---- what this node does for whoever asked

RequestDesk::Errands RequestDesk::on_records(Now now, const std::vector<Register>& records, bool stopping) {
  Errands errands;
  std::set<std::string_view> answered;
  std::set<RunId> there;  // as a request, or its answer
  for (const Register& record : records) {
    if (record.name.ends_with(".answer")) answered.insert(record.name);
    const auto id = RunId::parse(std::string_view(record.name).substr(request_prefix.size(), 36));
    if (id && !record.name.ends_with(".end")) there.insert(*id);
  }
  follow_gone(errands, there);
  std::erase_if(refused_, [&](const auto& one) { return one.second.until < now.wall; });
  for (const Register& record : records) {
    const std::string_view name = record.name;
    const auto id = RunId::parse(name.substr(request_prefix.size(), 36));
    if (!id) continue;
    if (name == end_record(*id))
      on_end_record(errands, now, *id, record);
    else if (name == answer_record(*id))
      on_answer_record(errands, now, *id, record);
    else if (!answered.contains(answer_record(*id)))
      on_request_record(errands, now, *id, record, stopping);
  }
  return errands;
}

void RequestDesk::on_answer_record(Errands& errands, Now now, const RunId& id, const Register& record) {
  const auto answer = parse_answer(record.value);
  const auto asked = asked_.find(id);
  const bool ours = asked != asked_.end() && !asked->second.is_answered();
  if (ours && answer && is_of_another(*answer, asked->second.request)) asked->second.shared = true;
  const bool is_shared = ours && asked->second.shared;  // the other node is to read it too
  if (ours && answer) reply(errands, id, *answer);
  if ((ours && !is_shared) || !answer || answer->until < now.wall)
    return errands.push_back(removal({record.name, request_record(id)}));
  clean_up_at(now, answer->until);
}

void RequestDesk::on_end_record(Errands& errands, Now now, const RunId& id, const Register& record) {
  const auto row = parse_outcome(record.value);
  const auto asked = asked_.find(id);
  if (asked != asked_.end()) {
    if (!asked->second.is_answered()) return;  // its answer comes first
    if (row) tell_end(errands, asked->second, *row);
    asked_.erase(asked);
  } else if (row && row->ended_at && now.wall - *row->ended_at < answer_life) {
    return clean_up_at(now, *row->ended_at + answer_life);
  }
  errands.push_back(removal({record.name}));
}

void RequestDesk::on_request_record(Errands& errands, Now now, const RunId& id, const Register& record, bool stopping) {
  const auto request = parse_request(record.value);
  if (!request && request.error().code == Errc::refused) return;  // a newer node's
  const bool over = !request || request->id != id || request->until < now.wall;
  if (over) {
    if (!asked_.contains(id)) errands.push_back(removal({record.name}));
    return;
  }
  if (const auto refused = refused_.find(id); refused != refused_.end() && refused->second == *request)
    return errands.push_back(removal({record.name}));  // created a second time, by the network
  clean_up_at(now, request->until);
  if (const Answer* const given = answered_.find(now.steady, *request)) {
    answer_again(errands, now, *request, *given);
    return errands.push_back(removal({record.name}));
  }
  if (!taken_.contains(id) && !stopping) errands.push_back(TakeUp{*request});
}

/// Of a request that was read before it was removed, or was created a second time. Nobody but another node can have
/// made a record that this one does not know of.
void RequestDesk::answer_again(Errands& errands, Now now, const Request& request, Answer answer) {
  if (request.kind != Request::Kind::trigger) return;
  answer.repeats = answer.ok;
  const auto asked = asked_.find(request.id);
  const bool is_elsewhere = !request.by.starts_with(node_ + " ");
  if (asked != asked_.end() && !asked->second.existed && !asked->second.answer) {
    reply(errands, request.id, answer);
  } else if (asked != asked_.end() ? asked->second.existed : is_elsewhere) {
    answer.until = now.wall + answer_life;
    answer.by = request.by;
    errands.push_back(creation(answer_record(request.id), to_text(answer)));
  }
}

/// Of a refusal that the term has not told any more, the next leader may think otherwise.
void RequestDesk::on_term_ended(const std::string& group) {
  std::erase_if(taken_, [&](const auto& taken) {
    if (taken.second.group != group) return false;
    if (const auto asked = asked_.find(taken.first); asked != asked_.end()) asked->second.answer.reset();
    return true;
  });
}

/// Told here, if it was asked here alone, else in the store. A trigger that is refused stays taken until that is told:
/// while the request is in the store, it is refused only as long as the term lasts.
RequestDesk::Errands RequestDesk::answer(Now now, const RunId& request, std::optional<Answer> answer) {
  Errands errands;
  const auto asked = asked_.find(request);
  const auto taken = taken_.find(request);
  const auto until = taken != taken_.end() ? std::optional(taken->second.until) : std::nullopt;
  if (answer && taken != taken_.end()) answer->by = taken->second.by;
  if (asked == asked_.end() || !asked->second.is_trigger() || !answer || answer->ok) taken_.erase(request);
  if (!answer) {
    errands.push_back(Conclude{request, "expired", {}, {}});
    return errands.push_back(removal({request_record(request)})), errands;
  }
  answered_.add(now.steady, request, until, *answer);
  if (asked != asked_.end() && !asked->second.existed) {
    asked->second.answer = std::move(answer);
    RecordOp withdrawal = removal({request_record(request)});
    withdrawal.answered = request;
    return errands.push_back(std::move(withdrawal)), errands;
  }
  answer->until = now.wall + answer_life;
  errands.push_back(creation(answer_record(request), to_text(*answer)));
  errands.push_back(removal({request_record(request)}));
  errands.push_back(Conclude{request, result_of(*answer), answer->text, {}});
  return errands;
}

RequestDesk::Errands RequestDesk::on_run_ended(const Row& row) {
  Errands errands;
  tell_answer(errands, *row.run);
  reply(errands, *row.run, Answer::done(row.run));  // of a leader that died before it could answer
  if (const auto it = asked_.find(*row.run); it != asked_.end()) {
    tell_end(errands, it->second, row);
    asked_.erase(it);
  } else {
    errands.push_back(creation(end_record(*row.run), outcome_text(row)));
  }
  return errands;
}

// ---- time

SteadyTime RequestDesk::wake_of(const Asked& asked, bool open) {
  if (!asked.fate_at) return asked.until;
  if (asked.fate_asked || !open) return fate_unknown_at(asked.until);
  return std::min(*asked.fate_at, fate_unknown_at(asked.until));
}

std::optional<SteadyTime> RequestDesk::wake(bool open) const {
  std::optional<SteadyTime> wake;
  for (const auto& [id, asked] : asked_)
    if (!asked.is_answered()) wake = std::min(wake.value_or(SteadyTime::max()), wake_of(asked, open));
  return wake;
}

void RequestDesk::clean_up_at(Now now, WallTime at) {
  const SteadyTime then = now.steady + std::max(at - now.wall, Millis(0)) + leftover_slack;
  cleanup_at_ = std::min(cleanup_at_.value_or(then), then);
}

}  // namespace ballot::core

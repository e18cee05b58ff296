// The groups of a session: campaigning, leading, leaving, and noticing what the others do.
#include <algorithm>
#include <utility>

#include "session.hpp"
#include "support/clock.hpp"

namespace ballot::local {

namespace {

constexpr std::size_t groups_a_commit = 2000;  // the first of many are led while the others are still taken

}  // namespace

void Session::carry(const CampaignCall& call, Events& events) {
  if (observes() || stands_in_) return host_.log(Level::error, "an observer does not campaign: " + call.group);
  if (!candidates_.contains(call.group) && !postponed_.contains(call.group)) try_to_lead(call.group, events);
}

void Session::carry(const ResignCall& call, Events&) {
  if (stands_in_) return leave_on_behalf(call.group);
  if (!postponed_.contains(call.group) && !candidates_.contains(call.group)) return;
  db_.withdraw(row_.id, call.group);
  if (const auto led = leave(call.group)) db_.end_term(led->id, TermEnd::clean, wall_now());
}

void Session::leave_on_behalf(const std::string& group) {
  db_.withdraw(row_.id, group);
  const auto term = db_.find_term(group);
  if (term && term->session == row_.id) db_.end_term(term->group, TermEnd::clean, wall_now());
  bell_.ring(elections_topic);
}

/// As far as it needs no file; what it was where it led.
std::optional<Session::Candidate> Session::leave(const std::string& group) {
  postponed_.erase(group);
  tried_.erase(group);
  const auto found = candidates_.find(group);
  if (found == candidates_.end()) return std::nullopt;
  const Candidate candidate = found->second;
  candidates_.erase(found);
  waiting_.erase(candidate.id);
  if (candidate.epoch == 0) return std::nullopt;
  left_[group] = {candidate, Cause::resigned};
  return candidate;
}

void Session::carry(const EvictCall& call, Events& events) {
  const auto term = db_.find_term(call.group);
  backend::Wrote wrote{call.request, {{Outcome::conflict, 0, "nobody leads " + call.group}}};
  if (term && is_led(*term)) {
    db_.end_term(term->group, TermEnd::evicted, wall_now());
    bell_.ring(elections_topic);
    wrote.answers[0] = {Outcome::done, 0, {}};
  }
  events.emplace_back(std::move(wrote));
}

/// By a daemon that lives, or that may come back and go on.
bool Session::is_led(const TermRow& term) {
  if (term.end != TermEnd::open) return false;
  const auto stored = db_.session(term.session);
  if (!stored) return false;
  const SessionRow leader = current(*stored);
  return is_live(leader) || (leader.boot_id == boot_id_ && boot_now() < leader.deadline);
}

/// A term of its own that this session does not lead was left without a commit.
bool Session::is_vacant(const TermRow& term) {
  return term.end != TermEnd::open || term.session == row_.id || !living().contains(term.session);
}

/// A group that is being left in this change is waited for: others are to have their chance.
void Session::try_to_lead(const std::string& group, Events& events) {
  tried_.insert(group);
  TermRow term = db_.term(group);
  const auto [entry, is_new] = candidates_.try_emplace(group);
  Candidate& candidate = entry->second;
  candidate = {term.group, 0};
  if (is_new) db_.enlist(row_.id, term.group, wall_now());
  if (left_.contains(group) || !is_vacant(term)) {
    waiting_[term.group] = group;
    return;
  }
  waiting_.erase(term.group);
  const Predecessor before = predecessor_of(term);
  if (before.resumed) {
    db_.adopt_term(term.group, row_.id);
  } else {
    ++term.epoch;
    db_.begin_term(term, row_, before.old_deadline.value_or(SteadyTime()), wall_now());
  }
  candidate.epoch = term.epoch;
  events.emplace_back(backend::Elected{group, term.epoch, before.resumed, before.old_deadline, before.last_alive});
}

Predecessor Session::predecessor_of(const TermRow& term) {
  LastTerm last{term.end == TermEnd::clean, db_.old_until(term.group, boot_id_)};
  if (const auto own = resumable_.find(term.session); term.end == TermEnd::open && own != resumable_.end())
    last.resumable_until = own->second;
  const auto leader = db_.session(term.session);
  return predecessor(last, leader ? std::optional<MemberRecord>(current(*leader)) : std::nullopt, boot_id_, boot_now());
}

void Session::let_go(Events& events) {
  if (left_.empty()) return;
  for (const auto& [group, left] : left_)
    events.emplace_back(backend::Deposed{group, left.candidate.epoch, left.cause});
  bell_.ring(elections_topic);
}

/// Nothing of the change has happened, but that who resigns does not lead: that term is ended by a change that can be
/// made. A campaign is made later, also one that the change did not come to.
void Session::undo(const std::vector<Call>& calls, Events& events) {
  for (const std::string& group : tried_) {
    postpone(group);
    const auto candidate = candidates_.find(group);
    if (candidate == candidates_.end()) continue;
    waiting_.erase(candidate->second.id);
    candidates_.erase(candidate);
  }
  for (const Call& call : calls) {
    const auto* campaign = std::get_if<CampaignCall>(&call);
    if (campaign && takes_part() && !candidates_.contains(campaign->group)) postpone(campaign->group);
    if (const auto* resign = std::get_if<ResignCall>(&call)) leave(resign->group);
  }
  for (const auto& [group, left] : left_)
    if (left.cause == Cause::resigned) unended_[left.candidate.id] = left.candidate.epoch;
  let_go(events);
}

void Session::postpone(const std::string& group) {
  postponed_.insert(group);
  resume_at_ = boot_now() + pause;
}

/// Reads first: where nothing is to be done, nobody is kept from writing.
void Session::look(Events& events) {
  if (!unsettled_.empty() && !WriteLock::holder(lock_)) tell(std::exchange(unsettled_, {}), events);
  std::uint64_t revision = revision_;
  std::vector<std::string> groups;
  const auto read = [&](Events&) {
    revision = db_.revision();
    if (!takes_part()) return;
    see_losses();
    const std::vector<SessionRow> others = live_others();
    neighbours_.follow(others, lock_);
    others_until_ = SteadyTime::max();
    for (const SessionRow& row : others)
      if (row.boot_id == boot_id_) others_until_ = std::min(others_until_, row.deadline);
    groups = vacancies();
  };
  failed_ = !change(Access::read, read, {}, events);
  if (!failed_ && (!groups.empty() || !unended_.empty())) {
    more_ = groups.size() > groups_a_commit;
    const auto follow = [&](Events& made) {
      for (std::size_t i = 0; i < std::min(groups.size(), groups_a_commit); ++i) {
        postponed_.erase(groups[i]);
        try_to_lead(groups[i], made);
      }
    };
    failed_ = !change(Access::write, follow, {}, events);
  } else {
    more_ = false;
  }
  if (failed_) more_ = false;
  if (failed_ || std::exchange(revision_, revision) == revision) return;
  if (bell_.deaf())
    for (const std::string& prefix : watches_) events.emplace_back(backend::Changed{prefix});
}

/// Terms of this session that somebody has ended; others have the first chance to follow.
void Session::see_losses() {
  const auto led =
      std::count_if(candidates_.begin(), candidates_.end(), [](const auto& c) { return c.second.epoch > 0; });
  if (db_.count_open_terms(row_.id) == led) return;
  const auto open = db_.open_terms(row_.id);
  for (auto it = candidates_.begin(); it != candidates_.end();) {
    const auto term = open.find(it->second.id);
    if (it->second.epoch == 0 || (term != open.end() && term->second == it->second.epoch)) {
      ++it;
      continue;
    }
    left_[it->first] = {it->second, Cause::evicted};
    postpone(it->first);
    it = candidates_.erase(it);
  }
}

/// Whoever waits looks at few sessions, however many groups they lead.
std::vector<std::string> Session::vacancies() {
  std::vector<std::string> groups;
  if (boot_now() >= resume_at_) groups.assign(postponed_.begin(), postponed_.end());
  if (waiting_.empty()) return groups;
  const auto add = [&](std::int64_t id) {
    if (const auto waits = waiting_.find(id); waits != waiting_.end()) groups.push_back(waits->second);
  };
  for (const std::int64_t id : db_.ended_groups()) add(id);
  for (const std::int64_t leader : db_.leaders()) {
    if (leader != row_.id && living().contains(leader)) continue;
    for (const auto& [id, epoch] : db_.open_terms(leader)) add(id);
  }
  return groups;
}

}  // namespace ballot::local

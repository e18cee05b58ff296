#include "groups.hpp"

#include <algorithm>
#include <utility>

#include "support/clock.hpp"

namespace ballot::local {

Groups::Groups(Store& store, const Entry& entry, Host& host)
    : db_(store.db()),
      liveness_(store.liveness()),
      entry_(entry),
      notice_(host, [this](Event event) { vacancies_.push_back(std::move(event)); }) {}

void Groups::enter_state(const std::string& name, Group& group, State state) {
  group.state = state;
  state == State::postponed ? void(postponed_.insert(name)) : void(postponed_.erase(name));
  state == State::waiting ? void(waiting_[group.id] = name) : void(waiting_.erase(group.id));
}

void Groups::postpone(const std::string& name) {
  enter_state(name, groups_[name], State::postponed);
  resume_at_ = boot_now() + pause;
}

void Groups::campaign(const std::string& name, Events& events) {
  if (!groups_.contains(name)) try_to_lead(name, events);
}

/// A group that is being left in this change is waited for: others are to have their chance.
void Groups::try_to_lead(const std::string& name, Events& events) {
  tried_.insert(name);
  TermRow term = db_.term(name);
  const auto [entry, is_new] = groups_.try_emplace(name);
  Group& group = entry->second;
  group.id = term.group;
  if (is_new || group.state == State::postponed) db_.enlist(entry_.session.id, term.group, wall_now());
  if (left_.contains(name) || !is_vacant(term)) {
    if (const auto leader = db_.session(term.session); leader && !left_.contains(name)) waits_for_[name] = leader->node;
    return enter_state(name, group, State::waiting);
  }
  enter_state(name, group, State::leading);
  lead(group, term, events);
}

void Groups::lead(Group& group, TermRow& term, Events& events) {
  const Predecessor before = predecessor_of(term);
  if (before.resumed) {
    db_.adopt_term(term.group, entry_.session.id);
  } else {
    ++term.epoch;
    db_.begin_term(term, entry_.session, before.old_deadline.value_or(SteadyTime()), wall_now());
  }
  group.epoch = term.epoch;
  waits_for_[term.name].clear();
  events.emplace_back(backend::Elected{term.name, term.epoch, before.resumed, before.old_deadline, before.last_alive,
                                       db_.revision_in_change()});
}

Predecessor Groups::predecessor_of(const TermRow& term) {
  LastTerm last{term.end == TermEnd::clean, db_.old_until(term.group, liveness_.boot_id())};
  if (const auto own = entry_.resumable.find(term.session); term.end == TermEnd::open && own != entry_.resumable.end())
    last.resumable_until = own->second;
  std::optional<MemberRecord> leader;
  if (const auto stored = db_.session(term.session)) leader = liveness_.current(*stored);
  return predecessor(last, leader, liveness_.boot_id(), boot_now());
}

void Groups::resign(const std::string& name) {
  if (entry_.role != Role::deputy && !groups_.contains(name)) return;
  db_.withdraw(entry_.session.id, name);
  leave(name);
  const auto term = db_.find_term(name);
  if (!term || term->end != TermEnd::open || term->session != entry_.session.id) return;
  db_.end_term(*term, TermEnd::clean, wall_now());
  term_ended_ = true;
}

/// As far as it needs no file.
void Groups::leave(const std::string& name) {
  const auto found = groups_.find(name);
  if (found == groups_.end()) return;
  const Group group = found->second;
  if (group.state == State::leading) left_[name] = {group, Cause::resigned};
  tried_.erase(name);
  waits_for_[name].clear();
  postponed_.erase(name);
  waiting_.erase(group.id);
  groups_.erase(found);
}

bool Groups::evict(const std::string& name) {
  const auto term = db_.find_term(name);
  if (!term || !is_led(*term)) return false;
  db_.end_term(*term, TermEnd::evicted, wall_now());
  return term_ended_ = true;
}

/// By a daemon that lives, or that may come back and go on.
bool Groups::is_led(const TermRow& term) {
  if (term.end != TermEnd::open) return false;
  const auto stored = db_.session(term.session);
  if (!stored) return false;
  const FolderSession leader = liveness_.current(*stored);
  return liveness_.is_live(leader) || (leader.boot_id == liveness_.boot_id() && boot_now() < leader.deadline);
}

/// A term of its own that this session does not lead was left without a commit.
bool Groups::is_vacant(const TermRow& term) {
  return term.end != TermEnd::open || term.session == entry_.session.id || !living().contains(term.session);
}

const std::set<std::int64_t>& Groups::living() {
  if (living_) return *living_;
  living_.emplace();
  for (const FolderSession& session : liveness_.others(db_.sessions())) living_->insert(session.id);
  return *living_;
}

void Groups::find_losses() {
  const auto leads = [](const auto& entry) { return entry.second.state == State::leading; };
  if (db_.count_open_terms(entry_.session.id) == std::count_if(groups_.begin(), groups_.end(), leads)) return;
  const auto open = db_.open_terms(entry_.session.id);
  for (auto& [name, group] : groups_) {
    const auto term = open.find(group.id);
    if (group.state != State::leading || (term != open.end() && term->second == group.epoch)) continue;
    left_[name] = {group, Cause::evicted};
    postpone(name);
  }
}

std::vector<std::string> Groups::vacancies() {
  std::vector<std::string> names;
  if (boot_now() >= resume_at_) names.assign(postponed_.begin(), postponed_.end());
  if (waiting_.empty()) return names;
  const auto add = [&](std::int64_t id) {
    if (const auto waits = waiting_.find(id); waits != waiting_.end()) names.push_back(waits->second);
  };
  for (const std::int64_t id : db_.ended_groups()) add(id);
  for (const std::int64_t leader : db_.leaders()) {
    if (leader != entry_.session.id && living().contains(leader)) continue;
    for (const auto& [id, epoch] : db_.open_terms(leader)) add(id);
  }
  return names;
}

bool Groups::end_left() {
  ending_ = std::exchange(unended_, {});
  for (const auto& [group, epoch] : ending_)
    db_.end_term({group, {}, epoch, entry_.session.id}, TermEnd::clean, wall_now());
  return term_ended_ || !ending_.empty();
}

void Groups::end_change(Events& events) {
  for (const auto& [name, left] : left_) events.emplace_back(backend::Deposed{name, left.group.epoch, left.cause});
  for (const auto& [name, node] : std::exchange(waits_for_, {}))
    node.empty() ? notice_.over(name) : notice_.waits(name, node, "the leader");
  for (Event& vacancy : std::exchange(vacancies_, {})) events.push_back(std::move(vacancy));
  living_.reset();
  tried_.clear();
  ending_.clear();
  left_.clear();
  term_ended_ = false;
}

void Groups::undo(const std::vector<Call>& calls, Events& events) {
  unended_.merge(ending_);
  waits_for_.clear();
  for (const std::string& name : tried_) postpone(name), notice_.vacant(name);
  for (const Call& call : calls) {
    const auto* campaign = std::get_if<CampaignCall>(&call);
    if (campaign != nullptr && entry_.role == Role::member && !groups_.contains(campaign->group))
      postpone(campaign->group);
    if (const auto* resign = std::get_if<ResignCall>(&call)) leave(resign->group);
  }
  for (const auto& [name, left] : left_)
    if (left.cause == Cause::resigned) unended_[left.group.id] = left.group.epoch;
  end_change(events);
}

}  // namespace ballot::local

#include "session.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "elections.hpp"
#include "support/clock.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t groups_a_commit = 2000;  // the first of many are led while the others are still taken

bool only_reads(const Call& call) {
  return std::holds_alternative<ReadCall>(call) || std::holds_alternative<ListCall>(call) ||
         std::holds_alternative<ObserveCall>(call) || std::holds_alternative<WatchCall>(call);
}

template <class All, class Decide>
backend::Wrote answer_each(RequestId request, const All& all, const Decide& decide) {
  backend::Wrote wrote{request, {}};
  for (const auto& one : all) wrote.answers.push_back(decide(one));
  return wrote;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(const Opening& opening, Host& host) {
  std::unique_ptr<Store> store;
  try {
    auto opened = open_store(opening);
    if (!opened) return opened.error();
    store = std::move(*opened);
    auto entry = enter(*store, opening);
    if (!entry) return entry.error();
    return std::unique_ptr<Session>(new Session(std::move(store), std::move(*entry), host));
  } catch (const DbError& error) {
    if (store && error.fault == DbFault::busy)
      if (const std::string problem = store->examine_writer(); !problem.empty()) host.log(Level::error, problem);
    const bool is_damaged = error.fault == DbFault::damaged, is_busy = error.fault == DbFault::busy;
    const Errc code = is_damaged ? Errc::corrupt : is_busy ? Errc::unavailable : Errc::io;
    return Error{code, Store::describe(error, Store::path_in(opening.folder))};
  }
}

Session::Session(std::unique_ptr<Store> store, Entry entry, Host& host)
    : host_(host),
      entry_(std::move(entry)),
      store_(std::move(store)),
      groups_(*store_, entry_, host_),
      watches_(store_->folder(), store_->lock()),
      revision_(entry_.revision) {
  if (!takes_part()) return;
  if (!watches_.add_elections()) warn_of_polling();
  watches_.notify_elections();
}

Session::~Session() {
  if (takes_part() && !over_) store_->write_back();
  store_->lock().close();
  if (entry_.role != Role::observer) watches_.notify_elections();
}

/// A session past its stored deadline does nothing more, also where nobody has followed it.
bool Session::usable() {
  if (over_) return false;
  if (const std::string problem = store_->misplaced(); !problem.empty())
    over_ = {Cause::unreachable, problem};
  else if (store_->liveness().is_past())
    over_ = {Cause::expired, "the session was not renewed before its deadline"};
  return !over_;
}

/// False: nothing of it has happened.
bool Session::change(Access access, const std::function<void(Events&)>& work, const std::vector<Call>& calls,
                     Events& events) {
  if (!usable()) return false;
  Events made;
  try {
    if (access == Access::read) {
      store_->read([&] { work(made); });
    } else {
      const std::string problem = store_->write([&] { return work(made), prepare_commit(); });
      if (!problem.empty()) log_once(Level::warn, problem);
    }
    if (over_) return false;
    groups_.end_change(made);
    std::move(made.begin(), made.end(), std::back_inserter(events));
    return true;
  } catch (const DbError& error) {
    groups_.undo(calls, events);
    fail(error, calls, events);
    return false;
  }
}

/// A session that was stopped in between commits nothing. Others are notified before the commit, which they wait for: a
/// process that is killed here has notified them.
bool Session::prepare_commit() {
  const bool term_ended = groups_.end_left();
  if (!usable()) return false;
  watches_.notify(store_->db().touched());
  if (term_ended) watches_.notify_elections();
  return true;
}

void Session::carry_out(std::vector<Call> calls, Events& events) {
  for (const Call& call : calls)
    if (const auto* renewal = std::get_if<RenewCall>(&call)) renew(*renewal, events);
  std::erase_if(calls, [](const Call& call) { return std::holds_alternative<RenewCall>(call); });
  if (calls.empty()) return;
  const auto all = [&](Events& made) {
    for (const Call& call : calls) std::visit([&](const auto& one) { carry(one, made); }, call);
  };
  const bool reads = std::all_of(calls.begin(), calls.end(), only_reads);
  change(reads ? Access::read : Access::write, all, calls, events);
}

/// Neither the write lock nor space on the disk is needed: one daemon that is stopped, or a full disk, ends no terms of
/// others. Terms that somebody has ended are found first, so that the renewal is none of theirs. The revision is told,
/// so that a node that writes nothing notices too when the store is put back.
void Session::renew(const RenewCall& call, Events& events) {
  backend::Renewed renewed{call.request, StoreResult::done, {}};
  if (takes_part()) {
    const auto look = [&](Events&) {
      groups_.find_losses();
      renewed.revision = store_->db().revision();
    };
    if (!change(Access::read, look, {Call(call)}, events)) return;
    const int failed = store_->liveness().renew(call.asked + entry_.session.timeout);
    if (failed == 0 && !usable()) return;
    if (failed != 0) {
      renewed.outcome = StoreResult::failed;
      renewed.text = "this session's lease beside " + store_->path() + " cannot be written: " + std::strerror(failed);
      log_once(Level::error, renewed.text);
    }
  }
  events.emplace_back(std::move(renewed));
  store_->rest();
}

void Session::carry(const CampaignCall& call, Events& events) {
  if (!takes_part()) return host_.log(Level::error, "an observer does not campaign: " + call.group);
  groups_.campaign(call.group, events);
}

void Session::carry(const WriteCall& call, Events& events) {
  const auto write = [this](const RegisterWrite& one) { return store_->db().write(one, id()); };
  events.emplace_back(answer_each(call.request, call.batch, write));
}

void Session::carry(const ReadCall& call, Events& events) {
  backend::ReadDone done{call.request, StoreResult::done, {}, {}};
  for (const std::string& name : call.names)
    if (auto found = store_->db().read(name)) done.registers.push_back(std::move(*found));
  events.emplace_back(std::move(done));
}

void Session::carry(const CreateCall& call, Events& events) {
  const auto create = [this](const Record& one) { return store_->db().create(one); };
  events.emplace_back(answer_each(call.request, call.records, create));
}

void Session::carry(const RemoveCall& call, Events& events) {
  const auto remove = [this](const std::string& one) { return store_->db().remove(one); };
  events.emplace_back(answer_each(call.request, call.names, remove));
}

void Session::carry(const WatchCall& call, Events& events) {
  const bool was_lossy = watches_.lossy();
  if (!watches_.add(call.prefix) && !was_lossy) warn_of_polling();
  events.emplace_back(backend::Changed{call.prefix});
}

void Session::carry(const ObserveCall& call, Events& events) {
  RegisterDb& db = store_->db();
  std::vector<FolderSession> live = store_->liveness().others(db.sessions());
  if (const auto own = db.session(id())) live.push_back(store_->liveness().current(*own));
  events.emplace_back(backend::Observed{call.request, StoreResult::done, elections(db, live, call.group), {}});
}

void Session::carry(const EvictCall& call, Events& events) {
  WriteAnswer answer{StoreResult::conflict, 0, "nobody leads " + call.group};
  if (groups_.evict(call.group)) answer = {StoreResult::done, 0, {}};
  events.emplace_back(backend::Wrote{call.request, {answer}});
}

void Session::carry(const ListCall& call, Events& events) {
  events.emplace_back(backend::ReadDone{call.request, StoreResult::done, store_->db().list(call.prefix), {}});
}

void Session::fail(const DbError& error, const std::vector<Call>& calls, Events& events) {
  const std::string text = Store::describe(error, store_->path());
  if (error.fault == DbFault::damaged || error.fault == DbFault::broken) {
    over_ = {Cause::unreachable, text};
    return;
  }
  const std::string problem = error.fault == DbFault::busy ? store_->examine_writer() : std::string();
  log_once(Level::error, problem.empty() ? text : problem);
  for (const Call& call : calls) {
    if (const auto* watch = std::get_if<WatchCall>(&call)) carry(*watch, events);  // needs no database
    if (auto refused = refusal(call, StoreResult::failed, text)) events.push_back(std::move(*refused));
  }
}

void Session::log_once(Level level, const std::string& text) {
  const SteadyTime now = boot_now();
  if (text == logged_ && now < logged_at_ + 1min) return;
  logged_ = text;
  logged_at_ = now;
  host_.log(level, text);
}

void Session::warn_of_polling() {
  host_.log(Level::warn, "changes cannot be notified beside " + store_->path() +
                             " (no inotify, or no space in bell/): the store is polled every " +
                             std::to_string(short_interval.count()) + " ms instead");
}

std::vector<int> Session::wait_fds() const {
  std::vector<int> all = peers_.descriptors();
  all.push_back(watches_.descriptor());
  return all;
}

bool Session::take_changes(Events& events) {
  const bool elections_changed = watches_.take_changes([this](int tries) { return store_->wait(tries); }, events);
  return peers_.reap() || elections_changed;
}

/// Reads first: where nothing is to be done, nobody is kept from writing.
void Session::poll(Events& events) {
  watches_.settle(events);
  std::uint64_t revision = revision_;
  std::vector<std::string> groups;
  const auto read = [&](Events&) {
    revision = store_->db().revision();
    if (takes_part()) groups = find_work();
  };
  last_poll_ = Poll::failed;
  if (!change(Access::read, read, {}, events)) return;
  const bool idle = groups.empty() && !groups_.has_unended();
  if (!idle && !lead(groups, events)) return;
  last_poll_ = groups.size() > groups_a_commit ? Poll::partial : Poll::complete;
  if (std::exchange(revision_, revision) != revision && watches_.lossy()) watches_.add_all(events);
}

/// The groups to campaign for now.
std::vector<std::string> Session::find_work() {
  groups_.find_losses();
  const std::vector<FolderSession> others = store_->liveness().others(store_->db().sessions());
  peers_.follow(others, store_->lock());
  others_until_ = SteadyTime::max();
  for (const FolderSession& other : others)
    if (other.boot_id == store_->liveness().boot_id()) others_until_ = std::min(others_until_, other.deadline);
  return groups_.vacancies();
}

bool Session::lead(const std::vector<std::string>& groups, Events& events) {
  const auto campaign = [&](Events& made) {
    for (std::size_t i = 0; i < std::min(groups.size(), groups_a_commit); ++i) groups_.try_to_lead(groups[i], made);
  };
  return change(Access::write, campaign, {}, events);
}

Millis Session::poll_interval() const {
  if (last_poll_ == Poll::partial) return Millis(0);
  const bool often =
      watches_.lossy() || watches_.unsettled() || peers_.lossy() || groups_.polls() || last_poll_ == Poll::failed;
  const Millis most = often ? short_interval : long_interval;
  if (!groups_.waits() || others_until_ == SteadyTime::max()) return most;
  return std::clamp(others_until_ - boot_now(), Millis(1), most);  // what is past by then has been seen to
}

void Session::end_terms() noexcept {
  if (!takes_part() || !usable()) return;
  try {
    store_->write([this] {
      store_->db().end_terms(id(), wall_now());
      return true;
    });
  } catch (const DbError& error) {
    host_.log(Level::warn,
              "the end of this daemon's terms could not be recorded: " + Store::describe(error, store_->path()));
  }
}

}  // namespace ballot::local

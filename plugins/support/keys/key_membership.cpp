#include "support/keys/key_membership.hpp"

#include <algorithm>
#include <utility>

#include "support/clock.hpp"
#include "support/member_name.hpp"
#include "support/texts.hpp"

namespace ballot::support {

using namespace std::chrono_literals;

namespace {

constexpr Millis observe_pause = 200ms;

}  // namespace

KeyMembership::KeyMembership(KeyContext& context, LastSeen& last_seen, std::string left_behind)
    : context_(context),
      last_seen_(last_seen),
      rival_(context.self, std::move(left_behind)),
      last_answer_(boot_now()) {}

void KeyMembership::enter(Entered entered) {
  entered_ = std::move(entered);
  observe();
}

void KeyMembership::finish(Entry entry, std::string text) {
  observe_at_.reset();
  if (auto entered = std::exchange(entered_, nullptr)) entered(entry, std::move(text));
}

/// True: nothing is known from it; it is read again a little later.
bool KeyMembership::again(StoreResult outcome, const std::string& text, Entry where_refused) {
  if (outcome == StoreResult::failed) {
    finish(where_refused, text);
    return true;
  }
  if (outcome == StoreResult::unknown) {
    observe_at_ = boot_now() + observe_pause;
    return true;
  }
  last_answer_ = boot_now();
  return false;
}

void KeyMembership::observe() {
  observe_at_.reset();
  const std::string session = KeyNames::session(context_.self.node), member = path();
  context_.store.get({session, member}, [this, session, member](const KeyRead& read) {
    if (!entered_ || again(read.outcome, read.text, Entry::failed)) return;
    const auto entry = [&](const std::string& key) -> const KeyEntry* {
      const auto found =
          std::find_if(read.entries.begin(), read.entries.end(), [&](const KeyEntry& one) { return one.key == key; });
      return found == read.entries.end() ? nullptr : &*found;
    };
    consider(entry(session), entry(member));
  });
}

void KeyMembership::consider(const KeyEntry* session, const KeyEntry* member) {
  const auto record = member == nullptr ? std::nullopt : parse_member(member->value);
  if (session == nullptr) {
    if (record && record->session != context_.session) last_seen_.keep(*record);
    return bound_ ? keep_open([this] { bind(); }) : bind();
  }
  if (session->value == context_.session) return bound_ ? write_entry() : consider_own(record);
  MemberRecord rival = record.value_or(MemberRecord{});
  if (rival.session != session->value) rival = {};
  rival.session = session->value;
  wait_for(std::move(rival), member == nullptr ? 0 : member->version);
}

/// Our session has the name: it was resumed, or binding it was answered as unknown.
void KeyMembership::consider_own(const std::optional<MemberRecord>& record) {
  if (!record || record->session != context_.session || record->ended || boot_now() >= record->deadline)
    return finish(Entry::stale, {});
  resumed_until_ = record->deadline;
  write_entry();
}

/// Calls `next` unless the session is over. Otherwise only the answer to bind() would show that, and a store that is
/// slow to write may give none in time, again and again.
void KeyMembership::keep_open(std::function<void()> next) {
  const bool asked = context_.store.keep([this, next](const KeyAnswer& answer) {
    if (!entered_) return;
    answer.outcome == StoreResult::not_leader ? finish(Entry::stale, {}) : next();
  });
  if (!asked) next();
}

void KeyMembership::bind() {
  bound_ = true;
  context_.store.bind(KeyNames::session(context_.self.node), context_.session, [this](const KeyAnswer& answer) {
    if (!entered_ || again(answer.outcome, answer.text, Entry::unwritten)) return;
    if (answer.outcome == StoreResult::not_leader) return finish(Entry::stale, {});
    answer.outcome == StoreResult::done ? write_entry() : observe();
  });
}

/// T counts from here.
void KeyMembership::write_entry() {
  const SteadyTime sent = boot_now();
  deadline_ = sent + context_.timeout;
  context_.store.renew(path(), format(record(false)), [this, sent](const KeyAnswer& answer) {
    if (!entered_ || again(answer.outcome, answer.text, Entry::unwritten)) return;
    if (answer.outcome != StoreResult::done) return finish(Entry::stale, {});
    version_ = answer.version;
    confirmed_ = began_ = sent;
    finish(Entry::entered, {});
  });
}

void KeyMembership::wait_for(MemberRecord rival, std::uint64_t version) {
  switch (rival_.see(rival, static_cast<std::int64_t>(version))) {
    case NameRival::Verdict::lives:
      return finish(Entry::refused, in_use_text(context_.self.node, rival.pid, rival.host));
    case NameRival::Verdict::left_behind: return finish(Entry::left_behind, {});
    case NameRival::Verdict::arrived: context_.host.log(Level::info, rival_.waiting_text(rival)); break;
    case NameRival::Verdict::waits: break;
  }
  keep_open([this] { observe_at_ = boot_now() + context_.timeout / 8; });
}

MemberRecord KeyMembership::record(bool ended) const {
  MemberRecord record = member_of(context_.self);
  record.session = context_.session;
  record.timeout = context_.timeout;
  record.deadline = deadline_;
  record.renewed = wall_now();
  record.ended = ended;
  return record;
}

void KeyMembership::renew(RequestId request, SteadyTime asked) {
  request_ = request;
  asked_ = asked;
  deadline_ = std::max(deadline_, asked + context_.timeout);
  context_.store.renew(path(), format(record(false)), [this, request](const KeyAnswer& answer) {
    if (request == request_) on_renewed(answer);
  });
}

/// What is followed may be known up to an earlier time only: a term that somebody has ended since is not known of.
/// Nobody else writes our entry, and each of our writes makes its version larger: one that is not larger was given
/// before to a write that the store has acknowledged, and lost.
void KeyMembership::on_renewed(const KeyAnswer& answer) {
  if (answer.outcome == StoreResult::not_leader) {
    lost_ = true;
    return;
  }
  refusal_ = answer.outcome == StoreResult::failed ? answer.text : "";
  backend::Renewed renewed{std::exchange(request_, 0), answer.outcome, answer.text};
  if (answer.outcome == StoreResult::done) {
    confirmed_ = asked_;
    renewed.store_clock = context_.store.clock();
    const SteadyTime observed = std::max(context_.store.observed_until(), began_);
    if (observed < asked_) renewed.counts_from = observed;
    renewed.gone_back = answer.version <= version_;
    if (renewed.gone_back)
      renewed.text = "version " + std::to_string(answer.version) + " of " + path() + " was given, and " +
                     std::to_string(version_) + " had been acknowledged";
    version_ = answer.version;
  }
  renewed.revision = version_;
  context_.post(std::move(renewed));
}

void KeyMembership::end(bool forget, std::function<void(StoreResult)> done) {
  KeyChange change{path(), {}, {}, true};
  if (!forget) change.value = format(record(true));
  context_.store.commit({change}, [this, done](const std::vector<KeyAnswer>&) {
    context_.store.end([done](const KeyAnswer& answer) { done(answer.outcome); });
  });
}

void KeyMembership::tick(SteadyTime now) {
  if (observe_at_ && now >= *observe_at_) observe();
}

}  // namespace ballot::support

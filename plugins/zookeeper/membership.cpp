#include "membership.hpp"

#include <algorithm>
#include <utility>

namespace ballot::zookeeper {

using namespace std::chrono_literals;

namespace {

constexpr Millis retry_pause = 200ms;

}  // namespace

Membership::Membership(SessionContext& context, Members& members, Terms terms)
    : context_(context),
      members_(members),
      terms_(std::move(terms)),
      rival_(context.self, terms_.left_behind),
      last_answer_(terms_.asked),
      deadline_(terms_.asked + terms_.timeout),
      confirmed_(terms_.asked),
      renewals_(terms_.timeout, terms_.tick, terms_.asked) {}

void Membership::enter(Entered entered) {
  entered_ = std::move(entered);
  observe();
}

void Membership::finish(Entry entry, Cause cause, std::string text) {
  observe_at_.reset();
  if (auto entered = std::exchange(entered_, nullptr)) entered(entry, cause, std::move(text));
}

/// True: nothing is known from it; it is read again a little later.
bool Membership::again(int rc) {
  if (rc == ZNOAUTH || rc == ZINVALIDACL) {
    finish(Entry::failed, Cause::auth_failed, context_.paths.members() + ": " + text_of(rc));
    return true;
  }
  if (is_unknown(rc)) {
    observe_at_ = boot_now() + retry_pause;
    return true;
  }
  last_answer_ = boot_now();
  return false;
}

/// Behind a transaction: a server that lags shows a dead session's last renewals one after the other.
void Membership::observe() {
  observe_at_.reset();
  context_.after_barrier([this](int rc) {
    if (!again(rc)) read();
  });
}

void Membership::read() {
  context_.client.get(path(), Watch::no, [this](const Reply& found) {
    if (again(found.rc)) return;
    if (found.rc == ZNONODE) {
      context_.make_folders([](int) {});
      return context_.client.create(path(), {}, ZOO_PERSISTENT, [this](const Reply& made) {
        if (!again(made.rc)) observe_at_ = boot_now() + (made.rc == ZNONODE ? retry_pause : 0ms);
      });
    }
    context_.see(found.stat);
    const int version = found.stat.version;
    context_.client.children(path(), Watch::no, [this, version, record = parse_member(found.value)](const Reply& all) {
      if (again(all.rc)) return;
      if (all.rc == ZNONODE) return observe();
      consider(version, record, all.names);
    });
  });
}

void Membership::consider(int version, const std::optional<MemberRecord>& record,
                          const std::vector<std::string>& sessions) {
  const bool ours = std::find(sessions.begin(), sessions.end(), context_.session) != sessions.end();
  const auto other =
      std::find_if(sessions.begin(), sessions.end(), [&](const auto& one) { return one != context_.session; });
  if (other == sessions.end()) {
    if (ours) return consider_own(version, record);
    if (record) members_.keep(record);
    return write_entry(version);
  }
  if (ours) return withdraw();
  MemberRecord rival = record.value_or(MemberRecord{});
  if (rival.session != *other) rival = {};
  rival.session = *other;
  wait_for(rival, version);
}

void Membership::consider_own(int version, const std::optional<MemberRecord>& record) {
  if (!record || record->session != context_.session) return finish(Entry::stale, {}, {});
  // Written by us, or by the daemon before: which one, its deadline says.
  if (record->pid == context_.self.pid && record->deadline == deadline_) return finish(Entry::entered, {}, {});
  if (record->ended || boot_now() >= record->deadline) return finish(Entry::stale, {}, {});
  resumed_until_ = record->deadline;
  write_entry(version);
}

/// Another session is there too. The entry may have been removed and made anew between our read and our write, so that
/// its version was the same again: the second one sees the first, and withdraws.
void Membership::withdraw() {
  if (!created_) return finish(Entry::stale, {}, {});
  context_.client.remove(context_.session_path, [this](const Reply& reply) {
    if (again(reply.rc)) return;
    created_ = false;
    observe_later();
  });
}

void Membership::wait_for(const MemberRecord& rival, int version) {
  switch (rival_.see(rival, version)) {
    case NameRival::Verdict::lives:
      return finish(Entry::refused, Cause::superseded, in_use_text(context_.self.node, rival.pid, rival.host));
    case NameRival::Verdict::left_behind: return finish(Entry::left_behind, {}, {});
    case NameRival::Verdict::arrived: context_.host.log(Level::info, rival_.waiting_text(rival)); break;
    case NameRival::Verdict::waits: break;
  }
  observe_later();
}

void Membership::observe_later() { observe_at_ = boot_now() + terms_.timeout / 8; }

/// Over the version that showed nobody: of two that come at once, one succeeds.
void Membership::write_entry(int version) {
  const std::string text = format(record(false));
  auto multi = context_.client.multi();
  if (resumed_until_)
    multi->check(context_.session_path);
  else
    multi->create(context_.session_path, {}, ZOO_EPHEMERAL);
  multi->set(path(), text, version);
  context_.client.commit(std::move(multi), [this](const Reply& reply) {
    if (again(reply.rc)) return;
    if (reply.rc != ZOK) return observe();
    created_ = !resumed_until_;
    written(reply.ops.at(1).stat);
    observe();
  });
}

MemberRecord Membership::record(bool ended) const {
  MemberRecord record = member_of(context_.self);
  record.session = context_.session;
  record.timeout = terms_.timeout;
  record.deadline = deadline_;
  record.renewed = wall_now();
  record.ended = ended;
  return record;
}

/// Each is a write of our entry.
void Membership::renew(RequestId request, SteadyTime asked) {
  request_ = request;
  asked_ = asked;
  deadline_ = std::max(deadline_, asked + terms_.timeout);
  auto multi = context_.client.multi();
  multi->check(context_.session_path);
  multi->set(path(), format(record(false)), -1);
  const auto done = [this, request, sent = boot_now()](const Reply& reply) {
    if (request == request_) on_written(sent, reply);
  };
  context_.client.commit(std::move(multi), done, Priority::urgent);
}

void Membership::on_written(SteadyTime sent, const Reply& reply) {
  if (reply.rc == ZNONODE) {
    lost_ = true;
    return;
  }
  if (reply.rc != ZOK) {
    renewals_.lost();
    return answer(StoreResult::unknown, text_of(reply.rc));
  }
  renewals_.confirm(asked_, sent, boot_now());
  confirmed_ = asked_;
  const Stat& stat = reply.ops.at(1).stat;
  const bool gone_back = has_gone_back(stat);
  const std::string text = gone_back ? "version " + std::to_string(stat.version) + " of " + path() +
                                           " was given, and " + std::to_string(*version_) + " had been acknowledged"
                                     : std::string();
  written(stat);
  backend::Renewed renewed{std::exchange(request_, 0), StoreResult::done, text};
  renewed.store_clock = store_clock_;
  renewed.revision = context_.highest;
  renewed.counts_from = renewals_.counts_from();
  renewed.gone_back = gone_back;
  context_.post(std::move(renewed));
}

/// Nobody else writes our entry, and each of our writes makes its version one higher: one that is not higher was given
/// before to a write that the store has acknowledged, and lost.
bool Membership::has_gone_back(const Stat& stat) {
  const auto ahead = static_cast<std::uint32_t>(stat.version) - static_cast<std::uint32_t>(version_.value_or(-1));
  return version_ && static_cast<std::int32_t>(ahead) <= 0;
}

/// `mtime` is by the clock of the ensemble's leader, which all nodes share.
void Membership::written(const Stat& stat) {
  context_.see(stat);
  version_ = stat.version;
  store_clock_ = WallTime(Millis(stat.mtime));
}

void Membership::answer(StoreResult outcome, std::string text) {
  backend::Renewed renewed{std::exchange(request_, 0), outcome, std::move(text)};
  renewed.revision = context_.highest;
  context_.post(std::move(renewed));
}

void Membership::end(bool forget, std::function<void(int rc)> done) {
  auto multi = context_.client.multi();
  multi->remove(context_.session_path);
  if (forget)
    multi->remove(path());
  else
    multi->set(path(), format(record(true)), -1);
  const auto ended = [this, forget, done](const Reply& reply) {
    if (forget && reply.rc == ZNOTEMPTY) return end(false, done);
    done(reply.rc);
  };
  context_.client.commit(std::move(multi), ended, Priority::urgent);
}

void Membership::on_connected() {
  if (observe_at_) observe_at_ = boot_now();
}

void Membership::tick(SteadyTime now) {
  if (observe_at_ && now >= *observe_at_) observe();
}

}  // namespace ballot::zookeeper

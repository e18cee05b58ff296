#include "membership.hpp"

#include <algorithm>
#include <utility>

namespace ballot::zookeeper {

using namespace std::chrono_literals;

namespace {

constexpr Millis retry_pause = 200ms;

}  // namespace

Membership::Membership(Link& link, Members& members, Millis timeout, SteadyTime asked)
    : link_(link), members_(members), timeout_(timeout), deadline_(asked + timeout), confirmed_(asked) {}

void Membership::enter(Entered entered) {
  entered_ = std::move(entered);
  look();
}

void Membership::finish(Entry entry, Cause cause, std::string text) {
  look_at_.reset();
  if (auto entered = std::exchange(entered_, nullptr)) entered(entry, cause, std::move(text));
}

/// True: nothing is known from it; looks again a little later.
bool Membership::again(int rc) {
  if (rc == ZNOAUTH || rc == ZINVALIDACL) {
    finish(Entry::failed, Cause::auth_failed, link_.paths.members() + ": " + text_of(rc));
    return true;
  }
  if (!is_unknown(rc)) return false;
  look_at_ = boot_now() + retry_pause;
  return true;
}

void Membership::look() {
  look_at_.reset();
  const std::string path = link_.paths.member(link_.self.node);
  link_.client.get(path, Watch::no, [this, path](const Reply& found) {
    if (again(found.rc)) return;
    if (found.rc == ZNONODE) {
      link_.make_folders([](int) {});
      return link_.client.create(path, {}, ZOO_PERSISTENT, [this](const Reply& made) {
        if (!again(made.rc)) look_at_ = boot_now() + (made.rc == ZNONODE ? retry_pause : 0ms);
      });
    }
    link_.see(found.stat);
    const int version = found.stat.version;
    link_.client.children(path, Watch::no, [this, version, record = parse_member(found.value)](const Reply& sessions) {
      if (again(sessions.rc)) return;
      weigh(version, record, sessions.names);
    });
  });
}

void Membership::weigh(int version, const std::optional<MemberRecord>& record,
                       const std::vector<std::string>& sessions) {
  const bool ours = std::find(sessions.begin(), sessions.end(), link_.session) != sessions.end();
  if (ours && record && record->session == link_.session) {
    // Written when an answer was lost, or by the daemon before: its deadline tells which.
    if (record->pid == link_.self.pid && record->deadline == deadline_) return stood();
    if (record->ended || boot_now() >= record->deadline) return finish(Entry::stale, {}, {});
    resumed_until_ = record->deadline;
    return stand(version);
  }
  const auto other =
      std::find_if(sessions.begin(), sessions.end(), [&](const auto& one) { return one != link_.session; });
  if (other == sessions.end()) {
    if (ours) return finish(Entry::stale, {}, {});
    if (record) members_.keep(record);
    return stand(version);
  }
  MemberRecord rival = record.value_or(MemberRecord{});
  rival.session = *other;
  wait_for(rival, version);
}

/// It renews itself each T/3, where it lives.
void Membership::wait_for(const MemberRecord& rival, int version) {
  const SteadyTime now = boot_now();
  if (!rival_ || rival_->session != rival.session) rival_ = Rival{rival.session, version, now};
  const Millis patience = std::max(timeout_, rival.timeout) * 5 / 4;
  if (rival_->version != version || now >= rival_->since + patience) return refuse("is in use", rival);
  look_at_ = now + timeout_ / 8;
}

void Membership::refuse(const std::string& why, const MemberRecord& rival) {
  finish(Entry::refused, Cause::superseded,
         "node " + link_.self.node + " " + why + " by the daemon with pid " + std::to_string(rival.pid) + " on " +
             rival.host + ": give this one another name (node)");
}

/// Over the version that showed nobody: of two that come at once, one succeeds.
void Membership::stand(int version) {
  const std::string text = format(record(false));
  auto multi = link_.client.multi();
  if (resumed_until_)
    multi->check(link_.standing);
  else
    multi->create(link_.standing, {}, ZOO_EPHEMERAL);
  multi->set(link_.paths.member(link_.self.node), text, version);
  link_.client.commit(std::move(multi), [this](const Reply& reply) {
    if (again(reply.rc)) return;
    if (reply.rc != ZOK) return look();
    written(reply.ops.at(1).stat);
    stood();
  });
}

void Membership::stood() {
  standing_ = true;
  touch_at_ = boot_now() + timeout_ / 12;
  finish(Entry::standing, {}, {});
}

MemberRecord Membership::record(bool ended) const {
  const SessionRequest& self = link_.self;
  return {link_.session, self.node, self.machine_id, self.boot_id, self.host,  self.version,
          self.control,  self.pid,  timeout_,        deadline_,    wall_now(), ended};
}

void Membership::renew(RequestId request, SteadyTime asked) {
  request_ = request;
  asked_ = asked;
  deadline_ = std::max(deadline_, asked + timeout_);
  proving_ = false;
  write();
}

void Membership::write() {
  write_at_.reset();
  auto multi = link_.client.multi();
  multi->check(link_.standing);
  multi->set(link_.paths.member(link_.self.node), format(record(false)), -1);
  const auto done = [this, request = request_, sent = boot_now()](const Reply& reply) {
    if (request == request_) on_written(sent, reply);
  };
  link_.client.commit(std::move(multi), done, Turn::urgent);
}

/// A write whose answer took long proves nothing of what was sent before it: the leader itself may have stood still.
void Membership::on_written(SteadyTime sent, const Reply& reply) {
  if (reply.rc == ZNONODE) {
    lost_ = true;
    return;
  }
  if (reply.rc != ZOK) return answer(Outcome::unknown, text_of(reply.rc));
  const SteadyTime now = boot_now();
  written(reply.ops.at(1).stat);
  touch_at_ = now + timeout_ / 12;
  if (proving_ && now - sent <= timeout_ / 6) {
    confirmed_ = asked_;
    return answer(Outcome::done, {});
  }
  proving_ = true;
  write_at_ = sent + timeout_ / 8;
}

/// Its time is that of the ensemble's leader, which all nodes share.
void Membership::written(const Stat& stat) {
  link_.see(stat);
  store_clock_ = WallTime(Millis(stat.mtime));
}

void Membership::answer(Outcome outcome, std::string text) {
  backend::Renewed renewed{std::exchange(request_, 0), outcome, std::move(text)};
  if (outcome == Outcome::done) renewed.store_clock = store_clock_;
  renewed.revision = link_.highest;
  link_.tell(std::move(renewed));
}

void Membership::end(std::function<void()> done) {
  auto multi = link_.client.multi();
  multi->check(link_.standing);
  multi->set(link_.paths.member(link_.self.node), format(record(true)), -1);
  link_.client.commit(
      std::move(multi), [done = std::move(done)](const Reply&) { done(); }, Turn::urgent);
}

void Membership::on_connected() {
  if (look_at_) look_at_ = boot_now();
}

void Membership::tick(SteadyTime now) {
  if (look_at_ && now >= *look_at_) look();
  if (write_at_ && now >= *write_at_) write();
  if (!standing_ || now < touch_at_) return;
  touch_at_ = now + timeout_ / 12;
  const auto touched = [this](const Reply& reply) { lost_ = lost_ || reply.rc == ZNONODE; };
  link_.client.get(link_.standing, Watch::no, touched, Turn::urgent);
}

std::optional<SteadyTime> Membership::due() const {
  std::optional<SteadyTime> at = look_at_;
  for (const auto& other : {write_at_, standing_ ? std::optional(touch_at_) : std::nullopt})
    if (other && (!at || *other < *at)) at = other;
  return at;
}

}  // namespace ballot::zookeeper

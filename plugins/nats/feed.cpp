#include "feed.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "support/bounds.hpp"
#include "support/clock.hpp"

namespace ballot::nats {

using namespace std::chrono_literals;
using namespace support;

namespace {

constexpr Millis make_pause = 200ms, absent_pause = 1s, barrier_pause = 50ms, barrier_patience = 1s;
constexpr int silent_heartbeats = 3;

/// The size of an entry without its value and its message id.
std::size_t size_of(const std::string& key) { return sizeof(Feed::Entries::value_type) + 2 * key.size(); }

/// Barriers of many sessions need not replace one another, nor leave one each behind.
std::string barrier_of(const std::string& word) { return "b." + std::to_string(std::hash<std::string>{}(word) % 256); }

/// Of the last message of each subject, then of all that come, each once, in order.
std::string consumer_text(const std::string& bucket, const std::string& name, const std::string& address,
                          Millis heartbeat) {
  return json::serialize(json::object{{"stream_name", stream_of(bucket)},
                                      {"config", json::object{{"name", name},
                                                              {"deliver_policy", "last_per_subject"},
                                                              {"deliver_subject", address},
                                                              {"filter_subject", all_subjects_of(bucket)},
                                                              {"ack_policy", "none"},
                                                              {"max_deliver", 1},
                                                              {"replay_policy", "instant"},
                                                              {"flow_control", true},
                                                              {"idle_heartbeat", heartbeat.count() * nanos},
                                                              {"inactive_threshold", 10 * heartbeat.count() * nanos},
                                                              {"mem_storage", true},
                                                              {"num_replicas", 1}}}});
}

}  // namespace

Feed::Feed(Client& client, std::string bucket, Listener& listener)
    : client_(client),
      bucket_(std::move(bucket)),
      barrier_subject_(own_subject_of(bucket_, barrier_of(client.word()))),
      listener_(listener) {}

Feed::~Feed() { remove_consumer(); }

void Feed::start(Millis heartbeat, bool may_be_absent) {
  if (state_ != State::off) return;
  may_be_absent_ = may_be_absent;
  heartbeat_ = heartbeat;
  make();
}

void Feed::on_connected() {
  if (state_ != State::off) make();
}

void Feed::remove_consumer() {
  if (consumer_.empty()) return;
  client_.leave(std::exchange(subscription_, 0));
  client_.tell({"$JS.API.CONSUMER.DELETE." + stream_of(bucket_) + "." + consumer_});
}

void Feed::make() {
  remove_consumer();
  state_ = State::making;
  make_at_.reset();
  consumer_ = bucket_ + "-" + client_.word() + "-" + std::to_string(++filling_);
  subscription_ = client_.listen("f." + consumer_);
  if (before_.empty()) before_ = std::move(entries_);  // else that one was not filled
  for (auto& one : before_) one.second.value = {};
  entries_.clear();
  size_ = 0;
  read_ = last_gap_ = 0;
  next_ = 1;
  barrier_.is_sent = false;
  barrier_.late.reset();
  client_.ask(
      {"$JS.API.CONSUMER.CREATE." + stream_of(bucket_) + "." + consumer_,
       consumer_text(bucket_, consumer_, client_.address("f." + consumer_), heartbeat_)},
      [this, number = filling_](const Answer& answer) {
        if (number == filling_ && state_ == State::making) on_made(answer);
      },
      Priority::urgent);
}

/// A server that goes on giving cause for it is not asked all the time.
void Feed::make_later() {
  remove_consumer();
  consumer_.clear();
  state_ = State::making;
  barrier_.is_sent = false;
  barrier_.late.reset();
  barrier_.again_at.reset();
  make_at_ = boot_now() + make_pause;
}

/// The next consumer may be on another server: each server of the stream's has the same chance.
void Feed::disagree(const std::string& how) {
  listener_.on_disagreement(
      *this, "a replica of stream " + stream_of(bucket_) + " does not agree with its leader: " + how +
                 ": another one is read. Compare last_seq in /jsz?streams=true of each "
                 "server; where one stays apart, `nats stream edit " +
                 stream_of(bucket_) + " --replicas 1`, then with as many as before, has it copied from the leader");
  make_later();
}

void Feed::on_made(const Answer& answer) {
  if (answer.code == error::stream_not_found && may_be_absent_) {
    consumer_.clear();
    state_ = State::absent;
    make_at_ = boot_now() + absent_pause;
    return listener_.on_filled(*this);
  }
  if (answer.failed()) {
    make_at_ = boot_now() + make_pause;
    return;
  }
  hear();
  state_ = State::filling;
  send_barrier();
}

void Feed::hear() { make_at_ = boot_now() + silent_heartbeats * heartbeat_; }

bool Feed::on(const Message& message) {
  if (consumer_.empty()) return false;
  if (message.status != 0) {
    if (message.to != "f." + consumer_) return false;
    if (state_ != State::making) hear();
    for (const std::string& subject : {message.reply, message.flow})
      if (!subject.empty()) client_.tell({subject});
    // A heartbeat says what was sent.
    if (message.reply.empty() && message.last_sent + 1 != next_) make_later();
    return true;
  }
  if (message.consumer != consumer_) return false;
  if (state_ != State::making) hear();
  message.consumer_sequence == next_ ? on_message(message) : make_later();
  return true;
}

void Feed::on_message(const Message& message) {
  ++next_;
  if (message.stream_sequence != read_ + 1) last_gap_ = message.stream_sequence - 1;
  read_ = message.stream_sequence;
  latest_ = message.stored;
  if (const auto key = key_of(bucket_, message.subject)) {
    const auto [at, is_new] = entries_.try_emplace(*key);
    Stored& stored = at->second;
    size_ += (is_new ? size_of(*key) : 0) + message.data.size() + message.id.size();
    size_ -= std::min(size_, stored.value.size() + stored.id.size());
    if (size_ > bounds::bucket) return disagree("it holds more than " + std::to_string(bounds::bucket) + " bytes");
    stored = {
        message.marker ? std::string() : message.data, read_, message.marker, message.id, boot_now(), message.stored};
    if (state_ == State::live) listener_.on_change(*this, *key, stored);
  } else if (barrier_.is_sent && message.subject == barrier_subject_) {
    (message.data == barrier_text() ? barrier_.seen : barrier_.others) = read_;
  }
  if (barrier_.late && read_ < barrier_.sequence) barrier_.late = boot_now() + barrier_patience;  // it is still to come
  check_barrier();
}

bool Feed::has_passed(const Mark& since, std::uint64_t sequence) const noexcept {
  return state_ == State::live && since.filling == filling_ && read_ >= sequence && last_gap_ <= since.read;
}

const Stored* Feed::find(const std::string& key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() || found->second.marker ? nullptr : &found->second;
}

void Feed::drop_marker(const std::string& key, std::uint64_t version) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.marker || found->second.version != version) return;
  size_ -= std::min(size_, size_of(key) + found->second.id.size());
  entries_.erase(found);
}

std::string Feed::barrier_text() const { return client_.word() + " " + std::to_string(barrier_.number); }

void Feed::after_barrier(std::function<void(bool)> then, SteadyTime late) {
  waiting_.push_back({std::move(then), late});
  if (!barrier_.is_sent) send_barrier();
}

/// For those that wait now; the first of a filling for itself.
void Feed::send_barrier() {
  barrier_.again_at.reset();
  if (state_ != State::filling && (state_ != State::live || waiting_.empty())) return;
  for (Waiting& one : waiting_) one.sent = true;
  barrier_.is_sent = true;
  ++barrier_.number;
  barrier_.read_then = read_;
  barrier_.sequence = barrier_.seen = barrier_.others = 0;
  client_.ask(
      {barrier_subject_, barrier_text()},
      [this, number = filling_](const Answer& answer) {
        if (number == filling_ && barrier_.is_sent) on_barrier(answer);
      },
      Priority::urgent);
}

void Feed::on_barrier(const Answer& answer) {
  barrier_.is_refused = answer.code == error::no_resources;
  if (answer.failed()) {
    barrier_.is_sent = false;
    barrier_.again_at = boot_now() + barrier_pause;
    return;
  }
  barrier_.sequence = answer.sequence();
  barrier_.late = boot_now() + barrier_patience;
  check_barrier();
}

/// Another one is sent where somebody else's has replaced it before it came by; and where a message was missing since
/// it was sent: that may be of a key whose next one is still to come.
void Feed::check_barrier() {
  if (!barrier_.is_sent || barrier_.sequence == 0) return;
  const bool is_replaced = barrier_.seen == 0 && barrier_.others > barrier_.sequence;
  if (barrier_.seen == 0 && !is_replaced) return;
  if (!is_replaced && barrier_.seen != barrier_.sequence)
    return disagree("it has " + std::to_string(barrier_.seen) + " for message " + std::to_string(barrier_.sequence));
  barrier_.is_sent = false;
  barrier_.late.reset();
  if (is_replaced || last_gap_ > barrier_.read_then) return send_barrier();
  const auto passed = take([](const Waiting& one) { return one.sent; });
  if (state_ == State::filling) fill();
  for (const Waiting& one : passed) one.then(true);
  if (!waiting_.empty() && !barrier_.is_sent) send_barrier();
}

/// A message is known again by its id, which no other one has, and the time at which the servers took it in.
bool Feed::is_renumbered() const {
  return std::any_of(before_.begin(), before_.end(), [this](const auto& one) {
    const auto& [key, stored] = one;
    const auto found = entries_.find(key);
    return found != entries_.end() && !stored.id.empty() && found->second.id == stored.id &&
           found->second.stored == stored.stored && found->second.version != stored.version;
  });
}

/// What is older than the latest message was here earlier.
void Feed::fill() {
  for (auto& [key, stored] : entries_) stored.seen -= std::max(Millis(0), latest_ - stored.stored);
  state_ = State::live;
  if (is_renumbered()) listener_.on_renumbered(*this);
  before_.clear();
  listener_.on_filled(*this);
}

template <class Which>
std::vector<Feed::Waiting> Feed::take(const Which& which) {
  const auto rest = std::stable_partition(waiting_.begin(), waiting_.end(), which);
  std::vector<Waiting> taken(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(rest));
  waiting_.erase(waiting_.begin(), rest);
  return taken;
}

void Feed::tick(SteadyTime now) {
  for (const Waiting& one : take([now](const Waiting& one) { return one.late <= now; })) one.then(false);
  if (state_ == State::absent)
    for (const Waiting& one : std::exchange(waiting_, {})) one.then(true);
  if (barrier_.again_at && now >= *barrier_.again_at) send_barrier();
  if (make_at_ && now >= *make_at_) return make();
  if (barrier_.late && now >= *barrier_.late && barrier_.is_sent)
    disagree("message " + std::to_string(barrier_.sequence) + " has not come within " +
             std::to_string(barrier_patience.count()) + " ms");
}

std::optional<SteadyTime> Feed::due() const {
  std::optional<SteadyTime> at = earliest(earliest(make_at_, barrier_.again_at), barrier_.late);
  for (const Waiting& one : waiting_) at = earliest(at, state_ == State::absent ? SteadyTime{} : one.late);
  return at;
}

}  // namespace ballot::nats

#include "feed.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "support/clock.hpp"

namespace ballot::nats {

using namespace std::chrono_literals;
using namespace support;

namespace {

constexpr Millis make_pause = 200ms, absent_pause = 1s, barrier_pause = 50ms;
constexpr int silent_heartbeats = 3;

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
      barrier_(own_subject_of(bucket_, barrier_of(client.word()))),
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
  subscription_.reset();
  client_.tell({"$JS.API.CONSUMER.DELETE." + stream_of(bucket_) + "." + consumer_});
}

void Feed::make() {
  remove_consumer();
  state_ = State::making;
  make_at_.reset();
  consumer_ = bucket_ + "-" + client_.word() + "-" + std::to_string(++filling_);
  subscription_ = client_.listen("f." + consumer_);
  entries_.clear();
  read_ = last_gap_ = 0;
  next_ = 1;
  barrier_sent_ = false;
  client_.ask(
      {"$JS.API.CONSUMER.CREATE." + stream_of(bucket_) + "." + consumer_,
       consumer_text(bucket_, consumer_, client_.address("f." + consumer_), heartbeat_)},
      [this, number = filling_](const Answer& answer) {
        if (number == filling_ && state_ == State::making) on_made(answer);
      },
      Priority::urgent);
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
    if (message.reply.empty() && message.last_sent + 1 != next_) make();
    return true;
  }
  if (message.consumer != consumer_) return false;
  if (state_ != State::making) hear();
  message.consumer_sequence == next_ ? on_message(message) : make();
  return true;
}

void Feed::on_message(const Message& message) {
  ++next_;
  if (message.stream_sequence != read_ + 1) last_gap_ = message.stream_sequence - 1;
  read_ = message.stream_sequence;
  latest_ = message.stored;
  if (const auto key = key_of(bucket_, message.subject)) {
    Stored& stored = entries_[*key];
    stored = {message.marker ? std::string() : message.data, read_, message.marker, boot_now(), message.stored};
    if (state_ == State::live) listener_.on_change(*this, *key, stored);
  }
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
  if (found != entries_.end() && found->second.marker && found->second.version == version) entries_.erase(found);
}

void Feed::after_barrier(std::function<void(bool)> then, SteadyTime late) {
  waiting_.push_back({std::move(then), late});
  if (!barrier_sent_) send_barrier();
}

/// For those that wait now; the first of a filling for itself.
void Feed::send_barrier() {
  barrier_again_at_.reset();
  if (state_ != State::filling && (state_ != State::live || waiting_.empty())) return;
  for (Waiting& one : waiting_) one.sent = true;
  barrier_sent_ = true;
  sent_at_ = read_;
  barrier_at_ = 0;
  client_.ask(
      {barrier_},
      [this, number = filling_](const Answer& answer) {
        if (number == filling_ && barrier_sent_) on_barrier(answer);
      },
      Priority::urgent);
}

void Feed::on_barrier(const Answer& answer) {
  if (answer.failed()) {
    barrier_sent_ = false;
    barrier_again_at_ = boot_now() + barrier_pause;
    return;
  }
  barrier_at_ = answer.sequence();
  check_barrier();
}

/// Where a message was missing since it was sent, another one is: it may be of a key whose next one is still to come.
void Feed::check_barrier() {
  if (!barrier_sent_ || barrier_at_ == 0 || read_ < barrier_at_) return;
  barrier_sent_ = false;
  if (last_gap_ > sent_at_) return send_barrier();
  const auto passed = take([](const Waiting& one) { return one.sent; });
  if (state_ == State::filling) fill();
  for (const Waiting& one : passed) one.then(true);
  if (!waiting_.empty() && !barrier_sent_) send_barrier();
}

/// What is older than the latest message was here earlier.
void Feed::fill() {
  for (auto& [key, stored] : entries_) stored.seen -= std::max(Millis(0), latest_ - stored.stored);
  state_ = State::live;
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
  if (barrier_again_at_ && now >= *barrier_again_at_) send_barrier();
  if (make_at_ && now >= *make_at_) make();
}

std::optional<SteadyTime> Feed::due() const {
  std::optional<SteadyTime> at = earliest(make_at_, barrier_again_at_);
  for (const Waiting& one : waiting_) at = earliest(at, state_ == State::absent ? SteadyTime{} : one.late);
  return at;
}

}  // namespace ballot::nats

#include "feed.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api.hpp"
#include "subjects.hpp"
#include "support/clock.hpp"

namespace ballot::nats {

using namespace std::chrono_literals;
using namespace support;

namespace {

constexpr Millis make_pause = 200ms, absent_pause = 1s, barrier_pause = 50ms;
constexpr int silent_heartbeats = 3;

/// Barriers of many sessions need not replace one another, nor leave one each behind.
std::string barrier_of(const std::string& address) {
  return "b." + std::to_string(std::hash<std::string>{}(address) % 256);
}

}  // namespace

Feed::Feed(Client& client, std::string bucket, Listener& listener)
    : client_(client),
      bucket_(std::move(bucket)),
      stream_(stream_of(bucket_)),
      barrier_(own_subject_of(bucket_, barrier_of(client.address("")))),
      listener_(listener) {}

Feed::~Feed() { remove_consumer(); }

void Feed::start(Millis heartbeat, Absent absent) {
  if (state_ != State::off) return;
  absent_ = absent;
  heartbeat_ = heartbeat;
  make();
}

void Feed::on_connected() {
  if (state_ != State::off) make();
}

void Feed::remove_consumer() {
  if (consumer_.empty()) return;
  client_.unlisten("f." + consumer_);
  client_.tell({"$JS.API.CONSUMER.DELETE." + stream_ + "." + consumer_});
}

void Feed::again(Millis pause) {
  state_ = State::making;
  again_at_ = boot_now() + pause;
}

void Feed::make() {
  remove_consumer();
  state_ = State::making;
  again_at_.reset();
  heard_ = boot_now();
  const std::string address = client_.address("");  // "_INBOX.ID."
  const auto dot = address.find('.');
  consumer_ = bucket_ + "-" + address.substr(dot + 1, address.size() - dot - 2) + "-" + std::to_string(++filling_);
  client_.listen("f." + consumer_);
  const ConsumerConfig config{stream_, consumer_, all_subjects_of(bucket_), client_.address("f." + consumer_),
                              heartbeat_};
  entries_.clear();
  read_ = last_gap_ = 0;
  next_ = 1;
  barrier_sent_ = false;
  client_.ask(
      {"$JS.API.CONSUMER.CREATE." + stream_ + "." + consumer_, text_of(config)},
      [this, number = filling_](const Answer& answer) {
        if (number == filling_ && state_ == State::making) on_made(answer);
      },
      Priority::urgent);
}

void Feed::on_made(const Answer& answer) {
  const ApiError failure = answer.how == Answer::How::come ? parse_failure(answer.data) : ApiError{503};
  heard_ = boot_now();
  if (failure.code == error::stream_not_found && absent_ == Absent::empty) {
    consumer_.clear();
    again(absent_pause);
    state_ = State::absent;
    return listener_.on_filled(*this);
  }
  if (failure) return again(make_pause);
  state_ = State::filling;
  send_barrier();
}

bool Feed::on(const Message& message) {
  if (consumer_.empty()) return false;
  if (message.status != 0) {
    if (message.to != "f." + consumer_) return false;
    heard_ = boot_now();
    if (!message.reply.empty()) client_.tell({message.reply});
    if (!message.flow.empty()) client_.tell({message.flow});
    // A heartbeat says what was sent.
    if (message.reply.empty() && message.last_sent + 1 != next_) make();
    return true;
  }
  const auto delivery = parse_delivery(message.reply);
  if (!delivery || delivery->consumer != consumer_) return false;
  heard_ = boot_now();
  if (delivery->consumer_sequence != next_) return make(), true;
  ++next_;
  on_message(message, *delivery);
  return true;
}

void Feed::on_message(const Message& message, const Delivery& delivery) {
  if (delivery.stream_sequence != read_ + 1) last_gap_ = delivery.stream_sequence - 1;
  read_ = delivery.stream_sequence;
  latest_ = delivery.stored;
  if (const auto key = key_of(bucket_, message.subject)) {
    Stored& stored = entries_[*key];
    stored = {message.marker ? std::string() : message.data, read_, message.marker, heard_, delivery.stored};
    if (state_ == State::live) listener_.on_change(*this, *key, stored);
  }
  check_barrier();
}

bool Feed::has_passed(const Mark& since, std::uint64_t sequence) const noexcept {
  return state_ == State::live && since.filling == filling_ && read_ >= sequence && last_gap_ <= since.read;
}

void Feed::drop_marker(const std::string& key, std::uint64_t version) {
  const auto found = entries_.find(key);
  if (found != entries_.end() && found->second.marker && found->second.version == version) entries_.erase(found);
}

void Feed::after_barrier(std::function<void(bool)> then, SteadyTime late) {
  waiting_.push_back({std::move(then), late});
  if (!barrier_sent_) send_barrier();
}

/// Of those that wait, all that came before it is sent.
void Feed::send_barrier() {
  barrier_again_at_.reset();
  std::move(waiting_.begin(), waiting_.end(), std::back_inserter(passing_));
  waiting_.clear();
  if (state_ != State::filling && state_ != State::live) return;
  if (passing_.empty() && state_ == State::live) return;
  barrier_sent_ = true;
  sent_at_ = read_;
  barrier_at_ = 0;
  client_.ask(
      {barrier_},
      [this, number = filling_](const Answer& answer) {
        if (number != filling_ || !barrier_sent_) return;
        const Ack ack = answer.how == Answer::How::come ? parse_ack(answer.data) : Ack{0, false, {503}};
        if (ack.failure) {
          barrier_sent_ = false;
          barrier_again_at_ = boot_now() + barrier_pause;
          return;
        }
        barrier_at_ = ack.sequence;
        check_barrier();
      },
      Priority::urgent);
}

/// Where a message was missing since it was sent, another one is: it may be of a key whose next one is still to come.
void Feed::check_barrier() {
  if (!barrier_sent_ || barrier_at_ == 0 || read_ < barrier_at_) return;
  barrier_sent_ = false;
  if (last_gap_ > sent_at_) return send_barrier();
  if (state_ == State::filling) fill();
  release();
}

/// What is older than the latest message was here earlier.
void Feed::fill() {
  for (auto& [key, stored] : entries_) stored.seen -= std::max(Millis(0), latest_ - stored.stored);
  state_ = State::live;
  listener_.on_filled(*this);
}

void Feed::release() {
  for (const Waiting& one : std::exchange(passing_, {})) one.then(true);
  if (!waiting_.empty() && !barrier_sent_) send_barrier();
}

void Feed::tick(SteadyTime now) {
  for (auto* list : {&waiting_, &passing_}) {
    std::vector<Waiting> late;
    const auto is_late = [&](const Waiting& one) { return one.late <= now; };
    std::copy_if(list->begin(), list->end(), std::back_inserter(late), is_late);
    std::erase_if(*list, is_late);
    for (const Waiting& one : late) one.then(false);
  }
  if (state_ == State::absent) {
    send_barrier();
    release();
  }
  if (barrier_again_at_ && now >= *barrier_again_at_) send_barrier();
  const bool silent =
      (state_ == State::filling || state_ == State::live) && now >= heard_ + silent_heartbeats * heartbeat_;
  if (silent || (again_at_ && now >= *again_at_)) make();
}

std::optional<SteadyTime> Feed::due() const {
  std::optional<SteadyTime> at = again_at_;
  const auto earliest = [&](SteadyTime other) { at = at ? std::min(*at, other) : other; };
  if (state_ == State::filling || state_ == State::live) earliest(heard_ + silent_heartbeats * heartbeat_);
  if (barrier_again_at_) earliest(*barrier_again_at_);
  for (const auto* list : {&waiting_, &passing_})
    for (const Waiting& one : *list) earliest(state_ == State::absent ? SteadyTime{} : one.late);
  return at;
}

void Feed::forget() {
  waiting_.clear();
  passing_.clear();
}

}  // namespace ballot::nats

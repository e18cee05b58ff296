#include "bucket.hpp"

#include <algorithm>
#include <utility>

#include "subjects.hpp"
#include "support/clock.hpp"

namespace ballot::nats {

using namespace std::chrono_literals;
using namespace support;

namespace {

constexpr const char *expected = "Nats-Expected-Last-Subject-Sequence", *message_id = "Nats-Msg-Id",
                     *operation = "KV-Operation";
constexpr int no_cluster = 10074, few_servers = 10005;
constexpr Millis making_patience = 5s;

std::string problem_of(const Answer& answer, const ApiError& failure) {
  if (answer.how == Answer::How::nobody) return "no server has a leader for the stream, or JetStream is off there";
  if (answer.how == Answer::How::late) return "the servers did not answer in time";
  return failure.text;
}

/// Of what was published.
KeyAnswer answer_of(const Answer& answer) {
  if (answer.how != Answer::How::come) return {StoreResult::unknown, 0, problem_of(answer, {})};
  const Ack ack = parse_ack(answer.data);
  if (ack.failure.code == error::wrong_last_sequence) return {StoreResult::conflict, ack.sequence, {}};
  // What a duplicate is one of may have been replaced since.
  if (!ack.failure && ack.duplicate) return {StoreResult::conflict};
  if (!ack.failure) return {StoreResult::done, ack.sequence, {}};
  return {ack.failure.status >= 500 ? StoreResult::unknown : StoreResult::failed, 0, ack.failure.text};
}

Bucket::Opened opened_of(const Answer& answer, const std::function<std::string(const StreamFacts&)>& fault) {
  Bucket::Opened opened;
  if (answer.how == Answer::How::come) opened.facts = parse_stream(answer.data);
  if (answer.how != Answer::How::come || opened.facts.failure) {
    const ApiError& failure = opened.facts.failure;
    const bool off = failure.code == error::not_enabled || failure.code == error::not_enabled_for_account;
    opened.how = failure.code == error::stream_not_found ? Bucket::Opened::How::absent
                 : off                                   ? Bucket::Opened::How::refused
                                                         : Bucket::Opened::How::unknown;
    opened.text = problem_of(answer, failure);
    return opened;
  }
  opened.text = fault(opened.facts);
  opened.how = opened.text.empty() ? Bucket::Opened::How::open : Bucket::Opened::How::refused;
  return opened;
}

}  // namespace

Bucket::Bucket(Client& client, Feed& feed, std::string name)
    : client_(client), feed_(feed), name_(std::move(name)), stream_(stream_of(name_)) {}

void Bucket::facts(std::function<void(const StreamFacts&)> done) {
  client_.ask({"$JS.API.STREAM.INFO." + stream_}, [done](const Answer& answer) {
    StreamFacts found;
    if (answer.how == Answer::How::come)
      found = parse_stream(answer.data);
    else
      found.failure = {503, error::none, problem_of(answer, {})};
    done(found);
  });
}

void Bucket::open(StreamConfig wanted, Missing missing, std::function<std::string(const StreamFacts&)> fault,
                  std::function<void(const Opened&)> done) {
  client_.ask({"$JS.API.STREAM.INFO." + stream_}, [this, wanted, missing, fault, done](const Answer& answer) {
    const Opened opened = opened_of(answer, fault);
    if (opened.how != Opened::How::absent || missing == Missing::leave) return done(opened);
    make(wanted, wanted.replicas == 0 ? 3 : wanted.replicas, fault, done);
  });
}

/// Somebody else may make it meanwhile.
void Bucket::make(StreamConfig wanted, int replicas, std::function<std::string(const StreamFacts&)> fault,
                  std::function<void(const Opened&)> done) {
  StreamConfig config = wanted;
  config.name = stream_;
  config.subject = all_subjects_of(name_);
  config.replicas = replicas;
  Post post{"$JS.API.STREAM.CREATE." + stream_, text_of(config)};
  client_.ask_for(making_patience, std::move(post), [this, wanted, replicas, fault, done](const Answer& answer) {
    Opened opened = opened_of(answer, fault);
    const ApiError& failure = opened.facts.failure;
    if (failure.code == no_cluster && wanted.replicas == 0 && replicas > 1) return make(wanted, 1, fault, done);
    if (failure.code == error::stream_name_in_use) return open(wanted, Missing::leave, fault, done);
    if (failure) {
      opened.how = failure.status == 503 && failure.code != few_servers ? Opened::How::unknown : Opened::How::refused;
      opened.text =
          "bucket " + name_ + " with " + std::to_string(replicas) + " replicas cannot be made: " + failure.text;
    }
    done(opened);
  });
}

void Bucket::write(KeyChange change, Priority priority, SteadyTime late, Done done) {
  if (change.version == 0 && change.value) {
    const auto entry = feed_.entries().find(change.key);
    const bool removed = feed_.is_live() && entry != feed_.entries().end() && entry->second.marker;
    const Making making{std::move(change), priority, late, std::move(done)};
    return create(std::make_shared<const Making>(making), removed ? entry->second.version : 0);
  }
  Post post{subject_of(name_, change.key), change.value.value_or("")};
  if (!change.value) post.headers.emplace_back(operation, "DEL");
  if (change.version) {
    post.headers.emplace_back(expected, std::to_string(*change.version));
    if (message_ids_) post.headers.emplace_back(message_id, id_of(change.key, *change.version));
  }
  client_.ask(
      std::move(post), [done = std::move(done)](const Answer& answer) { done(answer_of(answer)); }, priority);
}

/// `marker`: of its removal, which goes first; 0: none is known of.
void Bucket::create(const std::shared_ptr<const Making>& making, std::uint64_t marker) {
  if (marker == 0) return publish(making);
  erase(marker, [this, making, marker](const Answer& answer) {
    if (answer.how != Answer::How::come) return making->done({StoreResult::unknown, 0, problem_of(answer, {})});
    feed_.drop_marker(making->change.key, marker);
    publish(making);
  });
}

void Bucket::publish(const std::shared_ptr<const Making>& making) {
  Post post{subject_of(name_, making->change.key), *making->change.value, {{expected, "0"}}};
  client_.ask(
      std::move(post),
      [this, making](const Answer& answer) {
        const KeyAnswer found = answer_of(answer);
        found.outcome == StoreResult::conflict ? on_not_empty(making, found.version) : making->done(found);
      },
      making->priority);
}

/// There is a message: the key's, or that it was removed.
void Bucket::on_not_empty(const std::shared_ptr<const Making>& making, std::uint64_t last) {
  feed_.after_barrier(
      [this, making, last](bool passed) {
        if (!passed) return making->done({StoreResult::unknown, 0, "what is there cannot be read"});
        const auto entry = feed_.entries().find(making->change.key);
        if (entry != feed_.entries().end() && !entry->second.marker)
          return making->done({StoreResult::conflict, entry->second.version, {}});
        if (boot_now() >= making->late)
          return making->done({StoreResult::unknown, 0, "it is made and removed all the time"});
        create(making, last);
      },
      making->late);
}

void Bucket::bury(const std::string& key, std::uint64_t version, Done done) {
  Post post{subject_of(name_, key), {}, {{operation, "DEL"}, {expected, "0"}, {message_id, id_of(key, version)}}};
  client_.ask(
      std::move(post), [done = std::move(done)](const Answer& answer) { done(answer_of(answer)); }, Priority::urgent);
}

void Bucket::erase(std::uint64_t sequence, std::function<void(const Answer&)> done) {
  Post post{"$JS.API.STREAM.MSG.DELETE." + stream_, "{\"seq\":" + std::to_string(sequence) + ",\"no_erase\":true}"};
  client_.ask(std::move(post), std::move(done), Priority::low);
}

}  // namespace ballot::nats

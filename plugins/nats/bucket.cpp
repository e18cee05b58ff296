#include "bucket.hpp"

#include <utility>

#include "state.hpp"
#include "support/clock.hpp"

namespace ballot::nats {

using namespace support;

namespace {

constexpr const char* operation = "KV-Operation";

/// Of what was published. What a duplicate is one of may have been replaced since.
KeyAnswer answer_of(const Answer& answer, const std::string& stream) {
  if (answer.code == error::wrong_last_sequence) return {StoreResult::conflict, answer.sequence(), {}};
  if (answer.is_unheard())
    return {StoreResult::unknown, 0, "stream " + stream + " has not acknowledged a message: " + answer.text};
  if (answer.code == error::no_resources) return {StoreResult::failed, 0, no_space_in(stream)};  // nothing is stored
  if (answer.failed()) return {answer.status >= 500 ? StoreResult::unknown : StoreResult::failed, 0, answer.text};
  if (answer.is_duplicate()) return {StoreResult::conflict};
  return committed(answer.sequence());
}

Answer checked(const Answer& answer, const StreamConfig& wanted) {
  const bool off = answer.code == error::not_enabled || answer.code == error::not_enabled_for_account;
  if (answer.failed()) return {off ? 400 : 503, answer.code, answer.text};
  const std::string fault = fault_of(answer.content, wanted);
  return fault.empty() ? answer : Answer{400, error::none, fault};
}

}  // namespace

std::string no_space_in(const std::string& stream) {
  return "stream " + stream + " has no space left: raise max_file_store of the servers, or the limits of the account";
}

void Bucket::info(Client::Done done) { client_.ask({"$JS.API.STREAM.INFO." + stream_of(name_)}, std::move(done)); }

void Bucket::open(StreamConfig wanted, Missing missing, Client::Done done) {
  wanted.bucket = name_;
  info([this, wanted, missing, done](const Answer& answer) {
    if (answer.code != error::stream_not_found || missing == Missing::leave) return done(checked(answer, wanted));
    make(wanted, wanted.replicas == 0 ? 3 : wanted.replicas, done);
  });
}

/// Somebody else may make it meanwhile.
void Bucket::make(StreamConfig wanted, int replicas, Client::Done done) {
  StreamConfig config = wanted;
  config.replicas = replicas;
  Post post{"$JS.API.STREAM.CREATE." + stream_of(name_), text_of(config)};
  client_.ask(std::move(post), [this, wanted, replicas, done](const Answer& answer) {
    if (answer.code == error::no_cluster && wanted.replicas == 0 && replicas > 1) return make(wanted, 1, done);
    if (answer.code == error::stream_name_in_use) return open(wanted, Missing::leave, done);
    if (!answer.failed() || answer.is_unheard()) return done(checked(answer, wanted));
    const bool unknown = answer.status == 503 && answer.code != error::few_servers;
    done({unknown ? 503 : 400, error::none,
          "bucket " + name_ + " with " + std::to_string(replicas) + " replicas cannot be made: " + answer.text});
  });
}

/// A write that was acknowledged is the key's last message until the feed has shown a later one.
void Bucket::remember(const std::string& key, std::uint64_t version, std::string id) {
  constexpr std::size_t many = 1024;
  const auto is_passed = [this](const auto& one) {
    const auto shown = feed_.entries().find(one.first);
    return shown != feed_.entries().end() && shown->second.version >= one.second.version;
  };
  if (written_.size() >= many) std::erase_if(written_, is_passed);
  written_[key] = {version, std::move(id)};
}

std::optional<std::string> Bucket::id_over(const std::string& key, std::uint64_t version) const {
  if (const auto own = written_.find(key); own != written_.end() && own->second.version == version)
    return next_id(key, own->second.id, version);
  if (const auto shown = feed_.entries().find(key); shown != feed_.entries().end() && shown->second.version == version)
    return next_id(key, shown->second.id, version);
  return std::nullopt;
}

void Bucket::publish(const std::string& key, Post post, Priority priority, Done done) {
  std::string id;
  for (const auto& [name, value] : post.headers)
    if (std::string_view(name) == message_id) id = value;
  client_.ask(
      std::move(post),
      [this, key, id, done = std::move(done)](const Answer& answer) {
        const KeyAnswer found = answer_of(answer, stream_of(name_));
        if (found.outcome == StoreResult::done) remember(key, found.version, id);
        done(found);
      },
      priority);
}

void Bucket::write_over(const KeyChange& change, const std::string& id, Priority priority, Done done) {
  Post post{subject_of(name_, change.key), change.value.value_or(""), {{message_id, id}}};
  if (!change.value) post.headers.emplace_back(operation, "DEL");
  if (change.version) post.headers.emplace_back(expected_sequence, std::to_string(*change.version));
  publish(change.key, std::move(post), priority, std::move(done));
}

void Bucket::write(KeyChange change, Priority priority, SteadyTime late, Done done) {
  if (change.version == 0 && change.value) {
    const auto entry = feed_.entries().find(change.key);
    const bool removed = feed_.is_live() && entry != feed_.entries().end() && entry->second.marker;
    const Making making{std::move(change), priority, late, std::move(done)};
    return create(std::make_shared<const Making>(making), removed ? entry->second.version : 0);
  }
  if (change.version.value_or(0) == 0) return write_over(change, first_id(change.key), priority, std::move(done));
  if (const auto id = id_over(change.key, *change.version)) return write_over(change, *id, priority, std::move(done));
  // The version is not the key's last one any more, or the feed is being filled.
  const auto look = [this, change, priority, done = std::move(done)](bool passed) {
    if (!passed) return done({StoreResult::unknown, 0, "the version of a key cannot be read"});
    if (const auto id = id_over(change.key, *change.version)) return write_over(change, *id, priority, done);
    const Stored* const stored = feed_.find(change.key);
    done({StoreResult::conflict, stored == nullptr ? 0 : stored->version, {}});
  };
  feed_.after_barrier(look, late);
}

/// `marker`: of its removal, which goes first; 0: none is known of.
void Bucket::create(const Shared& making, std::uint64_t marker) {
  if (marker == 0) return create_now(making);
  erase(marker, [this, making, marker](const Answer& answer) {
    if (answer.is_unheard()) return making->done({StoreResult::unknown, 0, answer.text});
    feed_.drop_marker(making->change.key, marker);
    create_now(making);
  });
}

void Bucket::create_now(const Shared& making) {
  const std::string& key = making->change.key;
  Post post{subject_of(name_, key), *making->change.value, {{expected_sequence, "0"}, {message_id, first_id(key)}}};
  publish(key, std::move(post), making->priority, [this, making](const KeyAnswer& answer) {
    answer.outcome == StoreResult::conflict ? on_not_empty(making, answer.version) : making->done(answer);
  });
}

/// There is a message: the key's, or that it was removed.
void Bucket::on_not_empty(const Shared& making, std::uint64_t last) {
  feed_.after_barrier(
      [this, making, last](bool passed) {
        if (!passed) return making->done({StoreResult::unknown, 0, "what is there cannot be read"});
        if (const Stored* const stored = feed_.find(making->change.key))
          return making->done({StoreResult::conflict, stored->version, {}});
        if (boot_now() >= making->late)
          return making->done({StoreResult::unknown, 0, "it is made and removed all the time"});
        create(making, last);
      },
      making->late);
}

/// The condition is the number of the stream's last message, which is the same on all servers, and not that the key has
/// no message: each server checks that as it stores the marker, and forgets messages by its own clock, so that some
/// would store the marker and others not.
void Bucket::bury(const std::string& key, std::uint64_t version, std::size_t ahead, Done done) {
  const auto id = id_over(key, version);
  if (!id) return done({StoreResult::conflict});
  Post post{subject_of(name_, key), {}, {{operation, "DEL"}, {message_id, *id}}};
  post.headers.emplace_back(expected_last, std::to_string(feed_.mark().read + ahead));
  publish(key, std::move(post), Priority::urgent, std::move(done));
}

void Bucket::erase(std::uint64_t sequence, Client::Done done) {
  Post post{"$JS.API.STREAM.MSG.DELETE." + stream_of(name_),
            "{\"seq\":" + std::to_string(sequence) + ",\"no_erase\":true}"};
  client_.ask(std::move(post), std::move(done));
}

}  // namespace ballot::nats

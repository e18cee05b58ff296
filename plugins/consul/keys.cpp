#include "keys.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "support/clock.hpp"

namespace ballot::consul {

using support::KeyAnswer;
using support::KeyBatches;
using support::KeyChange;
using support::KeyRead;
using support::KeysThere;
using Meaning = Reply::Meaning;

namespace {

constexpr const char* no_list = "the agent has answered with what is no list";

/// What a failed operation on the store says of the change that it belongs to; `expected` where it is the refusal that
/// the verb is for, and not another fault of the operation.
KeyAnswer refusal(StoreResult expected, const std::string& what) {
  if (what.find("Permission denied") != what.npos)
    return {StoreResult::failed, 0, Reply(Meaning::forbidden, what).text()};
  for (const char* words :
       {"index is stale", "failed session check", "failed index check", "doesn't exist", "current modify index"})
    if (what.find(words) != what.npos) return {expected, 0, what};
  return {StoreResult::failed, 0, what};
}

}  // namespace

bool Transaction::add(const KeyChange& change, std::uint64_t flags) {
  Write write{paths_.path(change.key), {}, 0, !change.value};
  std::vector<std::string> asserts;
  if (change.guarded)
    asserts.push_back(operation("check-session", paths_.path(guard_.key), session_field(guard_.session)));
  if (!change.term_key.empty())
    asserts.push_back(operation("check-index", paths_.path(change.term_key), index_field(change.term_version)));
  std::string more = change.version ? index_field(*change.version) : "";
  if (change.value) more += value_field(*change.value, flags);
  const char* const verb = change.value ? change.version ? "cas" : "set" : change.version ? "delete-cas" : "delete";
  const std::string own = operation(verb, write.path, more);
  const auto needed =
      std::count_if(asserts.begin(), asserts.end(), [&](const auto& one) { return !asserts_.contains(one); });
  if (operations_.size() + static_cast<std::size_t>(needed) + 1 > most_operations) return false;
  if (!operations_.empty() && bytes_ + own.size() > most_bytes) return false;
  for (const Write& other : writes_)
    if (other.path == write.path) return false;
  const auto put = [this](const std::string& operation) {
    bytes_ += operation.size() + 1;
    operations_.push_back(operation);
    return operations_.size() - 1;
  };
  for (const std::string& one : asserts) {
    if (!asserts_.contains(one)) asserts_[one] = put(one);
    write.asserts.push_back(asserts_[one]);
  }
  write.operation = put(own);
  writes_.push_back(std::move(write));
  return true;
}

std::vector<std::optional<KeyAnswer>> Transaction::judge(const Reply& reply) const {
  std::map<std::string_view, std::uint64_t> versions;
  for (const http::json::value& result : http::array_at(reply.json, "Results"))
    versions[http::text_at(result, "KV", "Key")] = http::number_at(result, "KV", "ModifyIndex");
  std::map<std::size_t, std::string> failed;
  for (const http::json::value& error : http::array_at(reply.json, "Errors"))
    failed[http::number_at(error, "OpIndex")] = http::text_at(error, "What");
  const auto answer_of = [&](const Write& write) -> std::optional<KeyAnswer> {
    if (reply.is(Meaning::done))
      return write.removes ? KeyAnswer{StoreResult::done} : support::committed(versions[write.path]);
    if (!reply.is(Meaning::refused)) return KeyAnswer{outcome_of(reply), 0, reply.text()};
    for (const std::size_t one : write.asserts)
      if (failed.contains(one)) return refusal(StoreResult::not_leader, failed[one]);
    if (failed.contains(write.operation)) return refusal(StoreResult::conflict, failed[write.operation]);
    return std::nullopt;
  };
  std::vector<std::optional<KeyAnswer>> answers;
  for (const Write& write : writes_) answers.push_back(answer_of(write));
  // A refusal that is not understood would be asked for again and again.
  if (std::none_of(answers.begin(), answers.end(), [](const auto& one) { return one.has_value(); }))
    answers.assign(answers.size(), KeyAnswer{StoreResult::unknown, 0, reply.text()});
  return answers;
}

/// Flags begin at the wall clock, so that no other session uses the same numbers; below 2^53, the limit of JSON.
Keys::Keys(Agent& agent, const KeyPaths& paths, const Guard& guard)
    : agent_(agent),
      paths_(paths),
      guard_(guard),
      batches_(most_requests, [this](KeyBatches::Waiting& waiting) { send(waiting); }),
      flags_(static_cast<std::uint64_t>(support::wall_now().time_since_epoch().count()) << 8) {}

void Keys::commit_now(const KeyChange& change, Done<KeyAnswer> done) {
  const auto transaction = std::make_shared<Transaction>(paths_, guard_);
  transaction->add(change, ++flags_);
  const auto on_reply = [transaction, done = std::move(done)](const Reply& reply) {
    done(transaction->judge(reply).front().value_or(KeyAnswer{}));
  };
  agent_.transact(transaction->operations(), on_reply, agent_.patience() / 2);
}

void Keys::send(KeyBatches::Waiting& waiting) {
  const auto transaction = std::make_shared<Transaction>(paths_, guard_);
  KeyBatches::Parts parts;
  while (!waiting.empty() && transaction->add(waiting.front().change, ++flags_)) {
    parts.push_back(std::move(waiting.front()));
    waiting.pop_front();
  }
  agent_.transact(transaction->operations(), [this, transaction, parts = std::move(parts)](const Reply& reply) {
    const auto answers = transaction->judge(reply);
    KeyBatches::Parts again;
    for (std::size_t i = 0; i < parts.size(); ++i)
      answers[i] ? parts[i].answer(*answers[i]) : again.push_back(parts[i]);
    batches_.again(std::move(again));
    if (reply.is(Meaning::unknown)) batches_.give_up({StoreResult::unknown, 0, reply.text()});
    batches_.end_request();
  });
}

void Keys::get(const std::vector<std::string>& keys, Done<KeyRead> done) {
  const auto some = [this](const auto& part, const auto& on_part) { get_some(part, on_part); };
  support::get_in_parts(keys, Transaction::most_operations, some, std::move(done));
}

/// Consul refuses the transaction where a key is absent, and names the absent keys; the others are read again.
void Keys::get_some(const std::vector<std::string>& keys, const Done<KeyRead>& done) {
  std::vector<std::string> operations;
  for (const std::string& key : keys) operations.push_back(operation("get", paths_.path(key)));
  agent_.transact(operations, [this, keys, done](const Reply& reply) {
    const http::json::array& results = http::array_at(reply.json, "Results");
    if (reply.is(Meaning::done) && results.size() != keys.size())
      return done({StoreResult::unknown, {}, "the agent has not answered the read that was asked for"});
    if (!reply.is(Meaning::refused))
      return done(support::checked({outcome_of(reply), entries_of(paths_, results), reply.text()}));
    std::set<std::size_t> absent;
    for (const auto& error : http::array_at(reply.json, "Errors"))
      if (http::text_at(error, "What").find("doesn't exist") != std::string_view::npos)
        absent.insert(http::number_at(error, "OpIndex"));
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (!absent.contains(i)) rest.push_back(keys[i]);
    if (absent.empty()) return done({StoreResult::failed, {}, reply.text()});
    rest.empty() ? done({StoreResult::done}) : get_some(rest, done);
  });
}

void Keys::list(const std::string& prefix, Done<KeyRead> done) {
  agent_.list("/v1/kv/" + in_url(paths_.path(prefix)) + "?recurse&consistent", [this, prefix, done = std::move(done)](
                                                                                   const Reply& reply) {
    if (reply.is(Meaning::absent)) return done({StoreResult::done});
    if (reply.too_large) return list_by_name(prefix, done);
    if (reply.is(Meaning::done) && !reply.is_list()) return done({StoreResult::unknown, {}, no_list});
    done(support::checked({outcome_of(reply), entries_of(paths_, http::array_of(reply.json)), reply.text()}));
  });
}

/// Consul has no pages.
void Keys::list_by_name(const std::string& prefix, const Done<KeyRead>& done) {
  name(prefix, support::bounds::json_values, [this, prefix, done](const KeysThere& there) {
    if (!there.keys) return done({StoreResult::unknown, {}, "the keys below " + prefix + " cannot be named"});
    list_on(std::make_shared<Listing>(Listing{support::ListBound(prefix), *there.keys, done}));
  });
}

void Keys::list_on(const std::shared_ptr<Listing>& listing) {
  if (listing->keys.empty()) return listing->done(listing->read);
  const std::size_t part = std::min(listing->keys.size(), Transaction::most_operations);
  const std::vector<std::string> some(listing->keys.end() - static_cast<std::ptrdiff_t>(part), listing->keys.end());
  listing->keys.resize(listing->keys.size() - part);
  get_some(some, [this, listing](const KeyRead& read) {
    if (read.outcome != StoreResult::done) return listing->done(read);
    for (const support::KeyEntry& entry : read.entries) listing->bound.add(entry);
    if (listing->bound.exceeded()) return listing->done({StoreResult::unknown, {}, listing->bound.text()});
    listing->read.entries.insert(listing->read.entries.end(), read.entries.begin(), read.entries.end());
    list_on(listing);
  });
}

void Keys::name(const std::string& prefix, std::size_t most, Done<KeysThere> done) {
  const auto named = [this, most, done = std::move(done)](const Reply& reply) {
    if (reply.is(Meaning::absent)) return done({std::vector<std::string>()});
    if (!reply.is_list()) return done({});
    const http::json::array& all = http::array_of(reply.json);
    if (all.size() > most) return done({{}, all.size()});
    std::vector<std::string> keys;
    for (const http::json::value& one : all)
      if (const std::string_view path = http::text_of(one); path.starts_with(paths_.root()))
        keys.push_back(paths_.key(path));
    done({std::move(keys)});
  };
  agent_.list("/v1/kv/" + in_url(paths_.path(prefix)) + "?keys&consistent", named);
}

}  // namespace ballot::consul

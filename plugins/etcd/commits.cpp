#include "commits.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "support/clock.hpp"

namespace ballot::etcd {

using support::KeyAnswer;
using support::KeyChange;

namespace {

// A server takes transactions of 128 operations, conditions of those within it included, and requests of 1.5 MB.
constexpr std::size_t most_changes = 100, most_bytes = 1'000'000, most_under_way = 3, most_asked = 60;

std::size_t bytes_of(const KeyChange& change) {
  return 200 + 3 * change.key.size() + change.term_key.size() + (change.value ? change.value->size() : 0);
}

}  // namespace

KeyAnswer answer_of(const Reply& reply) { return {outcome_of(reply), 0, reply.text}; }

void Commits::add(std::vector<KeyChange> changes, Millis patience, Done done) {
  const auto batch =
      std::make_shared<Batch>(Batch{std::vector<KeyAnswer>(changes.size()), changes.size(), std::move(done)});
  const SteadyTime until = support::boot_now() + patience;
  for (std::size_t i = 0; i < changes.size(); ++i)
    gathered_.push_back({batch, i, std::move(changes[i]), patience, until});
  pump();
}

/// As many as may be in one request, no key twice: a server refuses that.
Commits::Parts Commits::take() {
  Parts parts;
  std::unordered_set<std::string> keys;
  std::size_t bytes = 0;
  while (!gathered_.empty() && parts.size() < most_changes) {
    const KeyChange& next = gathered_.front().change;
    bytes += bytes_of(next);
    if (!parts.empty() && (bytes > most_bytes || keys.contains(next.key))) break;
    keys.insert(next.key);
    parts.push_back(std::move(gathered_.front()));
    gathered_.pop_front();
  }
  return parts;
}

/// One alone is in no other transaction: etcd 3.4 does not see that what is within one needs space.
void Commits::pump() {
  while (under_way_ < most_under_way && !gathered_.empty()) {
    Parts parts = take();
    std::vector<std::string> operations;
    for (const Part& part : parts) operations.push_back(change_txn(part.change, keyspace_));
    std::string body = operations.front();
    if (operations.size() > 1) {
      for (std::string& one : operations) one = txn_op(one);
      body = txn(operations);
    }
    ++under_way_;
    const Millis patience = parts.front().patience;
    gateway_.ask({"/v3/kv/txn", body, Repeat::never, patience},
                 [this, parts = std::move(parts)](const Reply& reply) { on_reply(parts, reply); });
  }
}

void Commits::answer(const Part& part, KeyAnswer answer) {
  part.batch->answers[part.index] = std::move(answer);
  if (--part.batch->open == 0) part.batch->done(part.batch->answers);
}

/// The guard is that of the time of asking, which does not change while a session is open.
void Commits::on_reply(const Parts& parts, const Reply& reply) {
  --under_way_;
  const http::json::array& responses = http::array_at(reply.body, "responses");
  const bool alone = parts.size() == 1;
  const bool readable = reply.done() && (alone || responses.size() == parts.size());
  Parts refused;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!readable)
      answer(parts[i], answer_of(reply.done() ? Reply{} : reply));
    else if (http::truth_at(alone ? reply.body : http::at(responses[i], "response_txn"), "succeeded"))
      answer(parts[i], {StoreResult::done, reply.revision()});
    else
      refused.push_back(parts[i]);
  }
  if (!refused.empty()) ask_why(std::move(refused));
  if (reply.kind == Reply::Kind::unknown) give_up(reply);
  pump();
}

void Commits::ask_why(Parts refused) {
  while (!refused.empty()) {
    const std::size_t some = std::min(refused.size(), most_asked);
    Parts parts(refused.end() - static_cast<std::ptrdiff_t>(some), refused.end());
    refused.resize(refused.size() - some);
    std::vector<KeyChange> changes;
    for (const Part& part : parts) changes.push_back(part.change);
    ++under_way_;
    const Millis patience = parts.front().patience;
    gateway_.ask({"/v3/kv/txn", why_txn(changes, keyspace_), Repeat::safe, patience},
                 [this, parts = std::move(parts), changes](const Reply& reply) {
                   --under_way_;
                   const auto answers = why_answers(changes, keyspace_, reply.body);
                   for (std::size_t i = 0; i < parts.size(); ++i)
                     answer(parts[i], reply.done() ? answers[i] : KeyAnswer{StoreResult::unknown, 0, reply.text});
                   pump();
                 });
  }
}

/// What has waited for a server that does not answer waits no longer than if it had been asked.
void Commits::give_up(const Reply& reply) {
  const SteadyTime now = support::boot_now();
  for (auto gathered = std::exchange(gathered_, {}); !gathered.empty(); gathered.pop_front()) {
    if (gathered.front().until > now)
      gathered_.push_back(std::move(gathered.front()));
    else
      answer(gathered.front(), answer_of(reply));
  }
}

}  // namespace ballot::etcd

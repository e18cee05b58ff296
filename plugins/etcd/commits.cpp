#include "commits.hpp"

#include <unordered_set>

namespace ballot::etcd {

using support::KeyAnswer;
using support::KeyBatches;
using support::KeyChange;

namespace {

// A server takes transactions of 128 operations, conditions of those within it included, and requests of 1.5 MB.
constexpr std::size_t most_changes = 50, most_bytes = 1'000'000;

std::size_t bytes_of(const KeyChange& change) {
  return 200 + 3 * change.key.size() + change.term_key.size() + (change.value ? change.value->size() : 0);
}

/// As many as may be in one request, no key twice: a server refuses that.
KeyBatches::Parts take(KeyBatches::Waiting& waiting) {
  KeyBatches::Parts parts;
  std::unordered_set<std::string> keys;
  std::size_t bytes = 0;
  while (!waiting.empty() && parts.size() < most_changes) {
    const KeyChange& next = waiting.front().change;
    bytes += bytes_of(next);
    if (!parts.empty() && (bytes > most_bytes || keys.contains(next.key))) break;
    keys.insert(next.key);
    parts.push_back(std::move(waiting.front()));
    waiting.pop_front();
  }
  return parts;
}

/// What a reply that is none means for a change.
KeyAnswer answer_of(const Reply& reply) { return {outcome_of(reply), 0, reply.text}; }

}  // namespace

/// One alone is in no other transaction: etcd 3.4 does not see that what is within one needs space.
void Commits::send(Waiting& waiting) {
  Parts parts = take(waiting);
  std::vector<std::string> operations;
  for (const auto& part : parts) operations.push_back(change_txn(part.change, keyspace_));
  std::string body = operations.front();
  if (operations.size() > 1) {
    for (std::string& one : operations) one = txn_op(one);
    body = txn(operations);
  }
  const Millis patience = parts.front().patience;
  gateway_.ask({"/v3/kv/txn", body, Repeat::never, patience},
               [this, parts = std::move(parts)](const Reply& reply) { on_reply(parts, reply); });
}

/// The guard is that of the time of asking, which does not change while a session is open.
void Commits::on_reply(const Parts& parts, const Reply& reply) {
  const http::json::array& responses = http::array_at(reply.body, "responses");
  const bool alone = parts.size() == 1;
  const bool readable = reply.done() && (alone || responses.size() == parts.size());
  Parts refused;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!readable)
      parts[i].answer(answer_of(reply.done() ? Reply{} : reply));
    else if (http::truth_at(alone ? reply.body : http::at(responses[i], "response_txn"), "succeeded"))
      parts[i].answer(support::committed(reply.revision()));
    else
      refused.push_back(parts[i]);
  }
  if (!refused.empty()) return ask_why(std::move(refused));
  if (reply.kind == Reply::Kind::unknown) batches_.give_up(answer_of(reply));
  batches_.end_request();
}

void Commits::ask_why(Parts refused) {
  std::vector<KeyChange> changes;
  for (const auto& part : refused) changes.push_back(part.change);
  const Millis patience = refused.front().patience;
  gateway_.ask({"/v3/kv/txn", why_txn(changes, keyspace_), Repeat::safe, patience},
               [this, parts = std::move(refused), changes](const Reply& reply) {
                 const auto answers = why_answers(changes, keyspace_, reply.body);
                 for (std::size_t i = 0; i < parts.size(); ++i)
                   parts[i].answer(reply.done() ? answers[i] : KeyAnswer{StoreResult::unknown, 0, reply.text});
                 batches_.end_request();
               });
}

}  // namespace ballot::etcd

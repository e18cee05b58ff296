#include "keys.hpp"

#include <memory>
#include <set>
#include <utility>

#include "support/clock.hpp"

namespace ballot::consul {

using support::KeyAnswer;
using support::KeyBatches;
using support::KeyChange;
using support::KeyRead;
using Meaning = Reply::Meaning;

/// No other session, nor this daemon's before, is at the same number: below 2^53, as JSON has it.
Keys::Keys(Agent& agent, const KeyPaths& paths, const Guard& guard)
    : agent_(agent),
      paths_(paths),
      guard_(guard),
      batches_(most_requests, [this](KeyBatches::Waiting& waiting) { send(waiting); }),
      flags_(static_cast<std::uint64_t>(support::wall_now().time_since_epoch().count()) << 8) {}

void Keys::commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) {
  batches_.add(std::move(changes), agent_.patience(), std::move(done));
}

void Keys::commit_now(const KeyChange& change, Done<KeyAnswer> done) {
  const auto transaction = std::make_shared<Transaction>(paths_, guard_);
  transaction->add(0, change, ++flags_);
  agent_.transact(transaction->operations(), agent_.patience() / 2,
                  [transaction, done = std::move(done)](const Reply& reply) {
                    done(transaction->judge(reply).answers.front().second);
                  });
}

void Keys::send(KeyBatches::Waiting& waiting) {
  const auto transaction = std::make_shared<Transaction>(paths_, guard_);
  KeyBatches::Parts parts;
  while (!waiting.empty() && transaction->add(parts.size(), waiting.front().change, ++flags_)) {
    parts.push_back(std::move(waiting.front()));
    waiting.pop_front();
  }
  agent_.transact(transaction->operations(), [this, transaction, parts = std::move(parts)](const Reply& reply) {
    const Transaction::Verdict verdict = transaction->judge(reply);
    KeyBatches::Parts again;
    for (const std::size_t number : verdict.again) again.push_back(parts[number]);
    batches_.again(std::move(again));
    for (const auto& [number, answer] : verdict.answers) parts[number].answer(answer);
    if (reply.is(Meaning::unknown)) batches_.give_up({StoreResult::unknown, 0, reply.text()});
    batches_.end_request();
  });
}

void Keys::get(const std::vector<std::string>& keys, Done<KeyRead> done) {
  const auto some = [this](const auto& part, const auto& on_part) { get_some(part, on_part); };
  support::get_in_parts(keys, Transaction::most_operations, some, std::move(done));
}

/// It is refused where a key is not there, and says which are not.
void Keys::get_some(const std::vector<std::string>& keys, const Done<KeyRead>& done) {
  std::vector<std::string> operations;
  for (const std::string& key : keys) operations.push_back(operation("get", paths_.path(key)));
  agent_.transact(operations, [this, keys, done](const Reply& reply) {
    const auto json = reply.json();
    if (!reply.is(Meaning::refused))
      return done({outcome_of(reply), entries_of(paths_, http::array_at(json, "Results")), reply.text()});
    std::set<std::size_t> absent;
    for (const auto& error : http::array_at(json, "Errors"))
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
  agent_.get("/v1/kv/" + in_url(paths_.path(prefix)) + "?recurse&consistent",
             [this, done = std::move(done)](const Reply& reply) {
               if (reply.is(Meaning::absent)) return done({StoreResult::done});
               const auto json = reply.json();
               done({outcome_of(reply), entries_of(paths_, http::array_of(json)), reply.text()});
             });
}

}  // namespace ballot::consul

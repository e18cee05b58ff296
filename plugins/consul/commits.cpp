#include "commits.hpp"

#include <chrono>
#include <utility>

#include "support/clock.hpp"

namespace ballot::consul {

using support::KeyAnswer;
using support::KeyChange;

namespace {

/// Nothing happens to it.
bool is_nothing(const KeyChange& change) { return !change.value && change.version == 0u; }

}  // namespace

/// No other session, nor this daemon's before, is at the same number: below 2^53, as JSON has it.
Commits::Commits(Agent& agent, const KeyPaths& paths, const Session& session)
    : agent_(agent),
      paths_(paths),
      session_(session),
      flags_(static_cast<std::uint64_t>(support::wall_now().time_since_epoch().count()) << 8) {}

void Commits::commit(std::vector<KeyChange> changes, Done done) {
  const auto commit = std::make_shared<Commit>(Commit{std::move(changes), std::move(done), {}, {}, 0});
  commit->answers.resize(commit->changes.size());
  commit->open = commit->changes.size();
  for (std::size_t i = 0; i < commit->changes.size(); ++i) {
    if (is_nothing(commit->changes[i]))
      agent_.later([this, commit, i] { answer(commit, i, {StoreResult::done}); });
    else
      commit->unsent.push_back(i);
  }
  if (commit->changes.empty()) return agent_.later([commit] { commit->done({}); });
  if (!commit->unsent.empty()) waiting_.push_back(commit);
  send();
}

void Commits::commit_now(KeyChange change, std::function<void(const KeyAnswer&)> done) {
  const auto transaction = std::make_shared<Transaction>(paths_, session_.guard());
  transaction->add(0, change, ++flags_);
  agent_.call({"PUT", "/v1/txn", transaction->body(), session_.patience() / 2},
              [transaction, done = std::move(done)](const Reply& reply) {
                done(transaction->judge(reply).answers.front().second);
              });
}

void Commits::send() {
  while (under_way_ < most_under_way && !waiting_.empty()) {
    const Shared commit = waiting_.front();
    const auto transaction = std::make_shared<Transaction>(paths_, session_.guard());
    while (!commit->unsent.empty()) {
      const std::size_t number = commit->unsent.front();
      if (!transaction->add(number, commit->changes[number], ++flags_)) break;
      commit->unsent.pop_front();
    }
    if (commit->unsent.empty()) waiting_.pop_front();
    ++under_way_;
    agent_.call({"PUT", "/v1/txn", transaction->body(), session_.patience()},
                [this, commit, transaction](const Reply& reply) { on_reply(commit, *transaction, reply); });
  }
}

void Commits::on_reply(const Shared& commit, const Transaction& transaction, const Reply& reply) {
  --under_way_;
  const Transaction::Verdict verdict = transaction.judge(reply);
  if (!verdict.again.empty()) {
    if (commit->unsent.empty()) waiting_.push_front(commit);
    commit->unsent.insert(commit->unsent.end(), verdict.again.begin(), verdict.again.end());
  }
  for (const auto& [number, one] : verdict.answers) answer(commit, number, one);
  if (reply.is(Reply::Meaning::unknown)) give_up(reply.text());
  send();
}

void Commits::answer(const Shared& commit, std::size_t number, KeyAnswer answer) {
  agent_.saw(answer.version);
  commit->answers[number] = std::move(answer);
  if (--commit->open == 0) commit->done(commit->answers);
}

/// The store does not answer: what waits would be late.
void Commits::give_up(const std::string& text) {
  for (const Shared& commit : std::exchange(waiting_, {}))
    for (const std::size_t number : std::exchange(commit->unsent, {}))
      answer(commit, number, {StoreResult::unknown, 0, text});
}

}  // namespace ballot::consul

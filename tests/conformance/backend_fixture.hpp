// BackendConformance: the fixture of the conformance suite: candidates on one store, what they ask for and what they
// were answered. For a file that only instantiates the suite, whose tests are compiled elsewhere (suite.cpp).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/backend_under_test.hpp"
#include "conformance/recorder.hpp"

namespace ballot {

inline void PrintTo(StoreResult outcome, std::ostream* out) {
  constexpr const char* words[] = {"done", "conflict", "not_leader", "unknown", "failed"};
  *out << words[static_cast<std::size_t>(outcome)];
}

}  // namespace ballot

namespace ballot::conformance {

using namespace std::chrono_literals;

/// Ten thousand; a thousand where each step takes ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::size_t many_groups = 1'000;
#else
inline constexpr std::size_t many_groups = 10'000;
#endif

/// One daemon's backend, with the events that it posted.
struct Candidate {
  Candidate(std::string name, Signal& signal) : node(std::move(name)), events(signal) {}

  std::string node;
  Recorder events;
  std::unique_ptr<Backend> backend;
  std::uint64_t generation = 0;
  int pid = 0;
  std::string boot_id = "boot-1";
  std::string only_group = {};
  bool anew = false;
  bool observer = false;
  bool renewing = true;  // by until()
  Millis timeout{0};     // granted
  SteadyTime opened_at{};
  SteadyTime renewed{};
  RequestId renewal = 0;                   // the last one
  std::map<RequestId, SteadyTime> sent{};  // of each renewal
  RequestId last_request = 0;

  std::optional<std::uint64_t> leads(const std::string& group) const { return events.leads(generation, group); }
  template <class Groups>
  bool leads_all(const Groups& groups) const {
    return std::all_of(groups.begin(), groups.end(), [this](const auto& group) { return leads(group).has_value(); });
  }
  std::optional<backend::SessionClosed> closed() const {
    const auto all = events.all<backend::SessionClosed>(generation);
    return all.empty() ? std::nullopt : std::optional(all.front());
  }
};

class BackendConformance : public ::testing::TestWithParam<BackendUnderTest> {
 protected:
  void SetUp() override {
    if (GetParam().make_cluster) cluster_ = GetParam().make_cluster();
    if (!cluster_) GTEST_SKIP() << GetParam().name << ": " << GetParam().why_not;
  }
  void TearDown() override {
    candidates_.clear();
    cluster_.reset();
  }

  bool can(Ability ability) const { return cluster_->abilities().contains(ability); }
  Millis timeout() const { return cluster_->timeout(); }
  Millis slack() const { return cluster_->slack(); }
  SteadyTime now() const { return cluster_->now(); }

  Candidate& add(const std::string& node, const std::string& name_space = "test") {
    Candidate& candidate = candidates_.emplace_back(node, cluster_->signal);
    candidate.pid = ++last_pid_;
    candidate.backend = cluster_->make(node, name_space, candidate.events);
    return candidate;
  }

  void open(Candidate& candidate) {
    SessionRequest request{++candidate.generation,
                           candidate.node,
                           candidate.boot_id,
                           "machine-1",
                           "host-1",
                           candidate.pid,
                           "test",
                           "/run/" + candidate.node + "/control",
                           session_timeout_ > 0ms ? session_timeout_ : timeout()};
    request.observer = candidate.observer;
    request.only_group = candidate.only_group;
    request.anew = candidate.anew;
    candidate.timeout = 0ms;
    candidate.renewal = 0;
    candidate.renewed = candidate.opened_at = now();
    candidate.sent.clear();
    candidate.backend->open(request);
  }

  /// False: the session did not open.
  bool opened(Candidate& candidate) {
    until([&] { return !sessions(candidate).empty() || candidate.closed(); }, timeout() + slack());
    if (sessions(candidate).empty()) return false;
    candidate.timeout = sessions(candidate).front().timeout;
    return true;
  }

  Candidate& join(const std::string& node, const std::string& name_space = "test") {
    Candidate& candidate = add(node, name_space);
    open(candidate);
    EXPECT_TRUE(opened(candidate)) << node << ": " << (candidate.closed() ? candidate.closed()->text : "no answer");
    return candidate;
  }

  /// An observer: it reads and asks, and is never renewed.
  Candidate& add_observer(const std::string& node) {
    Candidate& observer = add(node);
    observer.observer = true;
    observer.renewing = false;
    open(observer);
    EXPECT_TRUE(opened(observer)) << node << ": " << (observer.closed() ? observer.closed()->text : "no answer");
    return observer;
  }

  /// Joins, campaigns and waits to lead.
  Candidate& lead(const std::string& node, const std::string& group) {
    Candidate& candidate = join(node);
    candidate.backend->campaign(group);
    EXPECT_TRUE(until([&] { return candidate.leads(group).has_value(); }, timeout() + slack())) << node;
    return candidate;
  }

  /// Leads, with a session opened anew whenever it is over: while a store comes back one may open and not last.
  void lead_again(Candidate& candidate, const std::string& group) {
    std::uint64_t asked = 0;
    std::string last_end = "no answer";
    const auto leading = [&] {
      if (const auto end = candidate.closed()) {
        last_end = end->text;
        open(candidate);
      }
      if (const auto session = sessions(candidate); !session.empty() && asked != candidate.generation) {
        candidate.timeout = session.front().timeout;
        candidate.backend->campaign(group);
        asked = candidate.generation;
      }
      return candidate.leads(group).has_value();
    };
    EXPECT_TRUE(until(leading, 4 * timeout() + slack())) << candidate.node << ": " << last_end;
  }

  Candidate& lead_all(const std::string& node, const std::vector<std::string>& groups) {
    Candidate& candidate = join(node);
    for (const std::string& group : groups) candidate.backend->campaign(group);
    EXPECT_TRUE(until([&] { return candidate.leads_all(groups); }, timeout() + slack())) << node;
    return candidate;
  }

  /// Lets time pass, renewing every session that is to be renewed. False: it was not so within `limit`.
  bool until(const std::function<bool()>& done, Millis limit) {
    const SteadyTime end = now() + limit;
    while (true) {
      renew_all();
      const Millis rest = end - now();
      if (cluster_->wait(done, std::clamp<Millis>(rest, 0ms, timeout() / 20))) return true;
      if (now() >= end) return done();
    }
  }
  /// When the session's terms must have ended by their own clock: as the core counts.
  SteadyTime deadline(const Candidate& candidate) const {
    SteadyTime counts = candidate.opened_at;
    for (const auto& renewed : candidate.events.all<backend::Renewed>(candidate.generation)) {
      const auto sent = candidate.sent.find(renewed.request);
      if (renewed.outcome != StoreResult::done || sent == candidate.sent.end()) continue;
      counts = std::max(counts, std::min(sent->second, renewed.counts_from.value_or(sent->second)));
    }
    return counts + candidate.timeout - std::max<Millis>(candidate.timeout / 10, 500ms);
  }
  void settle() {
    until([] { return false; }, cluster_->settling());
  }

  RequestId renew(Candidate& candidate) {
    candidate.renewed = now();
    candidate.renewal = ++candidate.last_request;
    candidate.sent[candidate.renewal] = candidate.renewed;
    candidate.backend->renew(candidate.renewal);
    return candidate.renewal;
  }

  WriteAnswer write(Candidate& candidate, const RegisterWrite& one) {
    const auto answers = write(candidate, std::vector<RegisterWrite>{one});
    return answers.size() == 1 ? answers.front() : WriteAnswer{};
  }
  std::vector<WriteAnswer> write(Candidate& candidate, std::vector<RegisterWrite> batch, Millis limit = 10s) {
    const RequestId request = ++candidate.last_request;
    candidate.backend->write(request, std::move(batch));
    const auto answer = await<backend::Wrote>(candidate, request, limit);
    return answer ? answer->answers : std::vector<WriteAnswer>{};
  }
  /// None: the session was over before it was answered.
  std::optional<WriteAnswer> write_while_open(Candidate& candidate, const RegisterWrite& one) {
    const RequestId request = ++candidate.last_request;
    candidate.backend->write(request, {one});
    const auto answer = [&] { return candidate.events.answer<backend::Wrote>(candidate.generation, request); };
    until([&] { return answer() || candidate.closed(); }, 10s);
    return answer() ? std::optional(answer()->answers.front()) : std::nullopt;
  }

  std::vector<Register> read(Candidate& candidate, std::vector<std::string> names) {
    return registers(asked_until_known<backend::ReadDone>(
        candidate, [&](RequestId request) { candidate.backend->read(request, names); }));
  }
  std::vector<Register> list(Candidate& candidate, std::string prefix) {
    return registers(asked_until_known<backend::ReadDone>(
        candidate, [&](RequestId request) { candidate.backend->list(request, prefix); }));
  }

  std::vector<WriteAnswer> create_all(Candidate& candidate, std::vector<Record> records) {
    const RequestId request = ++candidate.last_request;
    candidate.backend->create(request, std::move(records));
    const auto answer = await<backend::Wrote>(candidate, request, 10s);
    return answer ? answer->answers : std::vector<WriteAnswer>{};
  }
  StoreResult create(Candidate& candidate, const Record& record) {
    const auto answers = create_all(candidate, {record});
    return answers.size() == 1 ? answers[0].outcome : StoreResult::unknown;
  }
  StoreResult remove(Candidate& candidate, const std::string& name) {
    const RequestId request = ++candidate.last_request;
    candidate.backend->remove(request, {name});
    return only(await<backend::Wrote>(candidate, request, 10s));
  }
  StoreResult evict(Candidate& candidate, const std::string& group) {
    const RequestId request = ++candidate.last_request;
    candidate.backend->evict(request, group);
    return only(await<backend::Wrote>(candidate, request, 10s));
  }

  std::vector<Election> observe(Candidate& candidate, const std::string& group) {
    const auto answer = asked_until_known<backend::Observed>(
        candidate, [&](RequestId request) { candidate.backend->observe(request, group); });
    EXPECT_TRUE(answer && answer->outcome == StoreResult::done) << (answer ? answer->text : "no answer");
    return answer ? answer->elections : std::vector<Election>{};
  }
  /// The nodes that take part, as observed.
  std::vector<std::string> nodes(Candidate& candidate, const std::string& group) {
    std::vector<std::string> found;
    for (const Election& election : observe(candidate, group))
      for (const auto& one : election.candidates) found.push_back(one.node);
    return found;
  }

  /// How often the candidate was notified of a change under `prefix`.
  std::size_t changes(const Candidate& candidate, const std::string& prefix) const {
    const auto all = candidate.events.all<backend::Changed>(candidate.generation);
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const auto& one) { return one.prefix == prefix; }));
  }
  /// Watches, and waits for the first notification.
  void watch(Candidate& candidate, const std::string& prefix) {
    candidate.backend->watch(prefix);
    EXPECT_TRUE(until([&] { return changes(candidate, prefix) > 0; }, timeout() + slack())) << candidate.node;
  }

  template <class Answer>
  std::optional<Answer> await(Candidate& candidate, RequestId request, Millis limit) {
    const auto answered = [&] { return candidate.events.answer<Answer>(candidate.generation, request).has_value(); };
    EXPECT_TRUE(until(answered, limit)) << candidate.node << " was not answered";
    return candidate.events.answer<Answer>(candidate.generation, request);
  }

  std::vector<backend::SessionOpened> sessions(const Candidate& candidate) const {
    return candidate.events.all<backend::SessionOpened>(candidate.generation);
  }
  bool fenced(const Candidate& candidate) const {
    const auto opened = sessions(candidate);
    return !opened.empty() && opened.front().capability == Capability::fenced;
  }

  void crash(Candidate& candidate) {
    candidate.renewing = false;
    cluster_->crash(*candidate.backend);
  }

  /// `node` leads the group after a leader that has crashed.
  Candidate& follow_crashed_leader(const std::string& node, const std::string& group) {
    Candidate& dead = lead("a", group);
    Candidate& next = join(node);
    next.backend->campaign(group);
    settle();
    EXPECT_TRUE(await<backend::Renewed>(dead, renew(dead), timeout()));
    crash(dead);
    EXPECT_TRUE(until([&] { return next.leads(group).has_value(); }, cluster_->crash_handover()));
    return next;
  }

  std::unique_ptr<Cluster> cluster_;
  Millis session_timeout_{0};  // asked for; 0: the cluster's
  std::list<Candidate> candidates_;

 private:
  /// Asks again where a busy server has not answered within the backend's own patience, which is a part of timeout().
  template <class Answer, class Ask>
  std::optional<Answer> asked_until_known(Candidate& candidate, Ask ask) {
    std::optional<Answer> answer;
    for (const SteadyTime end = now() + 10s; now() < end;) {
      const RequestId request = ++candidate.last_request;
      ask(request);
      answer = await<Answer>(candidate, request, 10s);
      if (!answer || answer->outcome != StoreResult::unknown) break;
    }
    return answer;
  }
  static StoreResult only(const std::optional<backend::Wrote>& answer) {
    return answer && answer->answers.size() == 1 ? answer->answers[0].outcome : StoreResult::unknown;
  }
  static std::vector<Register> registers(std::optional<backend::ReadDone> answer) {
    EXPECT_TRUE(answer && answer->outcome == StoreResult::done) << (answer ? answer->text : "no answer");
    return answer ? std::move(answer->registers) : std::vector<Register>{};
  }

  /// One renewal in flight; one that has no answer for half of T is given up.
  void renew_all() {
    for (Candidate& candidate : candidates_) {
      if (!candidate.renewing || !candidate.backend || candidate.timeout == 0ms || candidate.closed()) continue;
      const bool answered =
          candidate.renewal == 0 ||
          candidate.events.answer<backend::Renewed>(candidate.generation, candidate.renewal).has_value();
      if (now() - candidate.renewed >= candidate.timeout / (answered ? 10 : 2)) renew(candidate);
    }
  }

  int last_pid_ = 1000;
};

/// The last argument of INSTANTIATE_TEST_SUITE_P.
inline std::string name_of(const ::testing::TestParamInfo<BackendUnderTest>& test) { return test.param.name; }

/// For the head of a test: what the cluster cannot do is skipped.
#define BALLOT_NEEDS(ability) \
  if (!can(ability)) GTEST_SKIP() << GetParam().name << " cannot " << ::ballot::conformance::to_string(ability)

#define BALLOT_NEEDS_FENCE(candidate) \
  if (!fenced(candidate)) GTEST_SKIP() << GetParam().name << " does not fence its writes"

}  // namespace ballot::conformance

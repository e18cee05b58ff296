// Conformance: conditional writes, reads and lists. Included by backend_conformance.hpp.
#pragma once

#include <map>
#include <random>
#include <set>

#include "conformance/backend_fixture.hpp"
#include "conformance/register_history.hpp"

namespace ballot::conformance {

TEST_P(BackendConformance, CreatesARegisterOnce) {
  Candidate& a = lead("a", "g");
  Candidate& b = lead("b", "h");
  a.backend->write(500, {{"g", *a.leads("g"), "j/x", "a", 0}});
  b.backend->write(500, {{"h", *b.leads("h"), "j/x", "b", 0}});
  const auto of_a = await<backend::Wrote>(a, 500, 10s);
  const auto of_b = await<backend::Wrote>(b, 500, 10s);
  ASSERT_TRUE(of_a && of_b && of_a->answers.size() == 1 && of_b->answers.size() == 1);
  const bool a_won = of_a->answers[0].outcome == StoreResult::done;
  EXPECT_EQ(of_a->answers[0].outcome, a_won ? StoreResult::done : StoreResult::conflict);
  EXPECT_EQ(of_b->answers[0].outcome, a_won ? StoreResult::conflict : StoreResult::done);
  const auto found = read(a, {"j/x"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value, a_won ? "a" : "b");
}

TEST_P(BackendConformance, RefusesAStaleVersion) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  const WriteAnswer first = write(a, {"g", epoch, "j/x", "1", 0});
  ASSERT_EQ(first.outcome, StoreResult::done);
  const WriteAnswer second = write(a, {"g", epoch, "j/x", "2", first.version});
  ASSERT_EQ(second.outcome, StoreResult::done);
  const WriteAnswer stale = write(a, {"g", epoch, "j/x", "3", first.version});
  EXPECT_EQ(stale.outcome, StoreResult::conflict);
  EXPECT_TRUE(stale.version == 0 || stale.version == second.version) << "gives another version than is there";
  EXPECT_EQ(write(a, {"g", epoch, "j/absent", "1", second.version}).outcome, StoreResult::conflict);
  EXPECT_EQ(read(a, {"j/x"}).front().value, "2");
}

TEST_P(BackendConformance, RepeatingAnAcknowledgedWriteIsAConflict) {
  Candidate& a = lead("a", "g");
  const RegisterWrite same{"g", *a.leads("g"), "j/x", "1", 0};
  const WriteAnswer first = write(a, same);
  ASSERT_EQ(first.outcome, StoreResult::done);
  EXPECT_EQ(write(a, same).outcome, StoreResult::conflict);
  EXPECT_EQ(read(a, {"j/x"}).front().version, first.version);
}

TEST_P(BackendConformance, VersionsGrow) {
  Candidate& a = lead("a", "g");
  std::uint64_t version = 0;
  for (int i = 0; i < 20; ++i) {
    const WriteAnswer wrote = write(a, {"g", *a.leads("g"), "j/x", std::to_string(i), version});
    ASSERT_EQ(wrote.outcome, StoreResult::done) << wrote.text;
    ASSERT_GT(wrote.version, version);
    version = wrote.version;
    EXPECT_EQ(read(a, {"j/x"}).front().version, version);
  }
}

TEST_P(BackendConformance, VersionsGrowOverTerms) {
  std::uint64_t version = 0;
  for (const char* node : {"a", "b", "c"}) {
    Candidate& leader = lead(node, "g");
    const auto before = read(leader, {"j/x"});
    ASSERT_EQ(before.empty() ? 0 : before.front().version, version);
    for (int i = 0; i < 3; ++i) {
      const WriteAnswer wrote = write(leader, {"g", *leader.leads("g"), "j/x", node, version});
      ASSERT_EQ(wrote.outcome, StoreResult::done) << wrote.text;
      ASSERT_GT(wrote.version, version);
      version = wrote.version;
    }
    ASSERT_EQ(write(leader, {"g", *leader.leads("g"), "j/other", node, version + 1000}).outcome, StoreResult::conflict);
    EXPECT_EQ(read(leader, {"j/x"}).front().version, version) << "a write that is refused changes nothing";
    leader.backend->close(false);
    ASSERT_TRUE(until([&] { return leader.closed().has_value(); }, timeout() + slack()));
  }
}

TEST_P(BackendConformance, DecidesEachWriteOfABatchOnItsOwn) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  const WriteAnswer first = write(a, {"g", epoch, "j/x", "1", 0});
  ASSERT_EQ(first.outcome, StoreResult::done);
  const auto answers = write(a, std::vector<RegisterWrite>{{"g", epoch, "j/y", "1", 0},
                                                           {"g", epoch, "j/x", "2", 0},
                                                           {"g", epoch, "j/z", "1", 0},
                                                           {"g", epoch, "j/x", "3", first.version}});
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0].outcome, StoreResult::done);
  EXPECT_EQ(answers[1].outcome, StoreResult::conflict);
  EXPECT_EQ(answers[2].outcome, StoreResult::done);
  EXPECT_EQ(answers[3].outcome, StoreResult::done);
  const auto found = list(a, "j/");
  ASSERT_EQ(found.size(), 3u);
}

TEST_P(BackendConformance, RefusesAWriterThatDoesNotLead) {
  Candidate& a = lead("a", "g");
  BALLOT_NEEDS_FENCE(a);
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  EXPECT_EQ(write(b, {"g", *a.leads("g"), "j/x", "b", 0}).outcome, StoreResult::not_leader);
  EXPECT_EQ(write(b, {"never-used", 1, "j/x", "b", 0}).outcome, StoreResult::not_leader);
  EXPECT_TRUE(read(a, {"j/x"}).empty());
}

TEST_P(BackendConformance, RefusesEveryEpochButTheOneThatLeads) {
  Candidate& a = lead("a", "g");
  BALLOT_NEEDS_FENCE(a);
  const std::uint64_t old = *a.leads("g");
  a.backend->resign("g");
  a.backend->campaign("g");
  ASSERT_TRUE(until([&] { return a.leads("g").value_or(0) > old; }, timeout() + slack()));
  const std::uint64_t epoch = *a.leads("g");
  EXPECT_EQ(write(a, {"g", old, "j/x", "old", 0}).outcome, StoreResult::not_leader);
  EXPECT_EQ(write(a, {"g", epoch + 1, "j/x", "future", 0}).outcome, StoreResult::not_leader);
  EXPECT_EQ(write(a, {"g", epoch, "j/x", "now", 0}).outcome, StoreResult::done);
}

TEST_P(BackendConformance, AWriteOfADeposedLeaderNeverLandsAfterALaterLeadersWrite) {
  Candidate& a = lead("a", "g");
  BALLOT_NEEDS_FENCE(a);
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  const std::uint64_t old = *a.leads("g");
  const WriteAnswer first = write(a, {"g", old, "j/x", "first", 0});
  a.backend->resign("g");
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() + slack()));
  const WriteAnswer second = write(b, {"g", *b.leads("g"), "j/x", "second", first.version});
  ASSERT_EQ(second.outcome, StoreResult::done);
  EXPECT_EQ(write(a, {"g", old, "j/x", "late", second.version}).outcome, StoreResult::not_leader);
  EXPECT_EQ(read(b, {"j/x"}).front().value, "second");
}

TEST_P(BackendConformance, ReadsWhatIsThereAndLeavesOutWhatIsNot) {
  Candidate& a = lead("a", "g");
  const WriteAnswer wrote = write(a, {"g", *a.leads("g"), "j/x", "1", 0});
  const auto found = read(join("b"), {"j/absent", "j/x"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "j/x");
  EXPECT_EQ(found[0].version, wrote.version);
  EXPECT_TRUE(read(a, {}).empty());
}

/// As whoever begins to lead thousands of groups does, of which nobody has led one before.
TEST_P(BackendConformance, ReadsManyOfWhichNoneOrFewAreThere) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  std::vector<std::string> first, second{"g/nightly"};
  for (int i = 0; i < 150; ++i) (i < 120 ? first : second).push_back("j/job-" + std::to_string(i));
  EXPECT_TRUE(read(a, first).empty());
  for (const char* name : {"j/job-7", "j/job-119", "j/job-140", "g/nightly", "j/other"})
    ASSERT_EQ(write(a, {"g", epoch, name, name, 0}).outcome, StoreResult::done);
  a.backend->read(600, first);
  a.backend->read(601, second);
  const auto names_of = [&](RequestId request) {
    const auto done = await<backend::ReadDone>(a, request, 10s);
    std::set<std::string> names;
    for (const Register& one : done ? done->registers : std::vector<Register>()) {
      EXPECT_EQ(one.value, one.name);
      names.insert(one.name);
    }
    return names;
  };
  EXPECT_EQ(names_of(600), (std::set<std::string>{"j/job-7", "j/job-119"}));
  EXPECT_EQ(names_of(601), (std::set<std::string>{"j/job-140", "g/nightly"}));
}

TEST_P(BackendConformance, ListsByPrefix) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  for (const char* name : {"j/backup", "j/backup-2", "j/report", "g/nightly", "k/backup"})
    ASSERT_EQ(write(a, {"g", epoch, name, name, 0}).outcome, StoreResult::done);
  EXPECT_EQ(list(a, "j/").size(), 3u);
  EXPECT_EQ(list(a, "j/backup").size(), 2u);
  EXPECT_EQ(list(a, "").size(), 5u);
  EXPECT_EQ(list(a, "x/").size(), 0u);
}

TEST_P(BackendConformance, TakesEveryNameOfTheGrammar) {
  Candidate& a = lead("a", "g");
  const std::vector<std::string> names{"j/ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                                       "j/abcdefghijklmnopqrstuvwxyz",
                                       "j/0123456789",
                                       "j/a.b_c-d",
                                       "z/" + std::string(64, 'x'),
                                       "j/A",
                                       "j/a",
                                       "r/..",
                                       "r/."};
  for (const std::string& name : names)
    EXPECT_EQ(write(a, {"g", *a.leads("g"), name, "of " + name, 0}).outcome, StoreResult::done) << name;
  for (const Register& found : read(a, names)) EXPECT_EQ(found.value, "of " + found.name);
  EXPECT_EQ(read(a, names).size(), names.size());
}

TEST_P(BackendConformance, KeepsValuesOfEightKilobytesByteForByte) {
  Candidate& a = lead("a", "g");
  std::string value;
  while (value.size() < 8192 - 4) value += "{\"k\": \"\xc3\xa9\\n\"}\n\t'%$ ";
  value.resize(8192 - 4);
  value += " end";
  ASSERT_EQ(write(a, {"g", *a.leads("g"), "j/x", value, 0}).outcome, StoreResult::done);
  ASSERT_EQ(write(a, {"g", *a.leads("g"), "j/empty", "", 0}).outcome, StoreResult::done);
  const auto found = read(a, {"j/x", "j/empty"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].value, value);
  EXPECT_EQ(found[1].value, "");
}

TEST_P(BackendConformance, FailsALargerValue) {
  Candidate& a = lead("a", "g");
  const WriteAnswer answer = write(a, {"g", *a.leads("g"), "j/x", std::string(8193, 'x'), 0});
  EXPECT_EQ(answer.outcome, StoreResult::failed);
  EXPECT_FALSE(answer.text.empty());
  EXPECT_TRUE(read(a, {"j/x"}).empty());
}

TEST_P(BackendConformance, CarriesOutAThousandWritesInABatch) {
  session_timeout_ = 10s;  // a list of so many is waited for in proportion to it
  Candidate& a = lead("a", "g");
  std::vector<RegisterWrite> batch;
  for (int i = 0; i < 1000; ++i)
    batch.push_back({"g", *a.leads("g"), "j/job-" + std::to_string(i), std::string(600, 'x'), 0});
  const auto answers = write(a, batch, 60s);
  ASSERT_EQ(answers.size(), 1000u);
  EXPECT_TRUE(
      std::all_of(answers.begin(), answers.end(), [](const auto& one) { return one.outcome == StoreResult::done; }));
  EXPECT_EQ(list(a, "j/job-").size(), 1000u);
}

/// Three leaders of groups of their own write to and read from few registers, a few requests each under way at a time.
class RegisterClients {
 public:
  RegisterClients(std::vector<Candidate*> clients, std::vector<std::string> groups, unsigned seed)
      : clients_(std::move(clients)), groups_(std::move(groups)), random_(seed) {}

  /// Sends where fewer than three are under way; takes in what was answered. True: all is done.
  bool step(std::size_t operations) {
    for (std::size_t client = 0; client < clients_.size(); ++client) {
      collect(client);
      while (sent_ < operations && pending_[client].size() < 3) send(client);
    }
    return sent_ == operations && pending_[0].empty() && pending_[1].empty() && pending_[2].empty();
  }

  const RegisterHistory& history() const { return history_; }
  std::size_t writes_done() const { return writes_done_; }

 private:
  using Operation = RegisterHistory::Operation;

  void send(std::size_t client) {
    Candidate& to = *clients_[client];
    const std::string name = "j/r" + std::to_string(random_() % 3);
    Operation operation{Operation::Kind::read, name, {}, 0, 0, next_tick(), RegisterHistory::never};
    const RequestId request = ++to.last_request;
    ++sent_;
    if (random_() % 2 == 0) {
      pending_[client].emplace(request, operation);
      to.backend->read(request, {name});
      return;
    }
    operation.kind = Operation::Kind::maybe_wrote;
    operation.value = to.node + std::to_string(sent_);
    operation.replaced = known_[name];
    pending_[client].emplace(request, operation);
    to.backend->write(request,
                      {{groups_[client], *to.leads(groups_[client]), name, operation.value, operation.replaced}});
  }

  void collect(std::size_t client) {
    for (const auto& entry : clients_[client]->events.entries()) {
      if (const auto* wrote = std::get_if<backend::Wrote>(&entry.event.what)) close(client, entry.tick, *wrote);
      if (const auto* done = std::get_if<backend::ReadDone>(&entry.event.what)) close(client, entry.tick, *done);
    }
  }

  void close(std::size_t client, std::uint64_t tick, const backend::Wrote& wrote) {
    const auto found = pending_[client].find(wrote.request);
    if (found == pending_[client].end()) return;
    Operation operation = std::move(found->second);
    pending_[client].erase(found);
    const WriteAnswer& answer = wrote.answers.at(0);
    if (answer.outcome != StoreResult::unknown) operation.ended = tick;
    if (answer.outcome == StoreResult::done) operation.kind = Operation::Kind::wrote;
    if (answer.outcome == StoreResult::conflict) operation.kind = Operation::Kind::refused;
    operation.version = answer.version;
    if (answer.outcome == StoreResult::done) ++writes_done_;
    if (answer.outcome == StoreResult::done) known_[operation.name] = answer.version;
    history_.add(std::move(operation));
  }

  void close(std::size_t client, std::uint64_t tick, const backend::ReadDone& done) {
    const auto found = pending_[client].find(done.request);
    if (found == pending_[client].end()) return;
    Operation operation = std::move(found->second);
    pending_[client].erase(found);
    if (done.outcome != StoreResult::done) return;
    operation.ended = tick;
    if (!done.registers.empty()) {
      operation.value = done.registers[0].value;
      operation.version = known_[operation.name] = done.registers[0].version;
    }
    history_.add(std::move(operation));
  }

  std::vector<Candidate*> clients_;
  std::vector<std::string> groups_;
  std::mt19937 random_;
  std::size_t sent_ = 0;
  std::size_t writes_done_ = 0;
  std::map<std::size_t, std::map<RequestId, Operation>> pending_;
  std::map<std::string, std::uint64_t> known_;
  RegisterHistory history_;
};

TEST_P(BackendConformance, ReadsAndWritesAreLinearizable) {
  Candidate& a = lead("a", "g");
  Candidate& b = lead("b", "h");
  Candidate& c = lead("c", "i");
  RegisterClients clients({&a, &b, &c}, {"g", "h", "i"}, 7);
  ASSERT_TRUE(until([&] { return clients.step(300); }, 60s));
  EXPECT_GT(clients.writes_done(), 20u);
  EXPECT_EQ(clients.history().contradiction(), "");
}

}  // namespace ballot::conformance

// Conformance: names that are near to each other, of every character that a name may have. A job of each node has
// instances JOB@NODE in groups GROUP@NODE, and nodes have dots: what is of GROUP@a is nothing of GROUP, nor of
// GROUP@ab, GROUP@a.b or GROUP@A. Included by backend_conformance.hpp.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "conformance/backend_fixture.hpp"

namespace ballot::conformance {

/// Of groups, and of jobs. What one store takes for a path, a subject, a pattern or the end of a prefix is among them.
inline const std::vector<std::string>& near_names() {
  static const std::vector<std::string> names{"g",
                                              "G",
                                              "g@a",
                                              "g@ab",
                                              "g@A",
                                              "g@a.b",
                                              "g@a-b",
                                              "g@a_b",
                                              "g@a.",
                                              "g@a..b",
                                              "g-a",
                                              "g_a",
                                              "ga",
                                              "G@a",
                                              "0@0",
                                              "g@40",
                                              "g40a",
                                              "g-@-a._",
                                              "g@a-0000000001",
                                              std::string(64, 'x') + "@" + std::string(64, 'y')};
  return names;
}

using NameSet = std::set<std::string>;

inline NameSet all_near_names() { return {near_names().begin(), near_names().end()}; }

/// Those of registers and records.
inline NameSet near_names_of(char letter) {
  NameSet names;
  for (const std::string& name : near_names()) names.insert(std::string(1, letter) + "/" + name);
  return names;
}

/// Each has "of NAME" for its value.
inline NameSet names_in(const std::vector<Register>& found) {
  NameSet names;
  for (const Register& one : found) {
    EXPECT_EQ(one.value, "of " + one.name);
    EXPECT_TRUE(names.insert(one.name).second) << one.name << " is there twice";
  }
  return names;
}

TEST_P(BackendConformance, OfNearNamesEachGroupHasAnElectionOfItsOwn) {
  Candidate& a = lead_all("a", near_names());
  Candidate& b = join("a.b");
  b.backend->campaign("g@ab");
  settle();
  NameSet seen;
  for (const Election& election : observe(b, "")) {
    seen.insert(election.group);
    EXPECT_EQ(election.epoch, a.leads(election.group).value_or(0)) << election.group;
    EXPECT_EQ(election.candidates.size(), election.group == "g@ab" ? 2u : 1u) << election.group;
    EXPECT_EQ(election.candidates.front().node, "a") << election.group;
  }
  EXPECT_EQ(seen, all_near_names());
  for (const std::string& group : near_names()) {
    const auto one = observe(a, group);
    ASSERT_EQ(one.size(), 1u) << group;
    EXPECT_EQ(one[0].group, group);
    EXPECT_EQ(one[0].candidates.size(), group == "g@ab" ? 2u : 1u) << group;
  }

  a.backend->resign("g@ab");
  ASSERT_TRUE(until([&] { return b.leads("g@ab").has_value(); }, timeout() + slack()));
  EXPECT_EQ(nodes(a, "g@ab"), std::vector<std::string>{"a.b"});
  ASSERT_EQ(evict(b, "g@a"), StoreResult::done);
  const auto over = [&] { return a.events.all<backend::Deposed>(a.generation); };
  ASSERT_TRUE(until([&] { return over().size() == 2; }, timeout() + slack()));
  EXPECT_EQ(over()[0].group, "g@ab");
  EXPECT_EQ(over()[1].group, "g@a");
  NameSet others = all_near_names();
  others.erase("g@ab");
  EXPECT_TRUE(until([&] { return a.leads_all(others); }, timeout() + slack()));
  settle();
  EXPECT_EQ(over().size(), 2u) << "no other term has ended";
  EXPECT_EQ(b.events.all<backend::Elected>(b.generation).size(), 1u);
}

TEST_P(BackendConformance, OfNearNamesEachTermWritesInItsOwnAlone) {
  Candidate& a = lead("a", "g@a");
  Candidate& b = lead("a.b", "g@a.b");
  BALLOT_NEEDS_FENCE(a);
  const std::uint64_t of_a = *a.leads("g@a"), of_b = *b.leads("g@a.b");
  for (const std::string& group : near_names()) {
    const StoreResult due = group == "g@a" ? StoreResult::done : StoreResult::not_leader;
    EXPECT_EQ(write(a, {group, of_a, "j/" + group, "of a", 0}).outcome, due) << group;
  }
  EXPECT_EQ(write(b, {"g@a", of_b, "j/x", "of b", 0}).outcome, StoreResult::not_leader);
  EXPECT_EQ(write(b, {"g@a.b", of_b, "j/x", "of b", 0}).outcome, StoreResult::done);
}

TEST_P(BackendConformance, OfNearNamesRegistersAreKeptApartAndComeBackByteForByte) {
  Candidate& a = lead("a", "g@a");
  const std::uint64_t epoch = *a.leads("g@a");
  std::vector<RegisterWrite> batch;
  for (const std::string& name : near_names_of('j')) batch.push_back({"g@a", epoch, name, "of " + name, 0});
  for (const WriteAnswer& answer : write(a, batch)) ASSERT_EQ(answer.outcome, StoreResult::done) << answer.text;
  Candidate& b = join("a.b");
  for (const std::string& name : near_names_of('j')) {
    const auto found = read(b, {name});
    ASSERT_EQ(found.size(), 1u) << name;
    EXPECT_EQ(found[0].name, name);
    EXPECT_EQ(found[0].value, "of " + name);
  }
  for (const std::string prefix :
       {"", "j/", "j/g", "j/g@", "j/g@a", "j/g@a.", "j/g@ab", "j/g@a-", "j/0@", "j/g-@-a._"}) {
    NameSet due = near_names_of('j');
    std::erase_if(due, [&](const std::string& name) { return !name.starts_with(prefix); });
    EXPECT_EQ(names_in(list(b, prefix)), due) << '"' << prefix << '"';
  }

  const auto version = [&](const char* name) { return read(b, {name}).at(0).version; };
  const std::uint64_t own = version("j/g@a"), longer = version("j/g@ab"), dotted = version("j/g@a.b");
  ASSERT_EQ(write(a, {"g@a", epoch, "j/g@a", "new", own}).outcome, StoreResult::done);
  EXPECT_EQ(read(b, {"j/g@a"}).front().value, "new");
  EXPECT_EQ(read(b, {"j/g@ab"}).front().value, "of j/g@ab");
  EXPECT_GT(version("j/g@a"), own);
  EXPECT_EQ(version("j/g@ab"), longer);
  EXPECT_EQ(version("j/g@a.b"), dotted);
}

TEST_P(BackendConformance, OfNearNamesRecordsAreCreatedWatchedAndRemovedEachAlone) {
  Candidate& a = join("a");
  Candidate& b = join("a.b");
  watch(b, "p/g@a.");
  settle();
  const std::size_t seen = changes(b, "p/g@a.");
  std::vector<Record> records;
  for (const std::string& name : near_names_of('p')) records.push_back({name, "of " + name});
  for (const WriteAnswer& answer : create_all(a, records)) EXPECT_EQ(answer.outcome, StoreResult::done) << answer.text;
  for (const WriteAnswer& answer : create_all(b, records)) EXPECT_EQ(answer.outcome, StoreResult::conflict);
  EXPECT_TRUE(until([&] { return changes(b, "p/g@a.") > seen; }, timeout() + slack()));
  EXPECT_EQ(names_in(list(b, "p/")), near_names_of('p'));
  NameSet rest = near_names_of('p');
  for (const char* gone : {"p/g@a", "p/g", "p/g@a.b"}) {
    EXPECT_EQ(remove(b, gone), StoreResult::done);
    rest.erase(gone);
    EXPECT_EQ(names_in(list(a, "p/")), rest) << "without " << gone;
    EXPECT_TRUE(read(a, {gone}).empty()) << gone;
  }
  EXPECT_EQ(create(a, {"p/g@a", "of p/g@a"}), StoreResult::done);
  rest.insert("p/g@a");
  EXPECT_EQ(names_in(list(b, "p/")), rest);
}

/// The words of a store in which a kept session finds its terms again, and those of a handle, hold such names too.
TEST_P(BackendConformance, OfNearNamesEachTermGoesOnAfterAKeptClose) {
  BALLOT_NEEDS(Ability::resume);
  Candidate& a = lead_all("a", near_names());
  std::map<std::string, std::uint64_t> epochs;
  for (const std::string& group : near_names()) epochs[group] = *a.leads(group);
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  a.backend->close(true);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  a.backend.reset();
  Candidate& back = lead_all("a", near_names());
  for (const auto& elected : back.events.all<backend::Elected>(back.generation)) {
    EXPECT_TRUE(elected.resumed) << elected.group;
    EXPECT_EQ(elected.epoch, epochs[elected.group]) << elected.group;
  }
}

}  // namespace ballot::conformance

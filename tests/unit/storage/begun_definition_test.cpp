// Which definitions of jobs began, as a ledger is asked for them, and out of the ledgers of several nodes.
#include "storage/definition_merge.hpp"
#include "storage/ledger_file.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

using Texts = std::vector<std::string>;
using std::chrono::hours;

DefinitionRow defined(const std::string& node, int hour, const std::string& digest, Basis basis = Basis::defined,
                      const std::string& job = "backup") {
  DefinitionRow row;
  row.job = job;
  row.group = "nightly";
  row.node = node;
  row.from = noon + hours(hour);
  row.epoch = static_cast<std::uint64_t>(hour + 1);
  row.before = row.epoch - 1;
  row.basis = basis;
  row.digest = digest;
  row.schedule = {"0 2 * * *"};
  return row;
}

std::string text_of(const BegunDefinition& one) {
  return one.row.job + " " + one.before.value_or("?") + ">" + one.row.digest + " on " + one.row.node;
}

std::string text_of(const DefinitionChange& one) {
  std::string text = one.row.job + " " +
                     (one.is_first         ? "new"
                      : one.before.empty() ? "?"
                                           : one.before) +
                     ">" + one.row.digest + (one.is_at_latest ? " by " : " at ") +
                     std::to_string((one.row.from - noon) / hours(1)) + " on";
  for (const std::string& node : one.nodes) text += " " + node;
  return text;
}

class BegunDefinitions : public ::testing::Test {
 protected:
  std::string path(const std::string& node) const { return folder_ / (node + ".db"); }
  void write(const std::string& node, const std::vector<Record>& records) {
    LedgerFile(path(node), Millis(100)).write(records, Sync::now);
    nodes_.insert(node);
  }
  std::vector<BegunDefinition> read(const std::string& node, const DefinitionFilter& filter) {
    std::vector<BegunDefinition> all;
    auto reader = Reader::open(path(node));
    EXPECT_TRUE(reader->definitions(filter, [&](const auto& one) { return all.push_back(one), true; }));
    return all;
  }
  Texts begun(DefinitionFilter filter, const std::string& node = "a") {
    Texts texts;
    for (const BegunDefinition& one : read(node, filter)) texts.push_back(text_of(one));
    return texts;
  }
  /// Out of all nodes' ledgers.
  Texts changes(DefinitionFilter filter = {.limit = std::nullopt}) {
    std::vector<BegunDefinition> page, rows;
    for (const std::string& node : nodes_)
      for (BegunDefinition& one : read(node, filter)) page.push_back(std::move(one));
    std::sort(page.begin(), page.end(), [](const auto& x, const auto& y) { return position_of(x) > position_of(y); });
    for (const std::string& node : nodes_)
      for (BegunDefinition& one : read(node, {.of = keys_of(page), .limit = std::nullopt}))
        rows.push_back(std::move(one));
    Texts texts;
    for (const DefinitionChange& one : definition_changes(page, rows)) texts.push_back(text_of(one));
    return texts;
  }

  TempFolder folder_;
  std::set<std::string> nodes_;
};

TEST_F(BegunDefinitions, AreThoseThatDifferFromWhatTheJobHadBefore) {
  write("a", {defined("a", 0, "d1", Basis::created), defined("a", 2, "d1", Basis::repaired), defined("a", 3, "d2"),
              defined("a", 5, ""), defined("a", 6, "d2", Basis::created)});
  EXPECT_EQ(begun({}), (Texts{"backup >d2 on a", "backup d2> on a", "backup d1>d2 on a", "backup ?>d1 on a"}));
}

TEST_F(BegunDefinitions, AreAskedForByJobGroupNodeAndTime) {
  write("a",
        {defined("a", 0, "d1", Basis::created), defined("a", 1, "s1", Basis::created, "sweep"), defined("a", 2, "d2")});
  EXPECT_EQ(begun({.jobs = {"sweep"}}), Texts{"sweep ?>s1 on a"});
  EXPECT_EQ(begun({.jobs = {"nobody's"}}), Texts{});
  EXPECT_EQ(begun({.groups = {"nightly"}}).size(), 3u);
  EXPECT_EQ(begun({.groups = {"daily"}}), Texts{});
  EXPECT_EQ(begun({.nodes = {"b"}}), Texts{});
  EXPECT_EQ(begun({.since = noon + hours(1), .until = noon + hours(2)}), Texts{"sweep ?>s1 on a"});
  EXPECT_EQ(begun({.of = {{"backup", "d1"}, {"sweep", "d2"}, {"nobody's", "'"}}}), Texts{"backup ?>d1 on a"});
}

TEST_F(BegunDefinitions, ComeInPagesAlsoWhereManyBeginAtOneInstant) {
  std::vector<Record> records;
  for (int i = 0; i < 7; ++i) records.emplace_back(defined("a", 0, "d", Basis::created, "job-" + std::to_string(i)));
  records.emplace_back(defined("a", 0, "e", Basis::defined, "job-3"));
  write("a", records);
  Texts all;
  DefinitionFilter filter{.limit = 3};
  auto reader = Reader::open(path("a"));
  int pages = 0;
  for (bool goes_on = true; goes_on; ++pages) {
    const auto next = reader->definitions(filter, [&](const auto& one) { return all.push_back(text_of(one)), true; });
    ASSERT_TRUE(next);
    goes_on = next->has_value();
    filter.after = *next;
  }
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(all, begun({.limit = std::nullopt}));
  EXPECT_EQ(all.size(), 8u);
  EXPECT_EQ(all[3], "job-3 d>e on a");
  EXPECT_EQ(all[4], "job-3 ?>d on a");
}

TEST_F(BegunDefinitions, AreForgottenOnceAnOlderBallotHasWritten) {
  write("a", {defined("a", 0, "d1", Basis::created)});
  Database(path("a"), Open::write).run("UPDATE meta SET value = value + 1 WHERE key = 'change'");
  EXPECT_EQ(begun({}), Texts{});
}

TEST_F(BegunDefinitions, OfSeveralNodesAreOneWithTheNodesThatWentByIt) {
  write("a", {defined("a", 0, "d1", Basis::created), defined("a", 4, "d2", Basis::taken_over)});
  write("b", {defined("b", 1, "d1", Basis::taken_over), defined("b", 2, "d2")});
  EXPECT_EQ(changes(), (Texts{"backup d1>d2 at 2 on b a", "backup new>d1 at 0 on a b"}));
  EXPECT_EQ(changes({.since = noon + hours(3)}), Texts{}) << "it went on then, and had begun before";
}

TEST_F(BegunDefinitions, ThatAreBackAreTheirOwn) {
  write("a", {defined("a", 0, "d1", Basis::created), defined("a", 1, "d2"), defined("a", 2, "d1")});
  write("b", {defined("b", 3, "d1", Basis::taken_over)});
  EXPECT_EQ(changes(), (Texts{"backup d2>d1 at 2 on a b", "backup d1>d2 at 1 on a", "backup new>d1 at 0 on a"}));
}

TEST_F(BegunDefinitions, OfALedgerThatIsGoneAreKnownByWhoTookThemOver) {
  write("a", {defined("a", 0, "d1", Basis::created), defined("a", 4, "d2", Basis::taken_over)});
  write("c", {defined("c", 0, "d0", Basis::taken_over), defined("c", 5, "d2", Basis::taken_over)});
  EXPECT_EQ(changes(), (Texts{"backup d1>d2 by 4 on a c", "backup new>d1 at 0 on a"}));
  write("b", {defined("b", 1, "d1", Basis::taken_over), defined("b", 2, "d2")});
  EXPECT_EQ(changes(), (Texts{"backup d1>d2 at 2 on b a c", "backup new>d1 at 0 on a b"}));
}

TEST_F(BegunDefinitions, HaveTheValuesOfWhicheverLedgerKnowsThem) {
  DefinitionRow known = defined("b", 0, "d1", Basis::created), unknown = defined("a", 1, "d1", Basis::taken_over);
  known.retries = 3;
  write("a", {unknown, defined("a", 2, "d2")});
  write("b", {known});
  const auto page = read("a", {});
  ASSERT_EQ(page.size(), 1u);
  std::vector<BegunDefinition> rows = read("a", {.of = keys_of(page)}), others = read("b", {.of = keys_of(page)});
  auto changed = definition_changes(page, rows);
  ASSERT_TRUE(changed.at(0).replaced);
  EXPECT_FALSE(has_all_keys(*changed[0].replaced));
  rows.insert(rows.end(), others.begin(), others.end());
  changed = definition_changes(page, rows);
  EXPECT_EQ(changed.at(0).replaced->retries, 3);
  EXPECT_TRUE(has_all_keys(*changed[0].replaced));
}

TEST_F(BegunDefinitions, KeepTheKeysThatTheirJobsSetUntilTheLastOfThemIsDeleted) {
  const auto keys_in = [&] {
    Texts keys;
    for (const BegunDefinition& one : read("a", {})) keys.push_back(one.row.digest + ":" + one.row.keys);
    return keys;
  };
  DefinitionRow first = defined("a", 0, "d1", Basis::created), again = defined("a", 2, "d1");
  first.keys = again.keys = "command=1 env=2";
  write("a", {first, defined("a", 1, "d2"), again});
  EXPECT_EQ(keys_in(), (Texts{"d1:command=1 env=2", "d2:", "d1:command=1 env=2"}));
  const auto kept = [&](const char* where) {
    Database db(path("a"), Open::write);
    db.run((std::string("DELETE FROM definition WHERE ") + where).c_str());
    return db.number("SELECT count(*) FROM definition_keys");
  };
  EXPECT_EQ(kept("id = (SELECT min(id) FROM definition)"), 1);
  EXPECT_EQ(kept("digest = 'd1'"), 0);
}

TEST_F(BegunDefinitions, HaveTheKeysOfTheJobThatTheLedgerWasHandedWithThem) {
  LedgerOptions options = quick(path("a"));
  options.keys_of = [](const Job& job) { return "command=" + job.name; };
  auto job = std::make_shared<Job>();
  job->name = "backup";
  const std::weak_ptr<const Job> kept = job;
  Ledger ledger(options, {.now = [] { return noon; }});
  ledger.record(defined("a", 0, "d1", Basis::created), std::move(job));
  ledger.record(defined("a", 1, ""), nullptr);
  ledger.close();
  const auto all = read("a", {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].row.keys, "");
  EXPECT_EQ(all[1].row.keys, "command=backup");
  EXPECT_TRUE(kept.expired()) << "the ledger keeps no job";
}

TEST_F(BegunDefinitions, OfATermThatGoesOnGetKeysThatABallotOfBeforeHasNotWritten) {
  DefinitionRow next = defined("a", 0, "d1", Basis::taken_over);
  next.before = 1, next.epoch = 2, next.keys = "command=1";
  write("a", {defined("a", 0, "d1", Basis::created), next});
  const auto all = read("a", {});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].row.keys, "command=1");
  Database(path("a"), Open::write).run("DROP TRIGGER definition_keys_gone; DROP TABLE definition_keys;");
  EXPECT_EQ(read("a", {}).at(0).row.keys, "");  // of a file of before
}

}  // namespace
}  // namespace ballot::storage

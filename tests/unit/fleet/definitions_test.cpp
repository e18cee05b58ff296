// Which definitions of jobs began, as one node is asked for them of a fleet, and as they are shown.
#include "base/wall_text.hpp"
#include "fleet_of_three.hpp"
#include "library/history/definition_wire.hpp"
#include "library/history/fleet_definitions.hpp"
#include "library/shown/definition_values.hpp"

namespace ballot::library {
namespace {

using std::chrono::hours;

DefinitionRow defined(const std::string& node, int hour, const std::string& digest, Basis basis = Basis::defined,
                      const std::string& job = "backup") {
  DefinitionRow row;
  row.job = job;
  row.group = "nightly";
  row.node = node;
  row.from = noon + hours(hour);
  row.epoch = static_cast<std::uint64_t>(hour + 1);
  row.basis = basis;
  row.digest = digest;
  row.schedule = {"0 2 * * *"};
  return row;
}

std::string text_of(const io::Message& one) {
  std::string text = one.text("job").value_or("") + " " + one.text("change").value_or("") + " on";
  for (const std::string& node : one.texts("nodes")) text += " " + node;
  return text + ": " + one.text("text").value_or("-");
}

struct FleetDefinitions : Fleet3 {
  static io::Message asked_shown() {
    return question("definitions").set("form", std::string("shown")).set("since", std::int64_t{0});
  }
  Texts shown_by(LedgerView& ledger, const io::Message& asked, std::string* next = nullptr) {
    const auto answer = answer_question(ledger, asked);
    if (!answer) return {answer.error().what};
    Texts texts;
    for (const io::Message& one : answer->objects("definitions")) texts.push_back(text_of(one));
    if (next) *next = answer->text("next").value_or("");
    return texts;
  }

  void write_a_change() {
    DefinitionRow added = defined("host-1", 0, "d1", Basis::created), changed = defined("host-2", 2, "d2");
    changed.schedule = {"0 4 * * *", "@hourly"};
    changed.retries = 2;
    changed.timezone = "Europe/Paris";
    write("host-1", {added});
    write("host-2", {defined("host-2", 1, "d1", Basis::taken_over), changed});
    DefinitionRow after = changed;
    after.node = "host-3", after.from += hours(1), after.epoch += 1, after.basis = Basis::taken_over;
    write("host-3", {after});
  }
};

TEST_F(FleetDefinitions, AreOneEachWithTheNodesAndTheKeysThatChanged) {
  write_a_change();
  EXPECT_EQ(shown_by(*fleet(), asked_shown()),
            (Texts{"backup changed on host-2 host-3: schedule: 0 2 * * * -> 0 4 * * *; @hourly, timezone: UTC -> "
                   "Europe/Paris, retries: 0 -> 2, and perhaps other keys, of which the ledger keeps no values",
                   "backup added on host-1 host-2: schedule: 0 2 * * *"}));
}

TEST_F(FleetDefinitions, OfAJobThatComesAfterOthersSaySoInWords) {
  const auto chained = [](int hour, const std::string& after) {
    DefinitionRow row = defined("host-1", hour, "d" + std::to_string(hour), hour ? Basis::defined : Basis::created);
    row.schedule.push_back(after);
    return row;
  };
  write("host-1",
        {chained(0, "@after extract,clean succeeded, as extract"), chained(1, "@after clean failed, as clean"),
         chained(2, "@after extract,clean ended"), chained(3, "@after extract sometime")});
  const auto texts = shown_by(*fleet(), asked_shown());
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_EQ(texts[3], "backup added on host-1: schedule: 0 2 * * *; after extract, clean");
  const auto is_said = [&](std::size_t place, const std::string& text) {
    return texts[place].find("-> 0 2 * * *; " + text + ", and") != std::string::npos;
  };
  EXPECT_TRUE(is_said(2, "after clean has failed")) << texts[2];
  EXPECT_TRUE(is_said(1, "after extract, clean have ended, at times of its own")) << texts[1];
  EXPECT_TRUE(is_said(0, "@after extract sometime")) << texts[0] << ": a newer version's";
}

TEST_F(FleetDefinitions, WhoseLedgerDoesNotAnswerHaveBegunAtTheLatestWhenAnotherNodeTookTheJobOver) {
  write("host-1", {defined("host-1", 0, "d1", Basis::created), defined("host-1", 4, "d2", Basis::taken_over)});
  write("host-2", {defined("host-2", 1, "d1", Basis::taken_over), defined("host-2", 2, "d2")});
  write("host-3", {defined("host-3", 4, "d2", Basis::taken_over)});
  const auto newest = [&] { return answer_question(*fleet(), asked_shown())->objects("definitions").at(0); };
  EXPECT_EQ(newest().text("at"), format_millis(noon + hours(2)));
  EXPECT_EQ(newest().flag("at_latest"), false);
  silent = {"host-2"};
  EXPECT_EQ(newest().text("at"), format_millis(noon + hours(4)));
  EXPECT_EQ(newest().flag("at_latest"), true);
  EXPECT_EQ(newest().text("text"),
            "other keys, of which the ledger keeps no values; when is not known: by then at the latest");
}

TEST_F(FleetDefinitions, OfOtherKeysSayThatTheirValuesAreNotKept) {
  write("host-1", {defined("host-1", 0, "d1", Basis::created), defined("host-1", 1, "d2"), defined("host-1", 2, "")});
  EXPECT_EQ(shown_by(*fleet(), asked_shown()),
            (Texts{"backup removed on host-1: no file defines it",
                   "backup changed on host-1: other keys, of which the ledger keeps no values",
                   "backup added on host-1: schedule: 0 2 * * *"}));
}

TEST_F(FleetDefinitions, NameTheOtherKeysWhoseWordsDiffer) {
  const auto with_keys = [](int hour, const std::string& node, const std::string& keys) {
    DefinitionRow row = defined(node, hour, "d" + std::to_string(hour), hour == 0 ? Basis::created : Basis::defined);
    row.keys = keys;
    return row;
  };
  DefinitionRow retried = with_keys(2, "host-1", "command=2 retries=1 schedule=1");
  retried.retries = 2;
  write("host-1", {with_keys(0, "host-1", "command=1 groups=1 schedule=1"),
                   with_keys(1, "host-1", "command=2 env=1 groups=2 schedule=1"), retried});
  write("host-2", {with_keys(3, "host-2", "command=2 groups=7 schedule=1 user=1"), with_keys(4, "host-2", "")});
  const auto texts = shown_by(*fleet(), asked_shown());
  ASSERT_EQ(texts.size(), 5u);
  EXPECT_EQ(texts[3], "backup changed on host-1: command, env, user or groups");
  EXPECT_EQ(texts[2], "backup changed on host-1: retries: 0 -> 2, env, user or groups");
  EXPECT_EQ(texts[0], "backup changed on host-2: other keys, of which the ledger keeps no values");
  const auto answer = answer_question(*fleet(), asked_shown());
  EXPECT_EQ(answer->objects("definitions").at(3).texts("other_keys"), (Texts{"command", "env", "user or groups"}));
}

TEST_F(FleetDefinitions, WhoseKeysNoLedgerHasAreComparedByTheirTimesAlone) {
  DefinitionRow changed = defined("host-1", 2, "d2");
  changed.retries = 7;
  changed.schedule = {"0 9 * * *"};
  write("host-1", {defined("host-1", 1, "d1", Basis::taken_over), changed});
  EXPECT_EQ(
      shown_by(*fleet(), asked_shown()),
      Texts{"backup changed on host-1: schedule: 0 2 * * * -> 0 9 * * *, and perhaps other keys, of which the ledger "
            "keeps no values"});
}

TEST_F(FleetDefinitions, NameANodeThatDoesNotKnowTheQuestionAsOneThatHasNotAnswered) {
  write_a_change();
  lie("host-3", "definitions",
      Error{Errc::invalid,
            "the daemon cannot be asked for 'definitions' of its ledger; it may be older than this "
            "command"});
  silent = {"host-2"};
  const auto ledger = fleet();
  EXPECT_EQ(shown_by(*ledger, asked_shown()), Texts{"backup added on host-1: schedule: 0 2 * * *"});
  EXPECT_EQ(missing(*ledger),
            (Texts{"host-2: it has not answered in time",
                   "host-3: the daemon cannot be asked for 'definitions' of its ledger; it may be older than this "
                   "command"}));
}

TEST_F(FleetDefinitions, ThatCannotBeReadMakeTheirNodeAMissingOne) {
  write_a_change();
  io::Message lie_of_host_2;
  lie("host-2", "definitions", lie_of_host_2.set("definitions", std::vector{io::Message().set("job", "backup")}));
  const auto ledger = fleet();
  EXPECT_EQ(shown_by(*ledger, asked_shown()), Texts{"backup added on host-1: schedule: 0 2 * * *"});
  EXPECT_EQ(missing(*ledger), Texts{"host-2: an answer with an unreadable definition"});
}

TEST_F(FleetDefinitions, GoOnWhereTheirPageEnded) {
  std::vector<storage::Record> records;
  for (int i = 0; i < 5; ++i)
    records.emplace_back(defined("host-1", i / 2, "d", Basis::created, "job-" + std::to_string(i)));
  write("host-1", records);
  write("host-2", {defined("host-2", 1, "e", Basis::created, "others")});
  const Texts all = shown_by(*fleet(), asked_shown());
  EXPECT_EQ(all.size(), 6u);
  Texts paged;
  std::string cursor;
  do {
    io::Message asked = asked_shown().set("limit", std::int64_t{2});
    if (!cursor.empty()) asked.set("cursor", cursor);
    const Texts page = shown_by(*fleet(), asked, &cursor);
    EXPECT_LE(page.size(), 2u);
    paged.insert(paged.end(), page.begin(), page.end());
  } while (!cursor.empty() && paged.size() < 10);
  EXPECT_EQ(paged, all);
}

TEST_F(FleetDefinitions, OfAJobThatNobodyKnowsAreAnError) {
  write_a_change();
  EXPECT_EQ(shown_by(*fleet(), asked_shown().set("jobs", Texts{"nobody's"})),
            Texts{"no job nobody's is loaded here, nor in the ledger of a node that answers"});
  EXPECT_EQ(shown_by(*fleet(), asked_shown().set("jobs", Texts{"backup"})).size(), 2u)
      << "it has no rows, and definitions";
}

TEST_F(FleetDefinitions, ComeOverTheWireAsTheyWere) {
  storage::BegunDefinition one{storage::full_definition(), 12, "", noon - hours(3)};
  const auto read = definition_from(*io::decode(io::encode(to_message(one))));
  ASSERT_TRUE(read);
  one.row.anchors.clear();
  EXPECT_EQ(read->row, one.row);
  EXPECT_EQ(read->written, 12);
  EXPECT_EQ(read->before, "");
  EXPECT_EQ(read->before_from, noon - hours(3));
}

}  // namespace
}  // namespace ballot::library

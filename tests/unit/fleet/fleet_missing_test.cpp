// The fleet's ledger where nodes do not answer, answer what makes no sense, or have lost what is asked of them.
#include "unit/fleet/fleet_of_three.hpp"

namespace ballot::library {
namespace {

TEST_F(Fleet3, ANodeThatDoesNotAnswerIsNamedAndNotAskedAgain) {
  write("host-1", {on("host-1", ran(1))});
  write("host-2", {on("host-2", ran(2, noon + Millis(1)))});
  silent = {"host-2"};
  const auto ledger = fleet();
  EXPECT_EQ(history(*ledger), Texts{"backup 0 succeeded on host-1"});
  EXPECT_TRUE(*ledger->knows_job("backup"));
  EXPECT_EQ(asked["host-2"], 1);
  EXPECT_EQ(missing(*ledger), Texts{"host-2: it has not answered in time"});
  EXPECT_EQ(ledger->missing().front().last_heard, noon);
  silent.clear();
  EXPECT_EQ(history(*fleet()).size(), 2u) << "its rows are back when it is";
  EXPECT_TRUE(missing(*fleet()).empty());
}

TEST_F(Fleet3, TheOutputComesFromTheNodeThatExecutedTheRun) {
  Row row = on("host-2", ran(1));
  row.output_bytes = 5;
  write("host-2", {row, storage::OutputRecord{*row.run, 1, {"hello", "", 5}}});
  write("host-1", {row});
  const auto output = fleet()->output({run_id(1), 1}, 0);
  ASSERT_TRUE(output) << output.error().what;
  EXPECT_EQ(output->piece.bytes, "hello");
  EXPECT_EQ(output->node, "host-2");
  EXPECT_TRUE(output->ended);
  EXPECT_EQ(fleet()->output({run_id(9), 1}, 0).error().code, Errc::not_found);
  silent = {"host-2"};
  EXPECT_EQ(fleet()->output({run_id(1), 1}, 0).error().code, Errc::unavailable);
}

/// Attempt 1 has failed on host-2, which leads, and attempt 2 waits.
TEST_F(Fleet3, TheOutputBetweenTwoAttemptsIsThatOfTheLastOneWhichHasBegun) {
  Row failed = with(on("host-2", ran(1)), Status::failed, Reason::exit_code);
  failed.output_bytes = 4;
  write("host-2", {failed, storage::OutputRecord{*failed.run, 1, {"cold", "", 4}}});
  Row waits = with(on("host-2", ran(1)), Status::queued);
  waits.attempt = 2;
  const auto row = attempt_row(*fleet({waits}), run_id(1), std::nullopt);
  ASSERT_TRUE(row) << row.error().what;
  EXPECT_EQ(said(*row), "backup 0 failed on host-2");
  EXPECT_EQ(fleet({waits})->output({run_id(1), 1}, 0)->piece.bytes, "cold");
  EXPECT_EQ(attempt_row(*fleet({waits}), run_id(1), 2)->status, Status::queued) << "it was asked for";
  const auto waiting = fleet({waits})->output({run_id(1), 2}, 0);
  ASSERT_TRUE(waiting) << waiting.error().what;
  EXPECT_EQ(waiting->place, ShownOutput::Place::here);
  EXPECT_EQ(waiting->total, 0);
  EXPECT_FALSE(waiting->ended);
}

TEST_F(Fleet3, AnOutputThatItsNodeHasNoMoreIsLost) {
  using Place = ShownOutput::Place;
  const Row lost = with(on("host-2", ran(1)), Status::lost, Reason::node_died);
  write("host-1", {lost});
  EXPECT_EQ(fleet()->output({run_id(1), 1}, 0)->place, Place::lost) << "host-2 answers, and its ledger was begun anew";
  Row own = on("host-2", ran(1));
  own.output_bytes = 5;
  write("host-2", {own});
  EXPECT_EQ(fleet()->output({run_id(1), 1}, 0)->place, Place::lost) << "it has the row, and not what was printed";
  EXPECT_EQ(output_from(to_message(ShownOutput{Place::lost, "host-2", {}, 0, true}))->place, Place::lost);
  silent = {"host-2"};
  EXPECT_EQ(fleet()->output({run_id(1), 1}, 0).error().code, Errc::unavailable) << "it may have it";
}

TEST_F(Fleet3, ANodeWhoseAnswerMakesNoSenseIsMissingAndTheOthersAreShown) {
  write("host-1", {on("host-1", ran(1))});
  write("host-3", {on("host-3", ran(3, noon + Millis(3000)))});
  std::string job = "backup";
  lies["host-2"] = [&](const io::Message&) -> Result<io::Message> {
    io::Message row, answer;
    row.set("slot", std::int64_t{5}).set("trigger", std::string("schedule")).set("status", std::string("succeeded"));
    row.set("job", job);
    return answer.set("rows", std::vector{row, row}).set("next", std::vector{io::Message()});
  };
  const auto ledger = fleet();
  EXPECT_EQ(history(*ledger), (Texts{"backup 3000 succeeded on host-3", "backup 0 succeeded on host-1"}));
  EXPECT_EQ(missing(*ledger), Texts{"host-2: its rows come in no order"});
  job.clear();
  EXPECT_EQ(history(*fleet()).size(), 2u) << "a row of no job";
  lies["host-2"] = [](const io::Message&) -> Result<io::Message> {
    io::Message row, answer;
    return answer.set("rows", std::vector{row.set("status", std::string("?"))});
  };
  EXPECT_EQ(history(*fleet()).size(), 2u);
  EXPECT_EQ(fleet()->at("backup", noon)->size(), 1u);
}

TEST_F(Fleet3, ARunThatNobodyHasIsNotDeniedWhileANodeIsMissing) {
  const auto ask = [this](LedgerView& ledger) {
    return answer_shown(ledger, io::Message().set("ask", std::string("run")).set("run", run_id(1).text()), noon)
        .error();
  };
  EXPECT_EQ(ask(*fleet()).code, Errc::not_found);
  silent = {"host-3"};
  const Error error = ask(*fleet());
  EXPECT_EQ(error.code, Errc::unavailable);
  EXPECT_NE(error.what.find("host-3 (it has not answered in time)"), std::string::npos) << error.what;
  Row open = with(on("host-3", ran(1)), Status::claimed);
  open.run.reset();
  EXPECT_EQ(ask(*fleet({open})).code, Errc::unavailable);
}

TEST_F(Fleet3, AnAttemptThatNobodyHasIsNotDeniedWhileANodeIsMissing) {
  write("host-1", {on("host-1", ran(1))});
  EXPECT_EQ(attempt_row(*fleet(), run_id(1), 2).error().code, Errc::not_found);
  silent = {"host-3"};
  const auto ledger = fleet();
  EXPECT_EQ(attempt_row(*ledger, run_id(1), std::nullopt)->status, Status::succeeded);
  const Error error = attempt_row(*ledger, run_id(1), 2).error();
  EXPECT_EQ(error.code, Errc::unavailable);
  EXPECT_NE(error.what.find("host-3"), std::string::npos) << error.what;
}

TEST_F(Fleet3, AJobThatNobodyKnowsIsAnErrorAndNoEmptyHistory) {
  write("host-2", {on("host-2", ran(1, noon, "removed")), on("host-2", ran(2, noon, "each@host-2"))});
  const auto ask = [this](const std::string& call, const Texts& jobs, const Texts& defined) {
    io::Message asked = io::Message().set("ask", call).set("jobs", jobs).set("defined", defined);
    const auto answer = answer_shown(*fleet(), asked, noon);
    return answer ? std::to_string(answer->objects("rows").size()) : answer.error().what;
  };
  EXPECT_EQ(ask("history", {"removed", "each@host-2"}, {}), "2");
  EXPECT_EQ(ask("history", {"new", "each"}, {"new"}), "0") << "that they have no rows is an answer";
  for (const char* const call : {"history", "summary"}) {
    EXPECT_EQ(ask(call, {"removed", "nope"}, {}),
              "no job nope is loaded here, nor in the ledger of a node that answers");
    silent = {"host-3"};
    EXPECT_EQ(ask(call, {"nope"}, {}),
              "no job nope is loaded here, nor in the ledger of a node that answers; these have not answered: host-3 "
              "(it has not answered in time)");
    EXPECT_EQ(ask(call, {"removed"}, {}).substr(0, 2), std::string(call) == "history" ? "1" : "0");
    silent.clear();
  }
}

TEST_F(Fleet3, ANodeThatNobodyKnowsIsAnErrorAndNoEmptyHistory) {
  RequestRow request;
  request.id = run_id(5), request.kind = "trigger", request.job = "backup", request.node = "asked", request.at = noon;
  write("host-2", {on("gone", ran(1)), request});
  const auto ask = [this](const std::string& call, const Texts& nodes) {
    const auto answer = answer_shown(*fleet(), io::Message().set("ask", call).set("nodes", nodes), noon);
    return answer ? "" : answer.error().what;
  };
  for (const char* const call : {"history", "summary", "requests"}) {
    EXPECT_EQ(ask(call, {"host-1", "host-3", "gone", "asked"}), "") << "in the fleet, or in a ledger";
    EXPECT_EQ(ask(call, {"hsot-3"}),
              "no node hsot-3 is in the fleet that this node knows, nor in the ledger of a node that answers; did you "
              "mean 'host-3'?");
    silent = {"host-3"};
    EXPECT_EQ(ask(call, {"host-3"}), "") << "it is a node of the fleet all the same";
    EXPECT_EQ(ask(call, {"hsot-3"}),
              "no node hsot-3 is in the fleet that this node knows, nor in the ledger of a node that answers; these "
              "have not answered: host-3 (it has not answered in time); did you mean 'host-3'?");
    silent.clear();
  }
}

TEST_F(Fleet3, OnlyThatThereIsNoSuchRunOutputOrNameIsAnAnswer) {
  write("host-1", {on("host-1", ran(1))});
  for (const Errc code : {Errc::invalid, Errc::not_found, Errc::unavailable, Errc::refused}) {
    lies["host-2"] = [=](const io::Message&) -> Result<io::Message> { return Error{code, "it says no"}; };
    const auto rows = fleet();
    EXPECT_EQ(history(*rows), Texts{"backup 0 succeeded on host-1"});
    EXPECT_EQ(missing(*rows), Texts{"host-2: it says no"}) << static_cast<int>(code);
    const auto names = fleet();
    EXPECT_FALSE(*names->knows_group("weekly"));
    EXPECT_EQ(missing(*names), code == Errc::not_found ? Texts() : Texts{"host-2: it says no"});
  }
}

TEST_F(Fleet3, AnAnswerThatCannotBeReadLosesItsNodeAndNotTheWhole) {
  Row row = on("host-1", ran(1));
  write("host-1", {row, storage::OutputRecord{*row.run, 1, {"hello", "", 5}},
                   TermRow{"nightly", "host-1", 8, noon, std::nullopt, Cause::none}});
  const io::Message strange = io::Message().set("x", std::int64_t{1});
  lie("host-2", "output", strange);
  auto ledger = fleet();
  const auto output = ledger->output({run_id(1), 1}, 0);
  ASSERT_TRUE(output) << output.error().what;
  EXPECT_EQ(output->piece.bytes, "hello");
  EXPECT_EQ(missing(*ledger).size(), 1u);

  lie("host-2", "terms", io::Message().set("terms", std::vector{strange}));
  ledger = fleet();
  const auto terms = ledger->terms("nightly");
  ASSERT_TRUE(terms) << terms.error().what;
  EXPECT_EQ(terms->size(), 1u);
  EXPECT_EQ(missing(*ledger).size(), 1u);

  lie("host-2", "audit", io::Message().set("findings", std::vector{strange}).set("totals", std::vector{strange}));
  ledger = fleet();
  const auto audit = ledger->audit({}, {});
  ASSERT_TRUE(audit) << audit.error().what;
  EXPECT_EQ(audit->totals.size(), 1u);
  EXPECT_EQ(missing(*ledger).size(), 1u);

  lie("host-2", "requests", io::Message().set("requests", std::vector{strange}));
  ledger = fleet();
  EXPECT_TRUE(ledger->requests({}, [](const RequestRow&) { return true; }));
  EXPECT_EQ(missing(*ledger).size(), 1u);

  lie("host-2", "evidence", io::Message().set("rows", std::vector{strange}));
  ledger = fleet();
  EXPECT_EQ(history(*ledger).size(), 1u);
  EXPECT_EQ(missing(*ledger).size(), 1u);
}

TEST_F(Fleet3, RowsThatWereNotAskedForLoseTheirNode) {
  write("host-1", {on("host-1", ran(1))});
  const io::Message other = to_message(on("host-2", ran(2, noon, "trim")));
  lie("host-2", "history", io::Message().set("rows", std::vector{io::Message(other).set("id", std::int64_t{1})}));
  auto ledger = fleet();
  EXPECT_EQ(history(*ledger, {.jobs = {"backup"}}), Texts{"backup 0 succeeded on host-1"});
  EXPECT_EQ(missing(*ledger), Texts{"host-2: it answers with a row that was not asked for"});
  lie("host-2", "rows_of", io::Message().set("rows", std::vector{other}));
  ledger = fleet();
  const auto rows = ledger->rows_of({key_of(ran(1))});
  ASSERT_TRUE(rows) << rows.error().what;
  EXPECT_EQ(rows->size(), 1u);
}

TEST_F(Fleet3, ANodeThatClaimsWhatThisOneHasExecutedIsNotBelieved) {
  const Row row = on("host-1", ran(1));
  write("host-1", {row, TermRow{"nightly", "host-1", 8, noon, std::nullopt, Cause::none}});
  Row claimed = on("host-2", with(row, Status::failed, Reason::exit_code));
  claimed.epoch = std::uint64_t{1} << 62;
  write("host-2", {claimed});
  write("host-2", {TermRow{"nightly", "host-2", 8, noon + Millis(5), std::nullopt, Cause::none}});
  const auto ledger = fleet();
  EXPECT_EQ(history(*ledger), Texts{"backup 0 succeeded on host-1"});
  EXPECT_EQ(said(ledger->at("backup", noon)->front()), said(row));
  EXPECT_EQ(said(ledger->last_rows({"backup"})->front()), said(row));
  EXPECT_EQ(ledger->terms("nightly")->front().node, "host-1");
}

TEST_F(Fleet3, NumbersThatCannotBeLoseTheirNode) {
  write("host-1", {on("host-1", ran(1))});
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const char* name : {"slots", "epoch", "fence", "output_bytes", "duration_ms"})
    for (const std::int64_t number : {std::int64_t{-1}, -most}) {
      const io::Message row = to_message(on("host-2", ran(2))).set("id", std::int64_t{1}).set(name, number);
      lie("host-2", "history", io::Message().set("rows", std::vector{row}));
      const auto ledger = fleet();
      EXPECT_EQ(history(*ledger).size(), 1u);
      EXPECT_EQ(missing(*ledger).size(), 1u) << name << number;
    }
  for (const std::int64_t number : {std::int64_t{-1}, most}) {
    const io::Message total = io::Message().set("status", "failed").set("count", number);
    for (const io::Message& lies :
         {io::Message().set("totals", std::vector{total}), io::Message().set("finding_count", number)}) {
      lie("host-2", "audit", lies);
      const auto ledger = fleet();
      EXPECT_EQ(ledger->audit({}, {})->finding_count, 0);
      EXPECT_EQ(missing(*ledger).size(), 1u) << number;
    }
  }
}

TEST_F(Fleet3, ARunThatWasNotAskedForIsNobodysAnswer) {
  write("host-1", {on("host-1", ran(1))});
  lie("host-2", "find_run", io::Message().set("runs", Texts{run_id(2).text()}));
  const auto ledger = fleet();
  std::string upper = run_id(1).text();
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  EXPECT_EQ(*ledger->find_run(upper), std::vector{run_id(1)});
  EXPECT_EQ(missing(*ledger), Texts{"host-2: it answers with a run that was not asked for"});
}

TEST_F(Fleet3, OfTwoThatClaimToHaveExecutedARunTheOneCountsThatItsRowNames) {
  Row row = on("host-3", ran(1));
  row.output_bytes = 5;
  write("host-3", {row, storage::OutputRecord{*row.run, 1, {"hello", "", 5}}});
  const auto claim = [](const std::string& node) {
    return to_message(ShownOutput{ShownOutput::Place::here, node, {0, "a lie"}, 5, true});
  };
  for (const char* node : {"host-2", "host-3"}) {
    lie("host-2", "output", claim(node));
    const auto output = fleet()->output({run_id(1), 1}, 0);
    ASSERT_TRUE(output) << output.error().what;
    EXPECT_EQ(output->piece.bytes, "hello") << "host-2 claims it of " << node;
  }
  write("host-1", {row});
  silent = {"host-3"};
  for (const char* node : {"host-2", "host-3"}) {
    lie("host-2", "output", claim(node));
    const auto output = fleet()->output({run_id(1), 1}, 0);
    ASSERT_FALSE(output) << "host-2 claims it of " << node;
    EXPECT_EQ(output.error().code, Errc::unavailable);
  }
  write("host-2", {});
  lie("host-2", "output", claim("host-3"));
  EXPECT_FALSE(fleet()->output({run_id(9), 1}, 0)) << "no row of it is anywhere";
}

TEST_F(Fleet3, AQuestionAsksSoManyNodesAndNamesTheOthers) {
  write("host-3", {on("host-3", ran(3))});
  const auto ledger = fleet({}, {.nodes = 1});
  EXPECT_EQ(history(*ledger), Texts());
  EXPECT_EQ(asked["host-3"], 0);
  ASSERT_EQ(missing(*ledger).size(), 1u);
  EXPECT_NE(missing(*ledger).front().find("host-3: a question asks no more than 1"), std::string::npos);
}

TEST_F(Fleet3, ALedgerThatTakesNoRowsIsNamedAndDeniesNoRun) {
  LedgerPlace full = place("host-1");
  full.trouble = [] { return MissingNode{"host-1", noon, "its disk is full", "ledger"}; };
  const auto own = FileLedger::open(full);
  EXPECT_EQ(missing(**own), Texts{"host-1: its disk is full"});
  EXPECT_EQ(attempt_row(**own, run_id(9), std::nullopt).error().code, Errc::unavailable);
}

TEST_F(Fleet3, ANodeWhoseLedgerTakesNoRowsIsNamedBesideItsRows) {
  write("host-2", {on("host-2", ran(2))});
  for (const char* named : {"host-2", "host-3"}) {
    lies["host-2"] = [&](const io::Message& question) {
      auto says = *answer_question(**FileLedger::open(place("host-2")), question);
      says.set("missing", std::vector{to_message(MissingNode{named, noon, "its disk is full", "ledger"})});
      return Result<io::Message>(says);
    };
    const auto ledger = fleet();
    EXPECT_EQ(history(*ledger), Texts{"backup 0 succeeded on host-2"});
    const bool is_own = std::string_view(named) == "host-2";
    EXPECT_EQ(missing(*ledger), is_own ? Texts{"host-2: its disk is full"} : Texts()) << "of itself only";
  }
}

TEST_F(Fleet3, OfManyMissingNodesASentenceNamesFive) {
  std::vector<MissingNode> nodes;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) nodes.push_back({name, std::nullopt, "silent"});
  EXPECT_EQ(text_of(nodes), "a (silent), b (silent), c (silent), d (silent), e (silent) and 2 more");
}

TEST_F(Fleet3, AQuestionWhoseKeysCannotBeReadIsInvalidAndNoFaultOfTheLedger) {
  const auto own = FileLedger::open(place("host-1"));
  io::Message key = to_message(RowKey{.job = "backup", .slot = noon, .until = noon});
  key.set("slot", std::string("noon"));
  io::Message asked = question("rows_of");
  const auto answer = answer_question(**own, asked.set("keys", std::vector{key}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::invalid) << answer.error().what;
}

TEST_F(Fleet3, NoRoundIsBegunOnceAQuestionTakesTooLong) {
  write("host-1", {on("host-1", ran(1))});
  write("host-2", {on("host-2", ran(2, noon + Millis(1)))});
  const auto ledger = fleet({}, {.patience = Millis(0)});
  EXPECT_EQ(history(*ledger), Texts{"backup 0 succeeded on host-1"}) << "the first round was that of the evidence";
  EXPECT_EQ(asked["host-2"], 1);
  EXPECT_EQ(missing(*ledger).size(), 2u);
}

}  // namespace
}  // namespace ballot::library

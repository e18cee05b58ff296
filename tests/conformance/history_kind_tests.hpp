// Of the conformance suite of histories: everything that ledgers hand on, beside rows, and that all of it comes back.
#pragma once

#include "conformance/history_fixture.hpp"

namespace ballot::conformance {

inline TermRow history_term(std::uint64_t epoch, const std::string& node = "host-1", bool ended = false) {
  TermRow term{"nightly", node, epoch, history_noon() + std::chrono::hours(epoch), std::nullopt, Cause::none};
  if (!ended) return term;
  term.ended_at = term.elected_at + 1h;
  term.cause = Cause::resigned;
  return term;
}

inline KeptDefinition history_definition(std::int64_t written) {
  KeptDefinition kept;
  DefinitionRow& row = kept.row;
  row.job = "backup";
  row.group = "nightly";
  row.node = "host-1";
  row.from = history_noon();
  row.epoch = 9;
  row.before = 6;
  row.basis = Basis::defined;
  row.digest = "d1";
  row.schedule = {"0 3 * * *", "@every 5m"};
  row.anchors = {history_noon() + 1s, history_noon() + 2s};
  row.timezone = "Europe/Berlin";
  row.not_before = history_noon() - 24h;
  row.jitter = 5s;
  row.start_deadline = 60s;
  row.concurrency = Concurrency::queue;
  row.retries = 3;
  row.at_least_once = true;
  row.reruns = true;
  kept.first_epoch = 7;
  kept.written = written;
  kept.renewed = written + 1;
  return kept;
}

inline PauseRow history_pause_with_terms(const std::string& job) {
  PauseRow pause{job, "nightly", "host-1", history_noon(), std::nullopt, "host-1 uid 0"};
  pause.ends = history_noon() + 2h;
  pause.reason = "disks are changed";
  return pause;
}

inline PauseRow history_pause(const std::string& job, const std::string& by, std::optional<Millis> length = {}) {
  PauseRow pause{job, "nightly", "host-1", history_noon(), std::nullopt, by};
  pause.change = 3;
  if (length) pause.until = pause.from + *length;
  return pause;
}

inline RequestRow history_request(int number, const std::string& kind = "trigger", const std::string& result = "") {
  RequestRow row;
  row.id = history_id(number);
  row.kind = kind;
  row.job = "backup";
  row.node = "host-1";
  row.at = history_noon() + std::chrono::seconds(number);
  row.by = "host-1 uid 1000";
  if (result.empty()) return row;
  row.result = result;
  row.text = "why";
  row.answered_at = row.at + 20ms;
  return row;
}

TEST_P(HistoryConformance, ChangesGivesBackWhatWasPut) {
  DefinitionRow plain;
  plain.job = "backup", plain.group = "nightly", plain.node = "host-1", plain.from = history_noon(), plain.epoch = 1;
  RequestRow kill = history_request(5, "kill", "done");
  kill.run = history_id(1);
  const std::vector<What> things{LedgerRow{history_run(1), 1},
                                 OutputRow{history_id(1), 1, {std::string("a\0\xff", 3), "tail", 4000}},
                                 history_term(3),
                                 history_term(2, "host-2", true),
                                 history_definition(5),
                                 KeptDefinition{plain, 1, 6, 6},
                                 history_pause("backup", "host-1 uid 0"),
                                 history_pause("", "", 1h),
                                 history_pause_with_terms("swept"),
                                 history_request(4),
                                 kill,
                                 LedgerRow{history_slot(2), 2}};
  const LedgerBatch batch = next_batch(1, "host-1", things);
  ASSERT_TRUE(sender_->put(batch));
  put(2, "host-2", {LedgerRow{history_run(7, "other", "host-2"), 1}});
  const auto all = value(reader_->changes(ledger(1), 0, 1'000));
  EXPECT_EQ(all_said(all.changes), all_said(batch.changes));
  EXPECT_EQ(all.node, "host-1");
  EXPECT_EQ(all.last, batch.last);
  Texts paged;
  for (std::int64_t after = 0; after < batch.last;) {
    const auto page = value(reader_->changes(ledger(1), after, 3));
    ASSERT_LE(page.changes.size(), 3u);
    ASSERT_GT(page.last, after);
    EXPECT_EQ(page.after, after);
    for (const std::string& text : all_said(page.changes)) paged.push_back(text);
    after = page.last;
  }
  EXPECT_EQ(paged, all_said(batch.changes));
  EXPECT_EQ(reader_->changes(ledger(3), 0, 10).error().code, Errc::not_found);
}

TEST_P(HistoryConformance, OfEachKindTheLastChangeIsKept) {
  put(1, "host-1",
      {history_term(3), history_definition(2), history_pause("backup", "a"), history_request(4),
       OutputRow{history_id(1), 1, {"one", "", 3}}});
  KeptDefinition renewed = history_definition(2);
  renewed.row.epoch = 12;
  renewed.renewed = 8;
  const std::vector<What> later{history_term(3, "host-1", true), renewed, history_pause("backup", "a", 1h),
                                history_request(4, "trigger", "done"), OutputRow{history_id(1), 1, {"two", "", 3}}};
  LedgerBatch batch = next_batch(1, "host-1", later);
  ASSERT_TRUE(sender_->put(batch));
  EXPECT_EQ(all_said(value(reader_->changes(ledger(1), 0, 100)).changes), all_said(batch.changes));
}

TEST_P(HistoryConformance, PartialOutputIsThereUntilTheAttemptsOwnIs) {
  EXPECT_FALSE(value(reader_->output(history_id(1), 1)));
  const auto put_partial = [&](const std::string& text) {
    LedgerBatch batch = next_batch(1, "host-1", {});
    batch.partial.push_back({history_id(1), 1, {text, "", std::ssize(text)}});
    ASSERT_TRUE(sender_->put(batch));
  };
  for (const std::string text : {"on", "one, t"}) {
    put_partial(text);
    const auto found = value(reader_->output(history_id(1), 1));
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->is_partial);
    EXPECT_EQ(found->output.head, text);
    EXPECT_EQ(found->ledger, "host-1");
    EXPECT_NE(found->stored_at, WallTime{});
  }
  EXPECT_TRUE(value(reader_->changes(ledger(1), 0, 10)).changes.empty()) << "it is no change of the ledger";
  put(1, "host-1", {OutputRow{history_id(1), 1, {"one, two", "three", 80}}});
  put_partial("one, t");
  const auto found = value(reader_->output(history_id(1), 1));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_partial);
  EXPECT_EQ(said(found->output), said(Output{"one, two", "three", 80}));
  EXPECT_FALSE(value(reader_->output(history_id(1), 2)));
}

TEST_P(HistoryConformance, TermsAreNewestFirstAndEachOnce) {
  TermRow elsewhere = history_term(4, "host-2");  // host-1 does not know that it has ended
  put(1, "host-1", {history_term(3, "host-1", true), elsewhere, history_term(5)});
  put(2, "host-2", {history_term(4, "host-2", true)});
  TermRow other = history_term(9);
  other.group = "hourly";
  put(2, "host-2", {other});
  EXPECT_EQ(all_said(value(reader_->terms("nightly", 10))),
            all_said(std::vector<TermRow>{history_term(5), history_term(4, "host-2", true),
                                          history_term(3, "host-1", true)}));
  EXPECT_EQ(value(reader_->terms("nightly", 1)).size(), 1u);
  EXPECT_TRUE(value(reader_->terms("weekly", 10)).empty());
}

TEST_P(HistoryConformance, NamesAreThoseOfRowsDefinitionsAndTerms) {
  Row each = history_run(1, "rotate@host-1");
  each.group = "logs@host-1";
  KeptDefinition defined = history_definition(2);
  defined.row.job = "defined";
  defined.row.group = "planned";
  TermRow term = history_term(1);
  term.group = "led@host-9";
  put(1, "host-1", {LedgerRow{each, 1}, defined, term, LedgerRow{history_run(2), 2}});
  using Names = std::vector<std::string>;
  EXPECT_EQ(sorted(value(reader_->known_jobs({"backup", "defined", "nightly", "none", "host-1"}))),
            (Names{"backup", "defined"}));
  EXPECT_EQ(sorted(value(reader_->known_groups({"nightly", "planned", "led@host-9", "backup", "none"}))),
            (Names{"led@host-9", "nightly", "planned"}));
  EXPECT_EQ(value(reader_->instances_of("rotate")), Names{"rotate@host-1"});
  EXPECT_EQ(value(reader_->instances_of("logs")), Names{"logs@host-1"});
  EXPECT_EQ(value(reader_->instances_of("led")), Names{"led@host-9"});
  EXPECT_TRUE(value(reader_->instances_of("rot")).empty());
  EXPECT_EQ(sorted(value(reader_->jobs_of({"planned", "logs@host-1"}))), (Names{"defined", "rotate@host-1"}));
  EXPECT_TRUE(value(reader_->jobs_of({})).empty());
}

TEST_P(HistoryConformance, RequestsAreNewestFirstInPages) {
  std::vector<What> things;
  Texts expected;
  for (int i = 1; i <= 7; ++i) {
    RequestRow request = history_request(i, "trigger", "done");
    request.at = history_noon() + std::chrono::seconds(i / 3);  // some at the same time
    request.run = request.id;
    things.push_back(request);
    expected.insert(expected.begin(), said(request));
  }
  put(1, "host-1", things);
  EXPECT_EQ(all_said(value(reader_->requests({}))), expected);
  Texts paged;
  for (std::optional<RequestPosition> after; paged.size() < expected.size();) {
    const auto page = value(reader_->requests({.after = after, .limit = 2}));
    ASSERT_FALSE(page.empty());
    for (const RequestRow& one : page) paged.push_back(said(one));
    after = RequestPosition{page.back().at, page.back().id};
  }
  EXPECT_EQ(paged, expected);
}

TEST_P(HistoryConformance, RequestsAreFiltered) {
  RequestRow of_group = history_request(1, "pause");
  of_group.job = "", of_group.group = "nightly", of_group.node = "host-2",
  of_group.by = "host-2 token ci from 10.0.0.7";
  RequestRow kill = history_request(2, "kill", "done");
  kill.run = history_id(77);
  RequestRow other = history_request(3);
  other.job = "other";
  put(1, "host-1", {of_group, kill, other, LedgerRow{history_run(9), 1}});
  const auto found = [&](const RequestFilter& filter) {
    std::string kinds;
    for (const RequestRow& one : value(reader_->requests(filter))) kinds += one.kind + " ";
    return kinds;
  };
  EXPECT_EQ(found({}), "trigger kill pause ");
  EXPECT_EQ(found({.jobs = {"backup"}}), "kill pause ") << "those of its group too";
  EXPECT_EQ(found({.jobs = {"other", "none"}}), "trigger ");
  EXPECT_EQ(found({.jobs = {"backup", "other", "none"}}), "trigger kill pause ");
  EXPECT_EQ(found({.groups = {"nightly"}}), "kill pause ") << "those of its jobs too";
  EXPECT_EQ(found({.nodes = {"host-2"}}), "pause ");
  EXPECT_EQ(found({.kinds = {"kill", "pause"}}), "kill pause ");
  EXPECT_EQ(found({.by = "token ci"}), "pause ");
  EXPECT_EQ(found({.by = "uid 100"}), "") << "whole words";
  EXPECT_EQ(found({.run = history_id(77)}), "kill ");
  EXPECT_EQ(found({.run = history_id(3)}), "trigger ");
  EXPECT_EQ(found({.since = history_noon() + 2s}), "trigger kill ");
  EXPECT_EQ(found({.until = history_noon() + 2s}), "pause ");
  EXPECT_EQ(found({.jobs = {"other"}, .kinds = {"pause"}}), "");
  EXPECT_EQ(found({.limit = 1}), "trigger ");
}

TEST_P(HistoryConformance, ARequestOfSeveralLedgersIsGivenOnceWithWhatCameOfIt) {
  RequestRow expired = history_request(1, "trigger", "expired");
  expired.node = "host-2";
  expired.at -= 1s;
  put(2, "host-2", {expired});
  put(1, "host-1", {history_request(1, "trigger", "done")});
  put(3, "host-3", {history_request(1)});
  EXPECT_EQ(all_said(value(reader_->requests({}))), Texts{said(history_request(1, "trigger", "done"))});
  EXPECT_TRUE(value(reader_->requests({.nodes = {"host-2"}})).empty());
}

TEST_P(HistoryConformance, RowsNameWhoAsked) {
  Row triggered = history_run(1);
  triggered.trigger = Trigger::manual;
  triggered.status = Status::killed;
  triggered.reason = Reason::operator_;
  Row forgotten = history_run(2);
  forgotten.status = Status::lost;
  forgotten.reason = Reason::forgotten;
  RequestRow trigger = history_request(1), kill = history_request(31, "kill"), forget = history_request(32, "forget");
  trigger.env = "DAY=2026-01-01 NOTE=two%20words";
  kill.run = history_id(1), kill.by = "host-3 uid 0";
  forget.run = history_id(2), forget.by = "host-4 token ci";
  put(1, "host-1", {LedgerRow{triggered, 1}, LedgerRow{forgotten, 2}, LedgerRow{history_run(3), 3}});
  put(2, "host-2", {trigger, kill, forget});
  const auto page = all_rows();
  ASSERT_EQ(page.size(), 3u);
  EXPECT_EQ(page[2].row.triggered_by + ", " + page[2].row.ended_by, "host-1 uid 1000, host-3 uid 0");
  EXPECT_EQ(page[2].row.env, trigger.env);
  EXPECT_EQ(page[1].row.triggered_by + ", " + page[1].row.ended_by, ", host-4 token ci");
  EXPECT_EQ(page[1].row.env, "");
  for (const RequestRow& one : value(reader_->requests({})))
    EXPECT_EQ(one.env, one.kind == "trigger" ? trigger.env : "");
  EXPECT_EQ(page[0].row.triggered_by + page[0].row.ended_by, "");
  EXPECT_EQ(value(reader_->rows_of({{.run = history_id(1), .attempt = 1}})).at(0).row.ended_by, "host-3 uid 0");
  EXPECT_EQ(value(reader_->last_rows({"backup"})).size(), 1u);
}

TEST_P(HistoryConformance, RowsNameWhoPausedAndWhoResumed) {
  const auto skipped = [](int number, const std::string& job) {
    Row row = history_slot(number, job);
    row.status = Status::skipped;
    row.reason = Reason::paused;
    return row;
  };
  RequestRow resume = history_request(600, "resume", "done");
  resume.by = "host-2 uid 7";
  put(1, "host-1",
      {LedgerRow{skipped(10, "backup"), 1}, LedgerRow{skipped(20, "other"), 2}, LedgerRow{skipped(700, "backup"), 3},
       history_pause("backup", "host-1 uid 5"), history_pause("", "host-1 uid 6")});
  put(2, "host-2", {history_pause("backup", "host-1 uid 5", 600s), resume});
  const auto page = all_rows();
  ASSERT_EQ(page.size(), 3u);
  EXPECT_EQ(page[2].row.paused_by + ", " + page[2].row.resumed_by, "host-1 uid 5, host-2 uid 7") << "its own pause";
  EXPECT_EQ(page[1].row.paused_by + ", " + page[1].row.resumed_by, "host-1 uid 6, ") << "its group's, which goes on";
  EXPECT_EQ(page[0].row.paused_by + ", " + page[0].row.resumed_by, "host-1 uid 6, ") << "after its own has ended";
}

TEST_P(HistoryConformance, RowsSayUntilWhenTheirPauseWasToBeAndWhy) {
  Row first = history_slot(10, "backup"), second = history_slot(700, "backup");
  first.status = second.status = Status::skipped;
  first.reason = second.reason = Reason::paused;
  PauseRow seen = history_pause("backup", "host-1 uid 5"), ended = history_pause("backup", "host-1 uid 5", 600s);
  seen.ends = ended.ends = history_noon() + 600s;
  seen.reason = ended.reason = "disks are changed";
  RequestRow resume = history_request(600, "resume", "done");
  put(1, "host-1", {LedgerRow{first, 1}, LedgerRow{second, 2}, seen});
  auto page = all_rows();
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[1].row.paused_at, history_noon());
  EXPECT_EQ(page[1].row.pause_ends, seen.ends);
  EXPECT_EQ(page[1].row.pause_reason, "disks are changed");
  EXPECT_EQ(page[1].row.resumed_by, "") << "nobody has seen it end";
  EXPECT_EQ(page[0].row.paused_by, "") << "it was over by then";
  put(2, "host-2", {ended, resume});
  page = all_rows();
  EXPECT_EQ(page[1].row.resumed_by, "its end");
  EXPECT_EQ(page[0].row.paused_by, "");
}

}  // namespace ballot::conformance

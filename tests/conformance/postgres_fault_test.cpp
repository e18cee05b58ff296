// The plugin postgresql and its server, where something is not as it should be: rights, passwords, versions, replicas,
// partitions, and a server that ends in the midst of it.
#include <sys/stat.h>

#include <random>
#include <thread>

#include "conformance/history_fixture.hpp"
#include "conformance/postgres_cluster.hpp"
#include "support/servers/tls_files.hpp"

namespace ballot::conformance {
namespace {

using testing::PostgresServer;

const char* const plugin = BALLOT_POSTGRESQL_PLUGIN;

std::vector<std::string> problems_of(const Options& options) {
  std::vector<std::string> texts;
  for (const OptionProblem& one : check_table(options, plugin_info(plugin).traits)) texts.push_back(one.text);
  return texts;
}

LedgerBatch batch_of(const RunId& ledger, std::int64_t after, const std::vector<Row>& rows) {
  LedgerBatch batch{ledger, "host-1", {}, 0, after, after, {}};
  for (const Row& row : rows) {
    ++batch.last;
    batch.changes.push_back({batch.last, LedgerRow{row, batch.last}});
  }
  return batch;
}

Row row_at(int number, WallTime slot) {
  Row row = history_run(number);
  row.slot = slot;
  row.run = history_id(number, slot);
  return row;
}

/// A database of one's own, made by its superuser.
struct PostgresFaults : ::testing::Test {
  std::unique_ptr<History> make(const Options& options, HistoryUse use) { return make_history(plugin, options, use); }
  Options options(const PostgresServer& of, const std::string& user = "ballot") {
    return {{"url", of.url(user)}, {"migrate_user", std::string("postgres")}};
  }
  void migrate(PostgresServer& of) {
    of.ask("CREATE ROLE ballot LOGIN");
    const auto made = make(options(of), HistoryUse::migrate)->migrate();
    ASSERT_TRUE(made) << made.error().what;
  }
  static std::string file_with(const TempFolder& folder, const std::string& text, mode_t mode = 0600) {
    const std::string file = folder.write("password", text);
    ::chmod(file.c_str(), mode);
    return file;
  }

  const RunId ledger = history_id(1'000'001);
};

TEST(PostgresSettings, APasswordInAUrlIsRefusedAndNotRepeated) {
  for (const std::string url :
       {"postgresql://ballot:geheim@db/x", "postgresql://ballot@db/x?password=geheim",
        "postgresql://ballot@db/x?sslpassword=geheim", "postgresql://ballot:geheim@db:port:x/%zz"}) {
    const auto texts = problems_of({{"url", url}});
    ASSERT_EQ(texts.size(), 1u) << url;
    EXPECT_EQ(texts[0].find("geheim"), std::string::npos) << texts[0];
  }
}

TEST(PostgresSettings, EachKeyIsChecked) {
  const std::string url = "postgresql://ballot@db.example:5432/ballot";
  EXPECT_TRUE(problems_of({{"url", url},
                           {"keep", std::string("400d")},
                           {"keep_output", std::string("36h")},
                           {"read", std::string("local")},
                           {"statement_timeout", std::string("500ms")},
                           {"schema", std::string("ballot_2")},
                           {"tls_ca", std::string("/etc/ssl/db.pem")},
                           {"read_url", std::string("postgresql:///x?host=/run/postgresql")}})
                  .empty());
  EXPECT_EQ(problems_of({}).size(), 1u) << "url is missing";
  EXPECT_EQ(problems_of({{"url", std::string("mysql://db/x")}}).size(), 1u);
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"keep", "1h"},           {"keep", "9"},           {"keep_output", "0d"},       {"read", "all"},
      {"schema", "Ballot"},     {"schema", "pg_ballot"}, {"statement_timeout", "0s"}, {"password_file", "relative"},
      {"read_url", "nonsense"}, {"keep", "99999999999d"}};
  for (const auto& [key, value] : wrong)
    EXPECT_EQ(problems_of({{"url", url}, {key, value}}).size(), 1u) << key << value;
  EXPECT_EQ(problems_of({{"url", url}, {"migrate_password_file", std::string("/x")}}).size(), 1u);
}

TEST_F(PostgresFaults, SeveralServersAreNamedEachWithItsPort) {
  const Options options{{"url", std::string("postgresql://ballot@127.0.0.1:1,127.0.0.1:2/ballot")}};
  const auto line = make(options, HistoryUse::send)->line_of(ledger, "host-1");
  const std::string places = "PostgreSQL at 127.0.0.1:1, 127.0.0.1:2: ";
  EXPECT_TRUE(!line && line.error().what.starts_with(places)) << (line ? "" : line.error().what);
}

TEST_F(PostgresFaults, MissingTablesAreRefusedWithWhatToDo) {
  PostgresServer server;
  server.ask("CREATE ROLE ballot LOGIN");
  for (const HistoryUse use : {HistoryUse::send, HistoryUse::read}) {
    const auto found = make(options(server), use)->line_of(ledger, "host-1");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::refused);
    EXPECT_NE(found.error().what.find("ballot history migrate"), std::string::npos) << found.error().what;
  }
  const auto unknown = make(options(server, "somebody"), HistoryUse::migrate)->migrate();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::refused);
  EXPECT_NE(unknown.error().what.find("CREATE ROLE somebody"), std::string::npos) << unknown.error().what;
  EXPECT_EQ(server.ask("SELECT count(*) FROM pg_namespace WHERE nspname = 'ballot'"), "0") << "nothing is left behind";
  EXPECT_EQ(make(options(server, "nobody"), HistoryUse::send)->ledgers().error().code, Errc::denied);
  const Options elsewhere{{"url", server.url("ballot", "no_such_database")}};
  EXPECT_EQ(make(elsewhere, HistoryUse::send)->ledgers().error().code, Errc::refused);
}

TEST_F(PostgresFaults, TablesThatWereMadeAnewUnderWhoSendsGetAllAgainUnderTheRightNames) {
  PostgresServer server;
  migrate(server);
  const auto first = make(options(server), HistoryUse::send), second = make(options(server), HistoryUse::send);
  const RunId other = history_id(1'000'002);
  ASSERT_TRUE(first->line_of(ledger, "host-1") && second->line_of(other, "host-2"));
  const auto batch_by = [](const RunId& by, const char* node, int number, const char* job) {
    Row row = row_at(number, history_noon());
    row.job = job;
    LedgerBatch batch = batch_of(by, 0, {row});
    batch.node = node;
    return batch;
  };
  ASSERT_TRUE(first->put(batch_by(ledger, "host-1", 1, "a")) && second->put(batch_by(other, "host-2", 2, "b")));
  server.ask("DROP SCHEMA ballot CASCADE");
  ASSERT_TRUE(make(options(server), HistoryUse::migrate)->migrate());
  for (int tries = 0; tries < 3; ++tries) {  // the other way about, so that ids are others
    for (const auto& [sender, which, node, number, job] :
         {std::tuple(second.get(), other, "host-2", 2, "b"), std::tuple(first.get(), ledger, "host-1", 1, "a")}) {
      const auto line = sender->line_of(which, node);
      if (line && line->change == 0) (void)sender->put(batch_by(which, node, number, job));
    }
  }
  const auto rows = make(options(server), HistoryUse::read)->rows({});
  ASSERT_TRUE(rows) << rows.error().what;
  std::map<std::string, std::string> jobs;
  for (const KeptRow& one : *rows) jobs[one.ledger] += one.row.job;
  EXPECT_EQ(jobs, (std::map<std::string, std::string>{{"host-1", "a"}, {"host-2", "b"}}));
}

TEST_F(PostgresFaults, NobodyWhoListensIsUnavailable) {
  const testing::ReservedPort port;
  const Options options{{"url", "postgresql://ballot@127.0.0.1:" + std::to_string(port.number()) + "/postgres"}};
  EXPECT_EQ(make(options, HistoryUse::send)->line_of(ledger, "host-1").error().code, Errc::unavailable);
}

/// What it has counted by then, and what a ballot of that version puts afterwards.
TEST_F(PostgresFaults, TablesOfVersionOneAreUsedAsTheyAreAndBroughtUp) {
  PostgresStore store;
  store.ask(
      "SET search_path = @; DROP FUNCTION count_changed, uncount_days, drop_days, begin_count, clear_count, end_count"
      " CASCADE; DROP TABLE day_runs, counted_day, day_ends, day_left; DROP INDEX rows_runs;"
      " ALTER TABLE pause DROP ends, DROP reason; ALTER TABLE request DROP env; UPDATE meta SET version = 1");
  const auto counted = [&] {
    const auto counts = store.make(HistoryUse::read)->counts({}, CountPer::all, {});
    std::int64_t runs = counts ? 0 : -1;
    for (const RunCount& one : counts ? counts->counts : std::vector<RunCount>()) runs += one.runs;
    return runs;
  };
  const auto sender = store.make(HistoryUse::send);
  ASSERT_TRUE(sender->line_of(ledger, "host-1"));
  ASSERT_TRUE(sender->put(batch_of(ledger, 0, {history_run(1), history_run(2)})));
  EXPECT_EQ(counted(), 2);
  const auto done = store.make(HistoryUse::migrate)->migrate();
  ASSERT_TRUE(done);
  EXPECT_NE(done->front().find("brought from version 1, version 5"), std::string::npos) << done->front();
  ASSERT_TRUE(sender->put(batch_of(ledger, 2, {history_run(3)})));
  EXPECT_EQ(counted(), 3);
  const std::string counts = "SELECT coalesce(sum(runs), 0) FROM @.day_runs";
  store.ask("UPDATE @.rows SET at_once = false WHERE slot = (SELECT min(slot) FROM @.rows)");
  EXPECT_EQ(store.ask(counts), "2");
  store.ask("DELETE FROM @.rows WHERE at_once AND slot = (SELECT max(slot) FROM @.rows)");
  EXPECT_EQ(store.ask(counts), "1");
  store.ask("UPDATE @.meta SET rows_since = (SELECT max(slot) + 86400000 FROM @.rows)");
  EXPECT_EQ(store.ask(counts), "0");
}

TEST_F(PostgresFaults, OfANewerBallotTheTablesAreUsedWhereItSaysSo) {
  PostgresStore store;
  store.ask("UPDATE @.meta SET version = 6");
  EXPECT_TRUE(store.make(HistoryUse::send)->line_of(ledger, "host-1"));
  store.ask("UPDATE @.meta SET compatible_from = 6");
  const auto refused = store.make(HistoryUse::send)->line_of(ledger, "host-1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::refused);
  EXPECT_NE(refused.error().what.find("newer ballot"), std::string::npos) << refused.error().what;
  EXPECT_EQ(store.make(HistoryUse::migrate)->migrate().error().code, Errc::refused);
}

TEST_F(PostgresFaults, ADaemonsRoleMakesAndDeletesNothing) {
  PostgresStore store;
  EXPECT_EQ(store.ask("SELECT has_schema_privilege('ballot', '@', 'CREATE')"), "f");
  EXPECT_EQ(
      store.ask("SELECT bool_or(has_table_privilege('ballot', oid, 'DELETE') OR has_table_privilege('ballot', oid,"
                " 'TRUNCATE')) FROM pg_class WHERE relnamespace = '@'::regnamespace AND relkind IN ('r', 'p')"),
      "f");
  EXPECT_EQ(store.ask("SELECT bool_or(has_function_privilege('public', oid, 'EXECUTE')) FROM pg_proc"
                      " WHERE pronamespace = '@'::regnamespace"),
            "f");
  EXPECT_EQ(store.ask("SELECT count(*) FROM pg_proc WHERE pronamespace = '@'::regnamespace AND prosecdef"
                      " AND NOT 'search_path=@, pg_temp' = ANY(proconfig)"),
            "0");
}

TEST_F(PostgresFaults, PasswordsAreThoseOfTheirFileAndSaidToNobody) {
  PostgresServer server({.rules = "host all ballot 127.0.0.1/32 scram-sha-256"});
  migrate(server);
  server.ask("ALTER ROLE ballot PASSWORD 'geheim'");
  const TempFolder folder;
  Options with = options(server);
  EXPECT_EQ(make(with, HistoryUse::send)->ledgers().error().code, Errc::denied) << "there is none";
  with["password_file"] = file_with(folder, "falsch\n");
  const auto history = make(with, HistoryUse::send);
  const auto wrong = history->ledgers();
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Errc::denied) << wrong.error().what;
  EXPECT_EQ(wrong.error().what.find("falsch"), std::string::npos) << wrong.error().what;
  file_with(folder, "geheim\n");
  EXPECT_TRUE(history->ledgers()) << "it is read again";
  file_with(folder, "geheim\n", 0644);
  EXPECT_EQ(make(with, HistoryUse::send)->ledgers().error().code, Errc::refused);
}

TEST_F(PostgresFaults, CertificatesAreCheckedWhereAuthoritiesAreSet) {
  const TempFolder folder, other;
  ::chmod(folder.path().c_str(), 0755);  // the server is another user
  const testing::TlsFiles files(folder.path()), others(other.path());
  files.make("server", "IP:127.0.0.1");
  ::chmod(files.cert("server").c_str(), 0644);
  PostgresServer server({.tls = &files, .rules = "hostnossl all ballot 127.0.0.1/32 reject"});
  migrate(server);
  Options with = options(server);
  EXPECT_TRUE(make(with, HistoryUse::send)->ledgers()) << "unchecked";
  with["tls_ca"] = files.ca();
  const auto checked = make(with, HistoryUse::send)->ledgers();
  EXPECT_TRUE(checked) << checked.error().what;
  with["tls_ca"] = others.ca();
  const auto refused = make(with, HistoryUse::send)->ledgers();
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_NE(refused.error().what.find("[postgresql] tls_ca"), std::string::npos) << refused.error().what;
}

TEST_F(PostgresFaults, WhoOnlyReadsIsNoPlaceToSendTo) {
  PostgresServer primary;
  migrate(primary);
  const auto sender = make(options(primary), HistoryUse::send);
  ASSERT_TRUE(sender->line_of(ledger, "host-1"));
  ASSERT_TRUE(sender->put(batch_of(ledger, 0, {history_run(1)})));
  PostgresServer replica(primary, {});
  for (const auto& found : {make(options(replica), HistoryUse::send)->line_of(ledger, "host-1")}) {
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::io);
    EXPECT_NE(found.error().what.find("primary"), std::string::npos) << found.error().what;
  }
  Options reads = options(primary);
  reads["read_url"] = replica.url("ballot");
  primary.kill();
  const auto rows = make(reads, HistoryUse::read)->rows({});
  ASSERT_TRUE(rows) << rows.error().what;
  EXPECT_EQ(rows->size(), 1u);
}

/// The replica has not got the last batches; it is the primary then, and has neither them nor their names.
TEST_F(PostgresFaults, AfterAFailoverItGoesOnFromWhatTheNewPrimaryHas) {
  PostgresServer primary;
  migrate(primary);
  PostgresServer replica(primary, {});
  Options both = options(primary);
  both["url"] = "postgresql://ballot@127.0.0.1:" + std::to_string(primary.port()) +
                ",127.0.0.1:" + std::to_string(replica.port()) + "/postgres?target_session_attrs=read-write";
  const auto sender = make(both, HistoryUse::send);
  ASSERT_TRUE(sender->line_of(ledger, "host-1"));
  ASSERT_TRUE(sender->put(batch_of(ledger, 0, {history_run(1, "first")})));
  const std::string at = primary.ask("SELECT pg_current_wal_lsn()");
  while (replica.ask("SELECT pg_last_wal_replay_lsn() >= '" + at + "'") != "t") std::this_thread::yield();
  replica.stop();
  ASSERT_TRUE(sender->put(batch_of(ledger, 1, {history_run(2, "second")})));
  primary.kill();
  replica.start();
  replica.promote();
  auto line = sender->line_of(ledger, "host-1");
  if (!line) line = sender->line_of(ledger, "host-1");
  ASSERT_TRUE(line) << line.error().what;
  EXPECT_EQ(line->change, 1);
  ASSERT_TRUE(sender->put(batch_of(ledger, 1, {history_run(2, "second"), history_run(3, "first")})));
  const auto rows = sender->rows({});
  ASSERT_TRUE(rows) << rows.error().what;
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_EQ(rows->at(1).row.job, "second");
}

TEST_F(PostgresFaults, WhoReadsDoesNotNoticeThatTheServerHasStartedAgain) {
  PostgresServer server;
  migrate(server);
  const auto reader = make(options(server), HistoryUse::read);
  ASSERT_TRUE(reader->rows({}));
  server.stop();
  server.start();
  const auto rows = reader->rows({});
  EXPECT_TRUE(rows) << rows.error().what;
  server.stop();
  EXPECT_EQ(reader->rows({}).error().code, Errc::unavailable);
}

/// The first host takes the connection, and says nothing.
TEST_F(PostgresFaults, AHostThatIsSilentIsLeftForTheNext) {
  PostgresServer silent, server;
  migrate(server);
  Options both = options(server);
  both["url"] = "postgresql://ballot@127.0.0.1:" + std::to_string(silent.port()) +
                ",127.0.0.1:" + std::to_string(server.port()) + "/postgres";
  silent.freeze();
  const auto line = make(both, HistoryUse::send)->line_of(ledger, "host-1");
  EXPECT_TRUE(line) << line.error().what;
}

TEST_F(PostgresFaults, WhatWaitsForTooLongIsGivenUp) {
  PostgresStore store;
  Options options = store.options();
  options["statement_timeout"] = std::string("200ms");
  const auto sender = make(options, HistoryUse::send);
  ASSERT_TRUE(sender->line_of(ledger, "host-1"));
  std::thread blocker([&] { store.ask("BEGIN; LOCK TABLE @.ledger; SELECT pg_sleep(1); COMMIT"); });
  while (
      store.ask("SELECT count(*) FROM pg_locks WHERE relation = '@.ledger'::regclass AND mode = 'AccessExclusiveLock'"
                " AND granted") != "1")
    std::this_thread::yield();
  EXPECT_EQ(sender->put(batch_of(ledger, 0, {history_run(1)})).error().code, Errc::timeout);
  blocker.join();
  EXPECT_EQ(sender->line_of(ledger, "host-1")->change, 0);
  EXPECT_TRUE(sender->put(batch_of(ledger, 0, {history_run(1)})));
}

TEST_F(PostgresFaults, TwoWhoMigrateAtOnceMakeTheTablesOnce) {
  PostgresServer server;
  server.ask("CREATE ROLE ballot LOGIN");
  std::vector<std::string> done[2];
  std::vector<std::thread> threads;
  for (auto& one : done)
    threads.emplace_back([&] {
      const auto made = make(options(server), HistoryUse::migrate)->migrate();
      EXPECT_TRUE(made) << made.error().what;
      if (made) one = *made;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::min(done[0].size(), done[1].size()), 0u);
  EXPECT_EQ(std::max(done[0].size(), done[1].size()), 3u);
}

TEST_F(PostgresFaults, MonthsHavePartitionsAndTakeWhatCameBeforeThem) {
  PostgresStore store;
  const auto sender = store.make(HistoryUse::send);
  ASSERT_TRUE(sender->line_of(ledger, "host-1"));
  const WallTime future = history_noon() + std::chrono::days(150);
  ASSERT_TRUE(sender->put(batch_of(ledger, 0, {row_at(1, history_noon()), row_at(2, future)})));
  EXPECT_EQ(store.ask("SELECT count(*) FROM @.rows_default"), "1");
  EXPECT_GE(std::stoi(store.ask("SELECT count(*) FROM pg_inherits WHERE inhparent = '@.rows'::regclass")), 17)
      << "those that are kept, the next three, and the default one";
  store.ask("SET search_path = @; SELECT make_partition('rows', 'slot', date_trunc('month', to_timestamp(" +
            std::to_string(future.time_since_epoch().count()) + " / 1000) AT TIME ZONE 'UTC'))");
  EXPECT_EQ(store.ask("SELECT count(*) FROM @.rows_default"), "0");
  EXPECT_EQ(store.ask("SELECT count(*) FROM @.rows"), "2");
}

TEST_F(PostgresFaults, WhatIsOfMonthsThatAreGoneIsCountedAndLeftOut) {
  PostgresStore store;
  Options options = store.options();
  options["keep"] = std::string("100d");
  const WallTime old = history_noon() - std::chrono::days(200);
  const auto sender = store.make(HistoryUse::send);
  ASSERT_TRUE(sender->line_of(ledger, "host-1"));
  const auto kept = sender->put(batch_of(ledger, 0, {row_at(1, old), row_at(2, history_noon())}));
  ASSERT_TRUE(kept) << kept.error().what;
  EXPECT_EQ(kept->too_old, 0);
  const std::string partitions = "SELECT count(*) FROM pg_inherits WHERE inhparent = '@.rows'::regclass";
  const int before = std::stoi(store.ask(partitions));
  const auto other = make(options, HistoryUse::send);  // drops them when it connects
  ASSERT_TRUE(other->line_of(ledger, "host-1"));
  EXPECT_LT(std::stoi(store.ask(partitions)), before);
  EXPECT_EQ(sender->rows({})->size(), 1u);
  LedgerBatch batch = batch_of(ledger, 2, {row_at(3, old), row_at(4, history_noon())});
  batch.changes.push_back({++batch.last, OutputRow{history_id(3, old), 1, {"old", "", 3}}});
  const auto done = sender->put(batch);
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_EQ(done->too_old, 2);
  EXPECT_EQ(sender->rows({})->size(), 2u);
  EXPECT_FALSE(*sender->output(history_id(3, old), 1));
  EXPECT_EQ(sender->line_of(ledger, "host-1")->change, 5);
}

/// Whatever the moment is at which the server ends: a batch is there as a whole or not at all, as the line says.
TEST_F(PostgresFaults, AServerThatEndsInTheMidstOfABatchKeepsAllOfItOrNothing) {
  PostgresServer server;
  migrate(server);
  const auto sender = make(options(server), HistoryUse::send);
  std::int64_t known = sender->line_of(ledger, "host-1")->change, put_at_all = 0;
  std::mt19937 random(7);
  for (int round = 0; round < 8; ++round) {
    std::thread killer([&, wait = std::chrono::milliseconds(random() % 60)] {
      std::this_thread::sleep_for(wait);
      server.kill();
    });
    for (bool goes_on = true; goes_on;) {
      std::vector<Row> rows;
      for (int i = 0; i < 200; ++i) rows.push_back(history_run(static_cast<int>(known) + i + 1));
      const auto done = sender->put(batch_of(ledger, known, rows));
      if (done) known += 200, ++put_at_all;
      goes_on = static_cast<bool>(done);
      const Errc code = done ? Errc::unavailable : done.error().code;
      EXPECT_TRUE(code == Errc::unavailable || code == Errc::timeout) << done.error().what;
    }
    killer.join();
    server.start();
    const auto line = sender->line_of(ledger, "host-1");
    ASSERT_TRUE(line) << line.error().what;
    EXPECT_TRUE(line->change == known || line->change == known + 200) << line->change << " " << known;
    known = line->change;
    EXPECT_EQ(server.ask("SELECT count(*) || ' ' || count(DISTINCT id) FROM ballot.rows"),
              std::to_string(known) + " " + std::to_string(known));
  }
  EXPECT_GT(put_at_all, 0);
}

TEST_F(PostgresFaults, TextsThatAreNoUtf8AreKeptAsFarAsTheyAre) {
  PostgresStore store;
  const auto sender = store.make(HistoryUse::send);
  ASSERT_TRUE(sender->line_of(ledger, "host-1"));
  RequestRow request;
  request.id = history_id(5);
  request.kind = "trigger", request.node = "host-1", request.at = history_noon();
  request.text = std::string("a\0b\xff\xe2\x82\xac", 7);
  Row odd = history_run(1, "job\xff");
  LedgerBatch batch = batch_of(ledger, 0, {odd});
  batch.changes.push_back({++batch.last, request});
  const auto done = sender->put(batch);
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_EQ(sender->requests({})->at(0).text, "a?b?\xe2\x82\xac");
  EXPECT_EQ(sender->rows({})->at(0).row.job, "job?");
}

}  // namespace
}  // namespace ballot::conformance

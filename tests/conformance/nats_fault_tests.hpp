// What the conformance suite cannot know of the plugin nats: lost connections, servers that stop, are wiped or refuse,
// buckets of others, and what people do to keys by hand. Included by nats_conformance_test.cpp.
#pragma once

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>

#include "conformance/backend_fixture.hpp"
#include "conformance/nats_cluster.hpp"
#include "support/servers/tls_files.hpp"

namespace ballot::conformance {

class Nats : public BackendConformance {
 protected:
  /// A test that has failed leaves no server frozen for the next.
  void TearDown() override {
    for (std::size_t i = 0; i < store().size(); ++i) store()[i].thaw();
    store().start();
    BackendConformance::TearDown();
  }

  NatsCandidates& cluster() { return static_cast<NatsCandidates&>(*cluster_); }
  testing::NatsCluster& store() { return cluster().store(); }
  std::string stream() { return nats::stream_of(cluster().bucket()); }

  Candidate& add_with(const std::string& node, const Options& options, const std::string& name_space = "test") {
    Candidate& candidate = candidates_.emplace_back(node, cluster_->signal);
    candidate.pid = 2000;
    candidate.backend = cluster().make_with(node, name_space, options, candidate.events);
    return candidate;
  }
  /// Why it did not open.
  std::string refusal(const std::string& node, const Options& options, const std::string& name_space = "test") {
    Candidate& candidate = add_with(node, options, name_space);
    open(candidate);
    EXPECT_FALSE(opened(candidate));
    if (!candidate.closed()) return "no answer";
    EXPECT_EQ(candidate.closed()->cause, Cause::auth_failed) << candidate.closed()->text;
    return candidate.closed()->text;
  }
  /// JetStream may begin a little after its server does.
  bool opens(const std::string& node, const Options& options) {
    const SteadyTime end = support::boot_now() + slack();
    for (int i = 0;; ++i) {
      Candidate& candidate = add_with(node + std::to_string(i), options);
      open(candidate);
      if (opened(candidate)) return true;
      const auto closed = candidate.closed();
      const bool is_early = closed && closed->cause == Cause::unreachable && support::boot_now() < end;
      if (closed && !is_early) ADD_FAILURE() << closed->text;
      if (!is_early) return false;
    }
  }
  static std::string write_secret(const TempFolder& folder, const std::string& name, const std::string& text) {
    const std::string file = folder.write(name, text);
    EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
    return file;
  }
  /// What the API answers.
  std::string ask(const std::string& subject, const std::string& body) {
    testing::NatsParts parts(store()[0].address(), "none");
    testing::NatsParts::pump(
        {&parts}, [&] { return parts.connected; }, slack());
    std::optional<std::string> answer;
    parts.client.ask({subject, body},
                     [&](const nats::Answer& found) { answer = nats::json::serialize(found.content); });
    testing::NatsParts::pump(
        {&parts}, [&] { return answer.has_value(); }, slack());
    return answer.value_or("");
  }
  void make_stream(const std::string& bucket, const std::string& more) {
    const std::string stream = nats::stream_of(bucket);
    const std::string found = ask("$JS.API.STREAM.CREATE." + stream, "{\"name\":\"" + stream + "\",\"subjects\":[\"" +
                                                                         nats::all_subjects_of(bucket) +
                                                                         "\"],\"storage\":\"file\"," + more + "}");
    EXPECT_EQ(found.find("\"error\""), std::string::npos) << found;
  }
  bool leads(Candidate& candidate, const std::string& group, Millis limit) {
    return until([&] { return candidate.leads(group).has_value(); }, limit);
  }
  bool awaits_closed(Candidate& candidate, Millis limit) {
    return until([&] { return candidate.closed().has_value(); }, limit);
  }
};

TEST_P(Nats, WhatIsWrittenWithoutAConnectionDoesNotLandLater) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  cluster().cut(*a.backend);
  cluster().each_relay("a", [](auto& relay) { relay.break_connections(); });
  const RequestId request = ++a.last_request;
  a.backend->create(request, {{"q/late", "1"}});
  const auto answer = await<backend::Wrote>(a, request, timeout() + slack());
  ASSERT_TRUE(answer && answer->answers.size() == 1);
  EXPECT_EQ(answer->answers[0].outcome, StoreResult::unknown);
  cluster().heal(*a.backend);
  EXPECT_TRUE(until([&] { return a.closed() || !read(a, {"j/x"}).size(); }, timeout() + slack()));
  until([] { return false; }, 1s);
  EXPECT_TRUE(list(b, "q/").empty());
}

TEST_P(Nats, ALostConnectionEndsNoTerm) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  for (int i = 0; i < 3; ++i) {
    cluster().each_relay("a", [](auto& relay) { relay.break_connections(); });
    until([] { return false; }, 700ms);
  }
  EXPECT_TRUE(a.leads("g")) << (a.closed() ? a.closed()->text : "");
  EXPECT_EQ(write(a, {"g", *a.leads("g"), "j/x", "1", 0}).outcome, StoreResult::done);
  EXPECT_EQ(list(b, "j/").size(), 1u);
}

TEST_P(Nats, TheGroupsOfASilentSessionAreLedRightAfterItsTime) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  const SteadyTime renewed = a.renewed;
  a.renewing = false;
  cluster().cut(*a.backend);
  ASSERT_TRUE(leads(b, "g", timeout() + slack()));
  const Millis taken = now() - renewed;
  std::printf("led by another %d ms after the last renewal\n", static_cast<int>(taken.count()));
  EXPECT_GE(taken, timeout());
  cluster().heal(*a.backend);
}

TEST_P(Nats, ASessionWhoseKeyIsRemovedByHandIsOver) {
  Candidate& a = lead("a", "g");
  cluster().remove("s/a");
  ASSERT_TRUE(awaits_closed(a, timeout()));
  EXPECT_EQ(a.closed()->cause, Cause::expired);
  open(a);
  ASSERT_TRUE(opened(a)) << a.closed()->text;
  a.backend->campaign("g");
  EXPECT_TRUE(leads(a, "g", timeout() + slack()));
}

TEST_P(Nats, AWipedStoreIsBegunAnew) {
  Candidate& a = lead("a", "g");
  for (std::size_t i = 0; i < store().size(); ++i) store()[i].kill(), store()[i].wipe();
  store().start();
  ASSERT_TRUE(awaits_closed(a, 2 * timeout() + slack()));
  lead_again(a, "g");
}

TEST_P(Nats, AnUnfitBucketIsRefusedWithTheReason) {
  make_stream("short", R"("max_msgs_per_subject":1,"max_age":60000000000)");
  EXPECT_NE(refusal("a", {{"bucket", "short"}}).find("maximum age"), std::string::npos);
  make_stream("endless-sessions", R"("max_msgs_per_subject":1)");
  EXPECT_NE(refusal("b", {{"bucket", "endless"}}).find("no maximum age"), std::string::npos);
  ask("$JS.API.STREAM.CREATE.KV_other", R"({"name":"KV_other","subjects":["other.>"],"storage":"file"})");
  EXPECT_NE(refusal("c", {{"bucket", "other"}}).find("other subjects"), std::string::npos);
}

TEST_P(Nats, ABucketOfAnotherNamespaceIsRefused) {
  join("a");
  const std::string text = refusal("b", {{"bucket", cluster().bucket()}}, "second");
  EXPECT_NE(text.find("namespace test"), std::string::npos) << text;
}

TEST_P(Nats, ShowsItsBucketsToAnObserver) {
  lead("a", "g");
  Candidate& observer = add_observer("o");
  const RequestId request = ++observer.last_request;
  observer.backend->observe(request, "");
  const auto seen = await<backend::Observed>(observer, request, 10s);
  ASSERT_TRUE(seen.has_value());
  const auto fact = [&](const std::string& name) {
    for (const auto& [key, value] : seen->store.facts)
      if (key == name) return value;
    return std::string();
  };
  EXPECT_EQ(fact("bucket"), cluster().bucket());
  EXPECT_EQ(fact("sessions"), cluster().bucket() + "-sessions");
  EXPECT_EQ(fact("maximum age"), "2s");
  EXPECT_EQ(fact("history"), "1");
  EXPECT_EQ(fact("storage"), "file");
  EXPECT_EQ(fact("created").size(), std::string("2026-11-23T09:08:47Z").size());
  EXPECT_EQ(fact("replicas").find("(leader)") != std::string::npos, store().size() > 1);
  ASSERT_EQ(seen->store.warnings.size(), 1u);
  EXPECT_EQ(seen->store.warnings[0], "maximum age too low (2s, less than 5s)");
}

TEST_P(Nats, SaysThatBucketsAreNotMadeYet) {
  Candidate& observer = add_with("o", {{"bucket", "nobody-s"}});
  observer.observer = true;
  observer.renewing = false;
  open(observer);
  ASSERT_TRUE(opened(observer));
  const RequestId request = ++observer.last_request;
  observer.backend->observe(request, "");
  const auto seen = await<backend::Observed>(observer, request, 10s);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->store.facts, (decltype(seen->store.facts){{"bucket", "not made yet"}, {"sessions", "not made yet"}}));
  EXPECT_TRUE(seen->store.warnings.empty());
}

TEST_P(Nats, AUserAndAPasswordAreAskedFor) {
  const TempFolder folder;
  testing::NatsCluster secured(1, {.more = "authorization { user: ballot, password: \"right one\" }"});
  const auto options = [&](const std::string& password) {
    return Options{{"servers", secured.addresses()}, {"user", "ballot:" + write_secret(folder, "password", password)}};
  };
  EXPECT_TRUE(opens("a", options("right one\n")));
  EXPECT_NE(refusal("b", options("wrong one\n")).find("refuse this user"), std::string::npos);
  EXPECT_NE(refusal("c", {{"servers", secured.addresses()}}).find("refuse this user"), std::string::npos);
  const std::string file = folder.write("open", "right one\n");
  EXPECT_THROW(add_with("d", {{"servers", secured.addresses()}, {"user", "ballot:" + file}}), std::runtime_error);
}

/// As docs/backends/nats.md says them.
TEST_P(Nats, NeedsNoMorePermissionsThanAreDocumented) {
  const TempFolder folder;
  std::string publish;
  for (const char* const bucket : {"small", "small-sessions"}) {
    publish += "\"$KV." + std::string(bucket) + ".>\", ";
    for (const char* const api :
         {"$JS.API.STREAM.INFO.KV_", "$JS.API.STREAM.CREATE.KV_", "$JS.API.STREAM.MSG.DELETE.KV_"})
      publish += "\"" + std::string(api) + bucket + "\", ";
    for (const char* const api : {"$JS.API.CONSUMER.CREATE.KV_", "$JS.API.CONSUMER.DELETE.KV_", "$JS.FC.KV_"})
      publish += "\"" + std::string(api) + bucket + ".>\", ";
  }
  testing::NatsCluster secured(
      1, {.more = "authorization { users: [ { user: ballot, password: \"p\", permissions: { publish: [" + publish +
                  "], subscribe: [\"_INBOX.>\"] } } ] }"});
  const Options options{{"servers", secured.addresses()},
                        {"bucket", "small"},
                        {"user", "ballot:" + write_secret(folder, "password", "p\n")}};
  for (int round = 0; round < 2; ++round) {
    Candidate& a = add_with("a", options);
    open(a);
    ASSERT_TRUE(opened(a)) << (a.closed() ? a.closed()->text : "no answer");
    a.backend->campaign("g");
    EXPECT_TRUE(leads(a, "g", timeout() + slack()));
    EXPECT_EQ(create(a, {"q/x", "1"}), StoreResult::done);
    EXPECT_EQ(remove(a, "q/x"), StoreResult::done);
    a.backend->close(false);
    EXPECT_TRUE(awaits_closed(a, timeout()));
  }
}

TEST_P(Nats, APermissionThatTheUserLacksIsNamed) {
  const TempFolder folder;
  const auto secured = [](const std::string& permissions) {
    return std::make_unique<testing::NatsCluster>(
        1, testing::NatsServer::Settings{"authorization { users: [ { user: ballot, password: \"p\", permissions: { " +
                                         permissions + " } } ] }"});
  };
  const std::string user = "ballot:" + write_secret(folder, "password", "p\n");
  const auto info = secured("publish: { deny: [\"$JS.API.STREAM.INFO.>\"] }");
  EXPECT_NE(refusal("a", {{"servers", info->addresses()}, {"user", user}})
                .find("lacks a permission that is needed: Permissions Violation for Publish to \"$JS.API.STREAM.INFO"),
            std::string::npos);
  const auto inbox = secured("subscribe: { deny: [\"_INBOX.>\"] }");
  EXPECT_NE(refusal("b", {{"servers", inbox->addresses()}, {"user", user}}).find("Violation for Subscription to"),
            std::string::npos);
  const auto deletes = secured("publish: { deny: [\"$JS.API.STREAM.MSG.DELETE.>\"] }");
  Candidate& c = add_with("c", {{"servers", deletes->addresses()}, {"user", user}});
  open(c);
  ASSERT_TRUE(opened(c)) << c.closed()->text;
  for (const char* value : {"1", "2"}) {
    create(c, {"q/x", value});  // in place of a marker the second time, which is to be deleted
    remove(c, "q/x");
  }
  EXPECT_TRUE(until(
      [&] {
        for (const std::string& line : c.events.logged())
          if (line.find("for Publish to \"$JS.API.STREAM.MSG.DELETE") != std::string::npos) return true;
        return false;
      },
      slack()));
}

TEST_P(Nats, AStreamThatAcknowledgesNothingIsNamed) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  const std::string wedged =
      "{\"name\":\"" + stream() + "\",\"subjects\":[\"" + nats::all_subjects_of(cluster().bucket()) +
      "\"],\"storage\":\"file\",\"discard\":\"new\",\"max_msgs_per_subject\":1,\"deny_purge\":true,"
      "\"no_ack\":true}";
  const std::string updated = ask("$JS.API.STREAM.UPDATE." + stream(), wedged);
  ASSERT_EQ(updated.find("\"error\""), std::string::npos) << updated;
  const WriteAnswer answer = write(a, {"g", epoch, "j/x", "text", 0});
  EXPECT_EQ(answer.outcome, StoreResult::unknown);
  EXPECT_NE(answer.text.find("stream " + stream() + " has not acknowledged a message"), std::string::npos)
      << answer.text;
}

TEST_P(Nats, ATokenOrAnNkeyIsAskedFor) {
  const TempFolder folder;
  const std::string key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
  const std::string seed = write_secret(folder, "seed", "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY\n");
  {
    testing::NatsCluster secured(1, {.more = "authorization { token: \"secret\" }"});
    EXPECT_TRUE(opens("a", {{"servers", secured.addresses()}, {"token", write_secret(folder, "token", "secret\n")}}));
  }
  testing::NatsCluster secured(1, {.more = "authorization { users: [ { nkey: " + key + " } ] }"});
  EXPECT_TRUE(opens("b", {{"servers", secured.addresses()}, {"nkey", key + ":" + seed}}));
}

TEST_P(Nats, ATlsServerIsKnownByItsAuthorityAndItsName) {
  const TempFolder folder, other;
  const testing::TlsFiles files(folder.path()), others(other.path());
  files.make("server", "IP:127.0.0.1");
  files.make("elsewhere", "DNS:elsewhere.example");
  const auto secured_as = [&](const std::string& name) {
    const std::string more = "tls { cert_file: \"" + files.cert(name) + "\", key_file: \"" + files.key(name) + "\" }";
    return std::make_unique<testing::NatsCluster>(1, testing::NatsServer::Settings{more});
  };
  const auto secured = secured_as("server"), elsewhere = secured_as("elsewhere");
  EXPECT_TRUE(opens("a", {{"servers", secured->addresses()}, {"ca", files.ca()}}));
  EXPECT_NE(refusal("b", {{"servers", secured->addresses()}, {"ca", others.ca()}}).find("refuse"), std::string::npos);
  EXPECT_NE(refusal("c", {{"servers", secured->addresses()}, {"ca", "system"}}).find("refuse"), std::string::npos);
  EXPECT_NE(refusal("d", {{"servers", elsewhere->addresses()}, {"ca", files.ca()}}).find("refuse"), std::string::npos);
}

TEST_P(Nats, ACertificateIsShownWhereTheServersAskForIt) {
  const TempFolder folder, other;
  const testing::TlsFiles files(folder.path()), others(other.path());
  files.make("server", "IP:127.0.0.1");
  files.make("client", "DNS:client.example");
  others.make("client", "DNS:client.example");
  testing::NatsCluster secured(
      1, {.more = "tls { cert_file: \"" + files.cert("server") + "\", key_file: \"" + files.key("server") +
                  "\", ca_file: \"" + files.ca() + "\", verify: true }"});
  const auto options = [&](const testing::TlsFiles& own) {
    return Options{
        {"servers", secured.addresses()}, {"ca", files.ca()}, {"cert", own.cert("client")}, {"key", own.key("client")}};
  };
  EXPECT_TRUE(opens("a", options(files)));
  EXPECT_NE(refusal("b", options(others)).find("refuse"), std::string::npos);
  EXPECT_NE(refusal("c", {{"servers", secured.addresses()}, {"ca", files.ca()}}).find("refuse"), std::string::npos);
}

TEST_P(Nats, APasswordThatIsReplacedCountsFromTheNextConnectionOn) {
  const TempFolder folder;
  const auto set = [&](const std::string& password) {
    folder.write("auth.conf", "authorization { user: ballot, password: \"" + password + "\" }\n");
    return write_secret(folder, "password", password + "\n");
  };
  const std::string file = set("the old one");
  const std::string name = std::filesystem::path(folder.path()).filename().string();
  testing::NatsCluster secured(1, {.more = "include \"../" + name + "/auth.conf\""});
  Candidate& a = add_with("a", {{"servers", secured.addresses()}, {"user", "ballot:" + file}});
  open(a);
  ASSERT_TRUE(opened(a)) << (a.closed() ? a.closed()->text : "no answer");
  secured[0].kill();
  set("the new one");
  secured.start();
  int last = 0;
  EXPECT_TRUE(until(
      [&] {
        if (a.closed()) {
          EXPECT_NE(a.closed()->cause, Cause::auth_failed) << a.closed()->text;
          open(a);
          return false;
        }
        return create(a, {"q/" + std::to_string(++last), "1"}) == StoreResult::done;
      },
      timeout() + slack()));
}

TEST_P(Nats, AnOpenStoreIsRefusedWhereThatIsNotWanted) {
  Error error;
  Signal signal;
  Recorder host(signal);
  BackendSettings settings{"test", "/tmp", false, {}, OpenStore::refuse};
  const std::unique_ptr<Backend> backend(plugin_info(BALLOT_NATS_PLUGIN).create(host, settings, error));
  EXPECT_FALSE(backend);
  EXPECT_EQ(error.code, Errc::refused);
  EXPECT_NE(error.what.find("allow_open_store"), std::string::npos);
}

#if BALLOT_NATS_SERVERS > 1
/// Its terms end by their own clock where the servers take longer to agree.
TEST_P(Nats, ElectionsGoOnAfterTheLeaderOfTheStreamIsKilled) {
  Candidate& a = lead("a", "g");
  ASSERT_EQ(write(a, {"g", *a.leads("g"), "j/x", "kept", 0}).outcome, StoreResult::done);
  int last = 0;
  for (int round = 0; round < 3; ++round) {
    const SteadyTime killed = now();
    store().leader_of(stream()).kill();
    RequestId request = 0;
    std::string problem = "nothing was answered";
    const auto goes_on = [&] {
      if (a.closed()) {
        problem = a.closed()->text;
        open(a);
        request = 0;
      }
      if (a.timeout == 0ms && !sessions(a).empty()) {
        a.timeout = sessions(a).front().timeout;
        a.backend->campaign("g");
      }
      if (!a.leads("g")) return false;
      const auto answer = a.events.answer<backend::Wrote>(a.generation, request);
      if (answer && answer->answers[0].outcome == StoreResult::done) return true;
      if (answer) problem = answer->answers[0].text;
      if (answer || request == 0) a.backend->create(request = ++a.last_request, {{"q/" + std::to_string(++last), "1"}});
      return false;
    };
    // Servers of 2.9.10 find no leader for minutes once in some ten kills; then the third has to be back.
    if (!until(goes_on, 40s)) {
      std::printf("two servers have had no leader for 40 s: %s\n", problem.c_str());
      store().start();
      EXPECT_TRUE(until(goes_on, 60s)) << problem;
    }
    std::printf("writes go on %d ms after the kill\n", static_cast<int>((now() - killed).count()));
    EXPECT_EQ(read(a, {"j/x"}).size(), 1u);
    store().start();
    const auto is_whole = [&] {
      const std::string found = ask("$JS.API.STREAM.INFO." + stream(), "");
      return found.find("\"leader\"") != std::string::npos && found.find("\"current\":false") == std::string::npos;
    };
    EXPECT_TRUE(until(is_whole, 60s));
  }
}
#endif

}  // namespace ballot::conformance

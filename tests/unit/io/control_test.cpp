#include <sys/stat.h>

#include "io/control_socket.hpp"
#include "unit/io/control_fixture.hpp"

namespace ballot::io {
namespace {

TEST_F(Control, AnswersARequest) {
  serve([](const Question& question, const Reply& reply) {
    EXPECT_EQ(question.asker.name, "uid " + std::to_string(::getuid()));
    reply.finish(ask_for("done " + question.message.text("do").value_or("")));
  });
  const auto answer = answer_to(ask_for("flush"));
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->text("do"), "done flush");
}

TEST_F(Control, AnswersInManyLinesAndLater) {
  std::optional<Reply> kept;
  serve([&](const Question&, const Reply& reply) {
    kept = reply;
    boost::asio::post(loop, [&] {
      for (int i = 0; i < 1000; ++i) kept->send(Message().set("i", i));
      kept->finish(Message().set("i", 1000));
      kept->send(Message().set("i", 1001));
    });
  });
  const auto lines = during([&] {
    std::vector<std::int64_t> seen;
    auto client = ControlClient::ask(path, ask_for("watch"));
    if (!client) return seen;
    for (auto line = client->next(Millis(5000)); line && *line; line = client->next(Millis(5000)))
      seen.push_back((*line)->integer("i").value_or(-1));
    return seen;
  });
  ASSERT_EQ(lines.size(), 1001u);
  EXPECT_EQ(lines.back(), 1000);
  EXPECT_TRUE(kept->gone());
}

TEST_F(Control, BringsAnErrorToTheClientAsThatError) {
  serve([](const Question&, const Reply& reply) { reply.fail({Errc::not_found, "no job 'x'"}); });
  const auto answer = answer_to(ask_for("trigger"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::not_found);
  EXPECT_EQ(answer.error().what, "no job 'x'");
}

TEST_F(Control, SaysSoWhenARequestIsNeverAnswered) {
  serve([](const Question&, const Reply&) {});
  const auto answer = answer_to(ask_for("x"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unavailable);
}

TEST_F(Control, ClientGivesUpInTimeAndMayAskOn) {
  std::optional<Reply> kept;
  serve([&](const Question&, const Reply& reply) { kept = reply; });
  auto client = during([&] { return ControlClient::ask(path, ask_for("wait")); });
  ASSERT_TRUE(client);
  const auto early = during([&] { return client->next(Millis(20)); });
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, Errc::timeout);
  ASSERT_TRUE(run_until(loop, [&] { return kept.has_value(); }));
  kept->finish(ask_for("done"));
  const auto late = during([&] { return client->next(Millis(5000)); });
  ASSERT_TRUE(late && *late);
  EXPECT_EQ((*late)->text("do"), "done");
}

TEST_F(Control, ClientSaysWhatToDoWithoutADaemon) {
  const auto answer = ask_once(path, ask_for("x"), Millis(1000));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unavailable);
  EXPECT_NE(answer.error().what.find("ballot serve"), std::string::npos) << answer.error().what;
  EXPECT_NE(answer.error().what.find(path), std::string::npos);
}

TEST_F(Control, ClientHearsThatTheDaemonWentAway) {
  serve([&](const Question&, const Reply& reply) {
    reply.send(ask_for("first"));
    boost::asio::post(loop, [&, reply] { server.reset(); });
  });
  const auto answer = during([&] {
    auto client = ControlClient::ask(path, ask_for("watch"));
    EXPECT_TRUE(client);
    auto line = client->next(Millis(5000));
    while (line && *line) line = client->next(Millis(5000));
    return line;
  });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unavailable);
}

TEST_F(Control, HandlerMayDestroyTheServer) {
  serve([&](const Question&, const Reply&) { server.reset(); });
  const auto answer = answer_to(ask_for("stop"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unavailable);
}

TEST_F(Control, KnowsWhenTheClientHasGone) {
  std::optional<Reply> kept;
  serve([&](const Question&, const Reply& reply) { kept = reply; });
  auto client = raw_client("{}\n");
  ASSERT_TRUE(run_until(loop, [&] { return kept.has_value(); }));
  EXPECT_FALSE(kept->gone());
  client.reset();
  EXPECT_TRUE(run_until(loop, [&] { return kept->gone(); }));
  kept->finish(ask_for("nobody hears it"));
}

TEST_F(Control, ReplacesTheSocketOfADeadDaemonOnly) {
  bound_by_another(SOCK_STREAM).reset();
  serve([](const Question&, const Reply& reply) { reply.finish({}); });
  const auto second = ControlServer::listen(loop, path, roles, [](const Question&, const Reply&) {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::conflict);
  EXPECT_NE(second.error().what.find("another ballot daemon listens on " + path), std::string::npos);
  EXPECT_TRUE(answer_to(ask_for("x"))) << "the first one still listens";
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  serve([](const Question&, const Reply&) {});
}

TEST_F(Control, LeavesAnotherProgramTheSocketOnWhichItListens) {
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM}) {
    const UniqueFd other = bound_by_another(type);
    if (type != SOCK_DGRAM) {
      ASSERT_EQ(::listen(other.get(), 0), 0);
    }
    for (int i = 0; i < 3; ++i) {  // of the later ones its queue is full
      const auto listening = ControlServer::listen(loop, path, roles, [](const Question&, const Reply&) {});
      ASSERT_FALSE(listening) << type;
      EXPECT_EQ(listening.error().code, Errc::conflict);
      EXPECT_EQ(listening.error().what, "something else listens on " + path);
      EXPECT_TRUE(std::filesystem::is_socket(path));
    }
    std::filesystem::remove(path);
  }
}

TEST_F(Control, RemovesAtItsEndOnlyTheSocketThatItMade) {
  serve([](const Question&, const Reply&) {});
  std::filesystem::remove(path);
  const UniqueFd other = bound_by_another(SOCK_STREAM);
  server.reset();
  EXPECT_TRUE(std::filesystem::is_socket(path));
}

TEST_F(Control, TouchesNothingElseOfThatName) {
  folder.write("ballot.sock", "precious");
  const auto listening = ControlServer::listen(loop, path, roles, [](const Question&, const Reply&) {});
  ASSERT_FALSE(listening);
  EXPECT_EQ(listening.error().code, Errc::io);
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
}

TEST_F(Control, ListensAnewWhereItsFileIsRemoved) {
  serve([](const Question&, const Reply& reply) { reply.finish({}); }, {.file_check = Millis(5)});
  for (const bool with_lock : {false, true}) {
    ASSERT_TRUE(std::filesystem::remove(path));
    if (with_lock) {
      ASSERT_TRUE(std::filesystem::remove(path + ".lock"));
    }
    ASSERT_TRUE(run_until(loop, [&] { return std::filesystem::exists(path); }));
    EXPECT_TRUE(answer_to(ask_for("x")));
    EXPECT_EQ(ControlServer::listen(loop, path, roles, [](const Question&, const Reply&) {}).error().code,
              Errc::conflict);
  }
  ASSERT_TRUE(std::filesystem::remove(path));
  folder.write("ballot.sock", "precious");
  testing::run_for(loop, Millis(30));
  server.reset();
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
}

TEST_F(Control, SaysWhatIsWrongWithThePath) {
  const auto handler = [](const Question&, const Reply&) {};
  const auto no_folder = ControlServer::listen(loop, folder / "none/ballot.sock", roles, handler);
  ASSERT_FALSE(no_folder);
  EXPECT_NE(no_folder.error().what.find("make its folder"), std::string::npos) << no_folder.error().what;
  const auto too_long = ControlServer::listen(loop, folder / std::string(120, 'x'), roles, handler);
  ASSERT_FALSE(too_long);
  EXPECT_NE(too_long.error().what.find("107 characters"), std::string::npos) << too_long.error().what;
}

TEST_F(Control, RefusesBadLines) {
  serve([](const Question&, const Reply&) { ADD_FAILURE() << "no request"; }, {.line_bytes = 10000});
  const auto not_json = raw_client("hello\n");
  EXPECT_EQ(raw_answer(not_json).find("{\"error\":\"invalid\",\"text\":\"this is not JSON"), 0u);
  const auto too_long = raw_client(std::string(20000, 'x'));
  EXPECT_NE(raw_answer(too_long).find("at most 10000 bytes"), std::string::npos);
}

TEST_F(Control, TakesALineInPieces) {
  serve([](const Question& question, const Reply& reply) { reply.finish(question.message); });
  const auto client = raw_client("{\"do\":");
  testing::run_for(loop, Millis(10));
  ASSERT_EQ(::send(client.get(), "\"x\"}\n", 5, 0), 5);
  EXPECT_EQ(raw_answer(client), "{\"do\":\"x\",\"last\":true}\n");
}

TEST_F(Control, BoundsItsClients) {
  std::vector<Reply> kept;
  serve([&](const Question&, const Reply& reply) { kept.push_back(reply); }, {.clients = 2});
  const auto first = raw_client("{}\n"), second = raw_client("{}\n");
  ASSERT_TRUE(run_until(loop, [&] { return kept.size() == 2; }));
  const auto third = raw_client("{}\n");
  EXPECT_NE(raw_answer(third).find("too many commands"), std::string::npos);
  kept.front().finish({});
  EXPECT_EQ(raw_answer(first), "{\"last\":true}\n");
  const auto fourth = raw_client("{}\n");
  EXPECT_TRUE(run_until(loop, [&] { return kept.size() == 3; }));
}

TEST_F(Control, DropsAClientThatSaysNothing) {
  serve([](const Question&, const Reply&) {}, {.patience = Millis(20)});
  EXPECT_EQ(raw_answer(raw_client("{\"do\"")), "");
}

TEST_F(Control, DropsAClientThatDoesNotRead) {
  std::optional<Reply> kept;
  serve([&](const Question&, const Reply& reply) { kept = reply; }, {.patience = Millis(50)});
  const auto client = raw_client("{}\n");
  ASSERT_TRUE(run_until(loop, [&] { return kept.has_value(); }));
  kept->send(ask_for(std::string(4 << 20, 'x')));
  EXPECT_TRUE(run_until(loop, [&] { return kept->gone(); }));
}

TEST_F(Control, DropsAClientThatLetsTooMuchPileUp) {
  std::optional<Reply> kept;
  serve([&](const Question&, const Reply& reply) { kept = reply; }, {.unread_bytes = 1 << 20});
  const auto client = raw_client("{}\n");
  ASSERT_TRUE(run_until(loop, [&] { return kept.has_value(); }));
  for (int i = 0; i < 40 && !kept->gone(); ++i) kept->send(ask_for(std::string(1 << 16, 'x')));
  EXPECT_TRUE(kept->gone());
}

TEST_F(Control, WaitsForAnAnswerLongerThanItsPatience) {
  std::optional<Reply> kept;
  serve([&](const Question&, const Reply& reply) { kept = reply; }, {.patience = Millis(20)});
  const auto client = raw_client("{}\n");
  ASSERT_TRUE(run_until(loop, [&] { return kept.has_value(); }));
  testing::run_for(loop, Millis(60));
  EXPECT_FALSE(kept->gone());
}

}  // namespace
}  // namespace ballot::io

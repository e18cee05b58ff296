// WebServer: a server on a free port of this machine, with a loop on a thread of its own that answers what is asked,
// and tokens for each role.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <thread>

#include "http/http_server.hpp"
#include "http/tokens.hpp"
#include "support/servers/web_client.hpp"
#include "support/temp_folder.hpp"

namespace ballot::web {

using testing::WebClient;

class WebServer : public ::testing::Test {
 protected:
  WebServer() {
    settings.listen = "127.0.0.1:0";
    write_tokens({{"seer", io::Role::viewer}, {"worker", io::Role::operator_}, {"boss", io::Role::admin}});
    settings.tokens = folder / "tokens";
  }
  ~WebServer() override {
    server.reset();
    loop.stop();
    if (thread.joinable()) thread.join();
  }

  static std::string token_of(const std::string& name) { return "token-of-" + name; }
  static std::string bearer(const std::string& name) { return "Authorization: Bearer " + token_of(name); }
  void write_tokens(const std::vector<std::pair<std::string, io::Role>>& all) const {
    std::string text = "# who may ask\n";
    for (const auto& [name, role] : all) text += token_line(name, role, token_of(name)) + "\n";
    folder.write("tokens.new", text);
    ::chmod((folder / "tokens.new").c_str(), 0600);
    std::filesystem::rename(folder / "tokens.new", folder / "tokens");
  }

  Result<void> try_serve(Routes routes = {}, HttpLimits limits = {}) {
    HttpHost host{[this](std::function<void()> task) { boost::asio::post(loop, std::move(task)); },
                  [this](const io::Question& question, const io::Reply& reply) { answer(question, reply); },
                  {},
                  std::move(routes),
                  "host-1",
                  [this](Level, std::string_view text, const LogFields& fields) {
                    const std::lock_guard lock(logging);
                    logged += std::string(text);
                    for (const auto& [key, value] : fields) logged += " " + std::string(key) + "=" + value;
                    logged += '\n';
                  },
                  [this](const std::string& text) {
                    const std::lock_guard lock(logging);
                    trouble = text;
                  }};
    auto started = HttpServer::start(settings, std::move(host), limits);
    if (!started) return started.error();
    server = *std::move(started);
    if (!thread.joinable()) thread = std::thread([this] { loop.run(); });
    return {};
  }
  void serve(Routes routes = {}, HttpLimits limits = {}) {
    const auto served = try_serve(std::move(routes), limits);
    ASSERT_TRUE(served) << served.error().what;
  }
  WebClient client() const { return WebClient(server->port()); }
  std::string log_text() const {
    const std::lock_guard lock(logging);
    return logged;
  }
  std::string trouble_text() const {
    const std::lock_guard lock(logging);
    return trouble;
  }

  /// On the loop: three lines that say who asks; of "never" none, of "events" one and no end where `has_events`, and of
  /// "ready" what `is_ready` says.
  void answer(const io::Question& question, const io::Reply& reply) {
    const std::string what = question.message.text("do").value_or("");
    ++asked;
    if (what == "ready") {
      ++asked_ready;
      return reply.finish(io::Message().set("ready", is_ready.load()).set("why", std::vector<std::string>{"backend"}));
    }
    if (what == "never" || (what == "events" && has_events)) {
      if (what == "events") reply.send(io::Message().set("id", "p-0").set("event", "begin").set("data", "{}"));
      reply.on_gone([this] { ++gone; });
      kept.push_back(reply);
      ++held;
      return;
    }
    if (what == "drop") return;
    for (const std::int64_t number : {1, 2}) reply.send(io::Message().set("number", number));
    reply.finish(io::Message().set("by", question.asker.name).set("key", question.asker.key));
  }

  HttpSettings settings;
  const TempFolder folder;
  mutable std::mutex logging;
  std::string logged, trouble;
  std::atomic<bool> is_ready = true, has_events = false;
  std::atomic<int> asked = 0, asked_ready = 0, held = 0, gone = 0;
  boost::asio::io_context loop;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{loop.get_executor()};
  std::vector<io::Reply> kept;  // of the loop's
  std::thread thread;
  std::unique_ptr<HttpServer> server;
};

}  // namespace ballot::web

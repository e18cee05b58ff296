// Agent: the HTTP interface of Consul's agent on this host: requests with what is to be done with their answers, and
// what an answer means. Knows no keys and no sessions. On the plugin's thread.
//
//   agent.put("/v1/session/renew/" + id, "", [](const Reply& reply) { ... });
//   agent.receive();                                    // calls back
//
// Consul says "500" to nearly everything that goes wrong, so only what is known to have been refused is; all else may
// have happened, and may still happen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ballot/backend.hpp"
#include "http_client/client.hpp"
#include "http_client/json.hpp"
#include "support/bounds.hpp"

namespace ballot::consul {

struct Reply {
  enum class Meaning {
    done,       // 200
    absent,     // 404
    refused,    // 409: a transaction's
    forbidden,  // 401, 403: this token may not do it
    failed,     // 400, 405, 413: it has not happened, and never will
    unknown     // 429, 5xx, no answer: it may have happened
  };
  Meaning meaning;
  std::string body;        // of an answer; else for people, why there is none
  http::json::value json;  // the same, read
  std::uint64_t index;     // X-Consul-Index
  bool too_large = false;  // there is an answer, and more of it than was asked for

  Reply(Meaning meaning = Meaning::unknown, std::string text = {}, std::uint64_t index = 0)
      : meaning(meaning), body(std::move(text)), json(http::parse_json(body)), index(index) {}

  bool is(Meaning other) const noexcept { return meaning == other; }
  /// Of a GET that lists; what is no list was not said by Consul.
  bool is_list() const noexcept { return is(Meaning::done) && json.is_array(); }
  bool says(std::string_view words) const { return body.find(words) != body.npos; }
  /// For people: what went wrong, and what to do about it.
  std::string text() const;
};

/// For who asked for a change or a read; absent and refused are theirs to judge.
StoreResult outcome_of(const Reply& reply);

class Agent {
 public:
  struct Call {
    std::string method;
    std::string target;  // from "/v1/" on
    std::string body = {};
    std::optional<Millis> patience = {};            // none: the agent's
    bool polls = false;                             // it waits on purpose
    std::size_t largest = support::bounds::answer;  // bytes of the answer
  };
  using Done = std::function<void(const Reply&)>;

  /// `on_connected`: it answers again after a time in which it did not. Throws std::runtime_error where there can be no
  /// client.
  Agent(const http::Settings& settings, std::shared_ptr<support::Wakeup> wakeup, std::string token,
        std::function<void()> on_connected);

  void get(std::string target, Done done) { call({"GET", std::move(target)}, std::move(done)); }
  /// Many keys, or services: to bounds::list.
  void list(std::string target, Done done) {
    Call asked{"GET", std::move(target)};
    asked.largest = support::bounds::list;
    call(std::move(asked), std::move(done));
  }
  void put(std::string target, std::string body, Done done) {
    call({"PUT", std::move(target), std::move(body)}, std::move(done));
  }
  /// Of all operations or none, one after the other: each as operation() gives it.
  void transact(const std::vector<std::string>& operations, Done done, std::optional<Millis> patience = {});
  /// A blocking query, whose target has a '?': answered when its index is another one than `since`, or after `wait`;
  /// with 0 at once.
  void poll(std::string target, std::uint64_t since, Millis wait, Done done);
  void call(Call call, Done done);

  /// Within which it answers.
  Millis patience() const noexcept { return patience_; }
  void set_patience(Millis patience) noexcept { patience_ = patience; }

  /// Calls back for what has arrived.
  void receive();
  /// Nothing is called back any more.
  void abandon() noexcept { asked_.clear(); }

 private:
  std::unique_ptr<http::Client> client_;
  const std::string token_;
  const std::function<void()> on_connected_;
  std::unordered_map<std::uint64_t, Done> asked_;  // by the client's id
  Millis patience_{1000};
  bool silent_ = false;
};

}  // namespace ballot::consul

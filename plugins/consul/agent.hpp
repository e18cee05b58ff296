// Agent: the HTTP interface of Consul's agent on this host: requests with what is to be done with their answers, and
// what an answer means. Knows no keys and no sessions. On the plugin's thread.
//
//   agent.call({"PUT", "/v1/session/renew/" + id, "", Millis(500)}, [](const Reply& reply) { ... });
//   agent.receive();                                    // calls back
//
// Consul says "500" to nearly everything that goes wrong, so only what is known to have been refused is; all else may
// have happened, and may still happen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ballot/time.hpp"
#include "http/client.hpp"
#include "http/json.hpp"

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
  Meaning meaning = Meaning::unknown;
  std::string body = {};    // of an answer; else for people, why there is none
  std::uint64_t index = 0;  // X-Consul-Index
  std::size_t size = 0;     // of the body

  bool is(Meaning other) const noexcept { return meaning == other; }
  bool says(std::string_view words) const { return body.find(words) != body.npos; }
  http::json::value json() const { return http::parse_json(body); }
  /// For people: what went wrong, and what to do about it.
  std::string text() const;
};

class Agent {
 public:
  struct Call {
    std::string method;
    std::string target;  // from "/v1/" on
    std::string body = {};
    Millis patience{1000};
  };
  using Done = std::function<void(const Reply&)>;

  /// `on_connected`: it answers again after a time in which it did not.
  Agent(std::unique_ptr<http::Client> client, std::string token, std::function<void()> on_connected);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  void call(Call call, Done done);
  /// A blocking query: answered when something has changed, or after the time that the target names. Of these the
  /// agent is not busy.
  void poll(std::string target, Millis patience, Done done);
  /// Called back by the next receive(): what needs no answer, but may not be answered from within.
  void later(std::function<void()> work) { later_.push_back(std::move(work)); }

  /// Calls back for what has arrived.
  void receive();
  /// Nothing is called back any more.
  void abandon() noexcept;
  bool idle() const noexcept { return under_way_ == 0 && later_.empty(); }
  bool has_work() const noexcept { return !later_.empty(); }
  /// The highest that was seen.
  std::uint64_t revision() const noexcept { return revision_; }
  void saw(std::uint64_t revision) noexcept;

 private:
  struct Asked {
    Done done;
    bool polls = false;
  };
  void send(Call call, Done done, bool polls);
  void judge(const Reply& reply);

  std::unique_ptr<http::Client> client_;
  const std::string token_;
  const std::function<void()> on_connected_;
  std::unordered_map<std::uint64_t, Asked> asked_;
  std::vector<std::function<void()>> later_;
  std::size_t under_way_ = 0;
  std::uint64_t revision_ = 0;
  bool silent_ = false;
};

}  // namespace ballot::consul

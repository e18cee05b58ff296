// Client: HTTP/1.1 requests to one of several servers that serve the same, asked by a plugin's thread and answered to
// it: calls over a few connections that are kept, long polls and streams over one each. Knows nothing of what is asked:
// whether an answer is good, or a request may be repeated, is the caller's to say. All of it from one thread; what it
// asks is carried out by a thread of the client's own, whose events end a wait on the wakeup.
//
//   auto client = http::Client::make({{{"127.0.0.1", "2379"}}}, wakeup);   // Result<std::unique_ptr<Client>>
//   const auto id = (*client)->ask({.method = "POST", .target = "/v3/kv/range", .body = json, .patience =
//   Millis(500)}); wakeup->wait(due);  for (const http::Event& one : (*client)->take()) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/time.hpp"
#include "support/bounds.hpp"
#include "support/wakeup.hpp"

namespace ballot::http {

struct Endpoint {
  std::string host;  // a name, or an address without brackets
  std::string port;
};

/// "HOST:PORT" or "[IPV6]:PORT", as support::read_hosts gives it.
Endpoint endpoint_of(const std::string& text);
/// The reverse.
std::string text_of(const Endpoint& endpoint);

struct Tls {
  std::string ca_file = {};      // PEM; "": those of the system
  std::string cert_file = {};    // of this client, PEM with its chain; "": none
  std::string key_file = {};     // of cert_file
  std::string server_name = {};  // that the servers' certificates are for; "": each its host, name or address
  bool verify = true;
};

struct Settings {
  std::vector<Endpoint> servers;
  std::optional<Tls> tls = {};
  std::size_t connections = 4;    // for calls without a server; more calls wait for one of them
  Millis connect_patience{1000};  // for one server to take a connection, its name and TLS included
};

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method = "GET";
  std::string target;
  Headers headers = {};  // beside Host, Content-Length and User-Agent
  std::string body = {};
  Millis patience{1000};                          // from ask() to the answer; of a stream, to its first line
  std::size_t largest = support::bounds::answer;  // body, or line of a stream, in bytes; more is no answer
  /// The answer is waited for on purpose: it gets a connection of its own, which is kept for the next one.
  bool long_poll = false;
  /// The request may be repeated: where a connection broke after it was sent, it is sent to the next server. A request
  /// that was not sent is always tried at each server.
  bool idempotent = false;
  /// An index of Settings::servers: only that one is asked. none: the present one, or the next where that fails.
  std::optional<std::size_t> server = {};
};

struct Event {
  enum class Kind {
    answer,  // to ask(), once
    line,    // of a stream that was answered with 2xx, without its end; `body`
    end  // of a stream, once: by the server, a fault or a time-out. Where it was not answered with 2xx, as an answer
  };
  std::uint64_t id = 0;
  Kind kind = Kind::answer;
  int status = 0;  // 0: there was no answer; `problem` says why
  Headers headers = {};
  std::string body = {};
  std::string problem = {};  // "": none; else for people, with the server, at most bounds::text bytes
  bool sent = false;         // with a problem: it may have reached a server
  bool too_large = false;    // the problem is that the answer is larger than Request::largest
  std::size_t server = 0;    // that was asked last

  bool ok() const { return problem.empty() && status >= 200 && status < 300; }
  /// The header's value, "" where there is none; `name` in any case.
  std::string_view header(std::string_view name) const;
};

class Client {
 public:
  /// Errors: invalid, where no server is named or a file of `tls` cannot be used; io, where there is no thread to be
  /// had. Servers need not be there.
  static Result<std::unique_ptr<Client>> make(Settings settings, std::shared_ptr<support::Wakeup> wakeup);
  /// What make() would find wrong with the settings.
  static Result<void> check(const Settings& settings);
  /// Cancels everything; does not wait for any server.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Answered by one Event `answer`. The ids are never 0 nor given again.
  std::uint64_t ask(Request request);
  /// Each line of the answer's body is an Event; the last is `end`. A stream that is silent after its first line is not
  /// ended: the caller cancels it.
  std::uint64_t stream(Request request);
  /// No event of it is taken any more; its connection is closed. What was sent is not called back.
  void cancel(std::uint64_t id);
  /// What names no server goes to the next one, if this is the present one: for answers that say that a server cannot
  /// serve. What is under way stays.
  void leave(std::size_t server);

  /// What has happened since the last call, in order.
  std::vector<Event> take();

 private:
  class Inside;
  explicit Client(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace ballot::http

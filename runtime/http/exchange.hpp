// Exchange: one request of HTTP and its response, as a route sees them. The server has read the request, knows who asks
// and that the asker has the route's role; the route says what is answered, at once, later, or piece by piece.
//
// Knows nothing of sockets and of TLS. The server has an implementation, tests of routes have one of their own.
// Thread: the server's. An exchange lives as long as somebody has a pointer to it; what is sent after its end, or once
// the client has gone, is dropped. One that is released before it has ended is ended by the server with status 500.
//
//   const Route route{Method::get, "/api/v1/jobs/{name}", io::Role::viewer, [](const ExchangePtr& exchange) {
//     io::Message question;
//     question.set("do", "job").set("job", exchange->request().parameter("name"));
//     exchange->ask(std::move(question), [exchange](AnswerLine line) {
//       if (line.is_last) exchange->finish(response_of(line.message()));
//     });
//   }};
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/time.hpp"
#include "io/asker.hpp"
#include "io/message.hpp"
#include "io/role.hpp"

namespace ballot::web {

/// A request for HEAD reaches a route as one for GET; OPTIONS and everything else is answered by the server.
enum class Method { get, post, put, delete_ };

std::string_view to_string(Method method);  // "GET"

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  Method method = Method::get;
  std::string_view route;         // the template of the route that was found: "/api/v1/jobs/{name}"
  std::vector<std::string> path;  // segments below the base path, decoded: none is "", "." or ".."
  Pairs query;                    // decoded, in the order of the URL; '+' is a space
  Pairs headers;                  // those that routes ask for, names in lower case: see request_headers
  Pairs parameters;               // of the template, decoded: {"name", "nightly-backup"}
  std::string body;               // whole, at most HttpLimits::body_bytes; of application/json where there is one
  io::Asker asker;                // with the route's role, or a higher one

  /// The value of the template's parameter.
  const std::string& parameter(std::string_view name) const;
  /// By its name in lower case; none where the request has none, or the server does not hand it on.
  std::optional<std::string> header(std::string_view name) const;
};

/// The headers that a route gets to see; of each the first.
inline constexpr std::string_view request_headers[] = {"accept",        "accept-encoding", "content-type", "if-match",
                                                       "if-none-match", "last-event-id",   "prefer",       "range"};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";  // "": none is sent
  Pairs headers = {};                             // beside those of each response; the same name beats the server's
  std::string body = {};
};

/// A line of the answer to a question: of some it is encoded already, of others not yet.
struct AnswerLine {
  std::variant<io::Message, std::string> content;
  bool is_last = false;

  /// invalid: what was encoded is no Message.
  Result<io::Message> message() const;
  /// As JSON, without the line's end.
  std::string text() const;
};

class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const HttpRequest& request() const = 0;

  /// Hands a question to the daemon, in the name of the asker; a question that takes a higher role than the asker's is
  /// refused by an error as its only line. `on_line` is called for each line of the answer, never from within ask(),
  /// and not once the exchange is over. Several may be asked, one after the other or at once.
  virtual void ask(io::Message question, std::function<void(AnswerLine)> on_line) = 0;
  /// Calls `then` after that time, unless the exchange is over by then.
  virtual void after(Millis delay, std::function<void()> then) = 0;

  /// Before begin(), where the response goes on until the client goes. False: there are too many of these, which is the
  /// response.
  virtual bool become_stream() = 0;

  /// The whole response. Once, and not after begin().
  virtual void finish(HttpResponse response) = 0;

  /// The head of a response whose length is not known, with its first bytes (`response.body`, which may be ""). There
  /// is no limit on how long it goes on, but the route sends something at least each 30 s.
  virtual void begin(HttpResponse response) = 0;
  /// More of the body. The client is cut off where it has not read HttpLimits::unread_bytes: who has much to send
  /// asks unread() and goes on by on_drained().
  virtual void send(std::string_view bytes) = 0;
  /// The body is complete.
  virtual void end() = 0;
  /// Bytes that were sent and that the client's socket has not taken.
  virtual std::size_t unread() const = 0;
  /// Calls `then` once, as soon as nothing is unread (never from within this call).
  virtual void on_drained(std::function<void()> then) = 0;

  /// The response is complete, or the client has gone.
  virtual bool is_over() const = 0;
  /// Calls `then` once, when the client goes before the end.
  virtual void on_gone(std::function<void()> then) = 0;
};

using ExchangePtr = std::shared_ptr<Exchange>;

/// What answers the requests of a method and a path.
struct Route {
  Method method = Method::get;
  std::string_view
      path;  // segments, some of them parameters: "/api/v1/runs/{id}/output"; a literal segment is tried first, and
             // "{file...}" is one or more at the end
  io::Role role = io::Role::viewer;  // none: anybody, without a token
  std::function<void(const ExchangePtr&)> answer;
  Millis longest{35'000};  // until the response begins; then the client gets 504
  bool is_probe = false;   // of health: answered however often it comes
};

using Routes = std::vector<Route>;

/// RFC 9457: application/problem+json with type, title, status and detail.
HttpResponse problem(int status, std::string_view detail);
/// The same for an error of the daemon: invalid is 400, refused and denied 403, not_found 404, conflict 409,
/// unavailable 503, timeout 504, all else 500.
HttpResponse problem(const Error& error);

}  // namespace ballot::web

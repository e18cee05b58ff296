// HttpServer: the daemon's API over HTTP: a thread with an io_context of its own, on which clients are listened to and
// answered, however many there are and whatever they send. It decides nothing: what is asked goes to the loop as a
// question of the control socket, and the answer comes back from there.
//
// A client that is slow, silent or floods is bounded by http_limits.hpp. Certificates and tokens are read again when
// their files change; a response to somebody whose token is gone by then is broken off.
// Thread: that of the loop, but for counts(), which any may call.
//
//   auto server = HttpServer::start(settings, {post, answer, groups, routes, host_name, log});   // Result
//   (*server)->url()                                                                             // for other nodes
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ballot/error.hpp"
#include "ballot/log.hpp"
#include "base/http_settings.hpp"
#include "http/answer_crossing.hpp"
#include "http/exchange.hpp"
#include "http/http_limits.hpp"
#include "io/question.hpp"
#include "io/roles.hpp"

namespace ballot::web {

/// What the server is part of.
struct HttpHost {
  Post post;              // calls a task on the loop
  io::Handler answer;     // on the loop
  io::RoleGroups groups;  // of who connects to a socket
  Routes routes;          // beside those of every server: /healthz, /readyz, /api/v1/questions
  std::string host_name;
  Log log;
  std::function<void(std::string)> on_trouble = {};  // on the loop: what is wrong with the API; "": nothing any more
};

class HttpServer {
 public:
  /// Requires: problems_of(settings) is empty. Errors: invalid, refused, not_found: a file of certificates or tokens
  /// that cannot be used; conflict, io: it cannot listen there, unavailable: there are no threads.
  static Result<std::unique_ptr<HttpServer>> start(HttpSettings settings, HttpHost host, HttpLimits limits = {});
  /// Closes every connection. No question after return.
  ~HttpServer();

  /// The port that is listened on; 0 for a socket.
  std::uint16_t port() const;
  /// By which other nodes reach it, see advertised_url().
  std::string url() const;

  /// Each that is answered, those of every server too. The routes do not change.
  Routes routes() const;

  /// Groups of users are looked up again.
  void reload();

  /// How many requests were answered, by template of the route ("none": no route's) and status.
  using Counts = std::map<std::pair<std::string, int>, std::uint64_t>;
  Counts counts() const;

 private:
  struct State;
  explicit HttpServer(std::shared_ptr<State> state);
  const std::shared_ptr<State> state_;
};

}  // namespace ballot::web

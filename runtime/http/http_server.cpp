#include "http/http_server.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "base/exception_text.hpp"
#include "base/signals_blocked.hpp"
#include "http/connection.hpp"
#include "http/health.hpp"
#include "http/listener.hpp"
#include "http/question_route.hpp"
#include "http/server_tls.hpp"

namespace ballot::web {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr int server_nice = 5;  // the loop goes first
constexpr Millis look_interval{1000}, accept_pause{100};

}  // namespace

/// Members are in the order in which they need each other.
struct HttpServer::State : std::enable_shared_from_this<State> {
  State(HttpSettings with, HttpHost owner, HttpLimits bounds, TokenFile token_file, std::optional<ServerTls> with_tls)
      : settings(std::move(with)),
        limits(bounds),
        host(std::move(owner)),
        tokens(std::move(token_file)),
        tls(std::move(with_tls)),
        roles(host.groups),
        identity(settings, tokens, roles),
        places(limits),
        health([this](io::Question question, std::function<void(AnswerLine)> on_line) {
          ask(std::move(question), std::move(on_line));
        }),
        routes(all_routes()),
        reception({settings, limits, routes, identity, places, host.host_name}),
        shared{settings, limits, reception, places, 0, nullptr, nullptr, nullptr, nullptr} {
    shared.ask = [this](io::Question question, std::function<void(AnswerLine)> on_line) {
      return ask(std::move(question), std::move(on_line));
    };
    shared.count = [this](std::string_view route, int status) {
      const std::lock_guard lock(counting);
      ++counts[{std::string(route), status}];
    };
    shared.look = [this](const Credentials& shown) { warn_of_proxy(shown); };
    shared.closed = [this](Places::Number number) {
      places.remove(number);
      connections.erase(number);
    };
  }

  Routes all_routes() {
    Routes all = host.routes;
    health.add_to(all);
    all.push_back(question_route(limits.values));
    return all;
  }

  // ---- from any thread

  /// Calls a task on the server's thread, as long as there is a server.
  Post to_server() {
    return [weak = weak_from_this()](std::function<void()> task) {
      if (const auto self = weak.lock()) asio::post(self->context, std::move(task));
    };
  }

  // ---- on the server's thread

  std::shared_ptr<AnswerCrossing> ask(io::Question question, std::function<void(AnswerLine)> on_line) {
    const auto crossing = std::make_shared<AnswerCrossing>(to_server(), host.post, std::move(on_line));
    host.post(
        [answer = host.answer, question = std::move(question), crossing] { answer(question, io::Reply(crossing)); });
    return crossing;
  }

  void accept() {
    listener->accept([self = shared_from_this()](error_code error, Transport::Socket socket, Credentials peer) {
      if (self->stops) return;
      if (error) return self->accept_later();
      self->admit(std::move(socket), std::move(peer));
      self->accept();
    });
  }

  /// No descriptors left, most likely: not at once again.
  void accept_later() {
    pause.expires_after(accept_pause);
    pause.async_wait([self = shared_from_this()](error_code) {
      if (!self->stops) self->accept();
    });
  }

  void admit(Transport::Socket socket, Credentials peer) {
    if (places.is_full()) {
      const auto weakest = places.weakest();
      const auto found = weakest ? connections.find(*weakest) : connections.end();
      if (found == connections.end()) return;  // all are being answered
      const auto kept = found->second;
      kept->close();
    }
    const Places::Number number = ++last_number;
    places.add(number, place_of(peer));
    auto transport = make_transport(std::move(socket), tls ? tls->context() : nullptr);
    const auto made =
        std::make_shared<Connection>(shared, number, std::move(transport), context.get_executor(), std::move(peer));
    connections.emplace(number, made);
    made->start();
  }

  /// Looks for files that have changed, or that were removed.
  void look() {
    listener->restore(roles.access());
    if (const auto failed = tls ? tls->refresh() : std::nullopt)
      host.log(Level::error, failed->what + "; the certificate before is still used", {});
    if (const auto fault = tls ? tls->untimely() : std::nullopt; fault && untimely.is_new(*fault))
      host.log(Level::warn, *fault + "; it is used all the same", {});
    const auto read = tokens.refresh();
    if (!read) host.log(Level::error, read.error().what + "; the tokens before still count", {});
    if (read && *read == TokenFile::Refreshed::changed) drop_former();
    say_trouble(tokens.fault().empty() ? "" : tokens.fault() + "; the tokens of before still count");
    watch.expires_after(look_interval);
    watch.async_wait([self = shared_from_this()](error_code) {
      if (!self->stops) self->look();
    });
  }

  /// Somebody may still come in whose token was taken away: that is not for the log alone.
  void say_trouble(const std::string& text) {
    if (std::exchange(trouble, text) == text || !host.on_trouble) return;
    host.post([say = host.on_trouble, text] { say(text); });
  }

  /// Closes the connections whose token is gone, or has another role.
  void drop_former() {
    host.log(Level::info, "the API's tokens were read again", {{"tokens", std::to_string(tokens.tokens().size())}});
    const auto all = connections;
    for (const auto& [number, one] : all)
      if (one->caller() != nullptr && !identity.is_current(*one->caller())) one->close();
  }

  void warn_of_proxy(const Credentials& shown) {
    if (!identity.ignores_proxy(shown) || std::exchange(has_warned, true)) return;
    host.log(Level::warn, "headers of a proxy are ignored, as trusted_proxies of [http] does not name who sent them",
             {{"from", shown.address ? shown.address->text() : "the socket"}});
  }

  void run() {
    ::pthread_setname_np(::pthread_self(), "ballot-http");
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), server_nice);
    accept();
    look();
    while (!stops) try {
        context.run();
        return;
      } catch (const std::exception& error) {  // memory may be used up
        host.log(Level::error, "the API dropped a request: " + exception_text(error), {});
      }
  }

  const HttpSettings settings;
  const HttpLimits limits;
  const HttpHost host;
  TokenFile tokens;
  std::optional<ServerTls> tls;
  ToldOnce untimely;  // of the certificate in use
  io::Roles roles;
  const Identity identity;
  Places places;
  Health health;
  const RouteTable routes;
  Reception reception;
  ConnectionHost shared;
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  asio::steady_timer pause{context}, watch{context};
  std::unique_ptr<Listener> listener;
  std::uint16_t port = 0;
  std::map<Places::Number, std::shared_ptr<Connection>> connections;
  Places::Number last_number = 0;
  std::string trouble;  // as the host knows it
  bool has_warned = false, stops = false;
  mutable std::mutex counting;
  Counts counts;
  std::thread thread;
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpSettings settings, HttpHost host, HttpLimits limits) try {
  const auto place = ListenPlace::parse(settings.listen);
  if (!place) return Error{Errc::invalid, "[http] listen: " + settings.listen + " is no place to listen on"};
  auto tokens = TokenFile::open(settings.tokens);
  if (!tokens) return tokens.error();
  auto tls = ServerTls::of(settings);
  if (!tls) return tls.error();
  const auto state =
      std::make_shared<State>(std::move(settings), std::move(host), limits, *std::move(tokens), *std::move(tls));
  auto listener = Listener::open(state->context, *place, state->roles.access());
  if (!listener) return listener.error();
  state->listener = *std::move(listener);
  state->port = state->listener->port();
  const SignalsBlocked blocked;
  state->thread = std::thread([state] { state->run(); });
  return std::unique_ptr<HttpServer>(new HttpServer(state));
} catch (const std::system_error& error) {
  return Error{Errc::unavailable, "cannot begin the thread of the API: " + exception_text(error)};
}

HttpServer::HttpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

HttpServer::~HttpServer() {
  asio::post(state_->context, [state = state_] {
    state->stops = true;
    const auto all = state->connections;
    for (const auto& [number, one] : all) one->close();
    state->listener.reset();
    state->pause.cancel();
    state->watch.cancel();
    state->context.stop();
  });
  state_->thread.join();
  state_->context.restart();  // what was under way has been called off, and lets go of the state
  state_->context.poll();
}

std::uint16_t HttpServer::port() const { return state_->port; }

std::string HttpServer::url() const { return advertised_url(state_->settings, port(), state_->host.host_name); }

Routes HttpServer::routes() const { return state_->routes.all(); }

void HttpServer::reload() {
  asio::post(state_->context, [state = state_] { state->roles.resolve(); });
}

HttpServer::Counts HttpServer::counts() const {
  const std::lock_guard lock(state_->counting);
  return state_->counts;
}

}  // namespace ballot::web

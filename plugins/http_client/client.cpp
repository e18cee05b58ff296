#include "http_client/client.hpp"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>
#include <unordered_set>

#include "http_client/dispatcher.hpp"
#include "http_client/tls_context.hpp"
#include "support/mailbox.hpp"
#include "support/thread.hpp"

namespace ballot::http {

class Client::Inside {
 public:
  Inside(const Settings& settings, std::shared_ptr<boost::asio::ssl::context> tls,
         std::shared_ptr<support::Wakeup> wakeup)
      : events_(std::move(wakeup)),
        io_(1),
        work_(io_.get_executor()),
        dispatcher_(
            io_, settings, std::move(tls), [this](Event event) { tell(std::move(event)); },
            [this] { return untaken_.load(); }),
        thread_(support::start_thread("ballot-http", [this] { run(); })) {}
  ~Inside() {
    io_.stop();
    thread_.join();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  std::uint64_t start(Request request, AnswerKind kind) {
    const std::uint64_t id = ++last_id_;
    open_.insert(id);
    boost::asio::post(io_,
                      [this, id, kind, asked = std::chrono::steady_clock::now(), what = std::move(request)]() mutable {
                        dispatcher_.start(id, std::move(what), kind, asked);
                      });
    return id;
  }
  void cancel(std::uint64_t id) {
    if (open_.erase(id) > 0) boost::asio::post(io_, [this, id] { dispatcher_.cancel(id); });
  }
  void leave(std::size_t server) {
    boost::asio::post(io_, [this, server] { dispatcher_.leave(server); });
  }

  std::vector<Event> take() {
    std::vector<Event> events = events_.take();
    std::erase_if(events, [this](const Event& one) {
      untaken_ -= size_of(one);
      return open_.count(one.id) == 0;
    });
    for (const Event& one : events)
      if (one.kind != Event::Kind::line) open_.erase(one.id);
    return events;
  }

 private:
  /// In memory: an empty line costs too.
  static std::size_t size_of(const Event& event) {
    std::size_t size = sizeof(Event) + event.body.size() + event.problem.size();
    for (const auto& [name, value] : event.headers) size += sizeof event.headers[0] + name.size() + value.size();
    return size;
  }
  void tell(Event event) {
    untaken_ += size_of(event);
    events_.push(std::move(event));
  }
  void run() {
    while (!io_.stopped()) {
      try {
        io_.run();
      } catch (const std::exception&) {
        // No memory: what was asked ends by its time-out.
      }
    }
  }

  support::Mailbox<Event> events_;
  std::atomic<std::size_t> untaken_{0};  // bytes
  // The caller's.
  std::uint64_t last_id_ = 0;
  std::unordered_set<std::uint64_t> open_;  // neither answered nor cancelled
  // The thread's.
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  Dispatcher dispatcher_;
  std::thread thread_;
};

Result<std::unique_ptr<Client>> Client::make(Settings settings, std::shared_ptr<support::Wakeup> wakeup) {
  if (settings.servers.empty()) return Error{Errc::invalid, "no server is named"};
  std::shared_ptr<boost::asio::ssl::context> context;
  if (settings.tls) {
    auto made = make_tls_context(*settings.tls);
    if (!made) return made.error();
    context = std::move(*made);
  }
  try {
    return std::unique_ptr<Client>(
        new Client(std::make_unique<Inside>(settings, std::move(context), std::move(wakeup))));
  } catch (const std::system_error& error) {
    return Error{Errc::io, std::string("no thread for HTTP: ") + error.what()};
  }
}

Result<void> Client::check(const Settings& settings) {
  if (settings.servers.empty()) return Error{Errc::invalid, "no server is named"};
  if (!settings.tls) return {};
  const auto context = make_tls_context(*settings.tls);
  return context ? Result<void>() : Result<void>(context.error());
}

Client::Client(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Client::~Client() = default;

std::uint64_t Client::ask(Request request) { return inside_->start(std::move(request), AnswerKind::whole); }
std::uint64_t Client::stream(Request request) { return inside_->start(std::move(request), AnswerKind::lines); }
void Client::cancel(std::uint64_t id) { inside_->cancel(id); }
void Client::leave(std::size_t server) { inside_->leave(server); }
std::vector<Event> Client::take() { return inside_->take(); }

}  // namespace ballot::http

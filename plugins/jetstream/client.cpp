#include "client.hpp"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>

#include "dialer.hpp"
#include "support/bounds.hpp"
#include "support/clock.hpp"
#include "support/thread.hpp"

namespace ballot::jetstream {

using namespace support;
using Kind = Message::Kind;

namespace {

constexpr std::string_view inbox_head = "_INBOX.";

std::uint64_t to_number(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void read_status(Frame& frame, Message& into) {
  into.reply = std::move(frame.reply);
  into.flow = value_of(frame.header, "Nats-Consumer-Stalled");
  into.last_sent = to_number(value_of(frame.header, "Nats-Last-Consumer"));
}

void read_delivery(const Frame& frame, Message& into) {
  into.marker = !value_of(frame.header, "KV-Operation").empty();
  into.id = value_of(frame.header, message_id);
  const auto places = places_of(frame.reply);
  if (!places) return;
  into.consumer = places->consumer;
  into.stream_sequence = places->stream_sequence;
  into.consumer_sequence = places->consumer_sequence;
  into.stored = places->stored;
}

Message message_of(Frame frame) {
  Message message;
  message.subscription = frame.subscription;
  message.subject = std::move(frame.subject);  // of a consumer's: that which it was stored under
  if (message.subject.starts_with(inbox_head)) {
    const std::size_t dot = message.subject.find('.', inbox_head.size());
    if (dot != std::string::npos) message.to = message.subject.substr(dot + 1);
  }
  message.data = std::move(frame.data);
  message.status = status_of(frame.header);
  message.status != 0 ? read_status(frame, message) : read_delivery(frame, message);
  return message;
}

}  // namespace

/// The state of the client's thread; the plugin's thread adds to it what is to be sent.
class Client::Inside final : private Dialer::User {
 public:
  Inside(std::shared_ptr<Inbox> inbox, const Access& access)
      : inbox_(std::move(inbox)),
        work_(io_.get_executor()),
        dialer_(io_, access, *this),
        thread_(start_thread("ballot-nats-io", [this] { run(); })) {}
  ~Inside() {
    io_.stop();
    thread_.join();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  void dial(std::uint64_t number, Dialer::Call call) {
    {
      const std::lock_guard hold(mutex_);
      out_.clear();
    }
    boost::asio::post(io_, [this, number, call = std::move(call)] {
      connection_ = number;
      dialer_.dial(call);
    });
  }
  void send(std::string_view bytes) {
    const std::lock_guard hold(mutex_);
    if (out_.size() <= bounds::unsent) out_ += bytes;  // a little more than it may be: the connection ends by it
    if (!std::exchange(flushes_, true)) boost::asio::post(io_, [this] { flush(); });
  }
  void taken(std::size_t bytes) { untaken_ -= bytes; }

 private:
  void flush() {
    std::string bytes;
    {
      const std::lock_guard hold(mutex_);
      bytes.swap(out_);
      flushes_ = false;
    }
    dialer_.write(bytes);
  }
  void report(Message message) {
    message.connection = connection_;
    untaken_ += message.size();
    inbox_->push(std::move(message));
  }
  void report(Kind kind, std::string why) {
    Message message;
    message.kind = kind;
    message.to = std::move(why);
    report(std::move(message));
  }

  void on_connected() override { report(Kind::connected, {}); }
  void on_not_connected(const Ended& ended) override {
    report(ended.refused ? Kind::refused : Kind::failed, ended.why);
  }
  void on_disconnected(const Ended& ended) override { report(Kind::disconnected, ended.why); }
  void on_message(Frame frame) override { report(message_of(std::move(frame))); }
  void on_denied(const std::string& what) override { report(Kind::denied, what); }
  bool congested() const override { return untaken_ > bounds::received; }

  void run() {
    while (!io_.stopped()) {
      try {
        io_.run();
      } catch (const std::exception&) {
        // No memory: what was asked ends by its time-out.
      }
    }
  }

  const std::shared_ptr<Inbox> inbox_;
  std::atomic<std::size_t> untaken_{0};  // bytes
  std::mutex mutex_;
  std::string out_;       // under mutex_
  bool flushes_ = false;  // it will be flushed; under mutex_
  // The thread's.
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  Dialer dialer_;
  std::uint64_t connection_ = 0;
  std::thread thread_;
};

Client::Client(std::shared_ptr<Inbox> inbox, Access access)
    : access_(std::move(access)), inside_(std::make_unique<Inside>(std::move(inbox), access_)) {}

Client::~Client() = default;

void Client::connect(const Secrets& secrets, Millis patience) {
  connected_ = false;
  heard_.clear();
  inside_->dial(++connection_, {secrets, patience, subscribe_text(address("r.*"), answers)});
}

/// Each consumer has a subscription of its own, as servers take a wildcard for no interest in its messages.
std::uint64_t Client::listen(const std::string& name) {
  if (!connected_) return 0;
  heard_.insert(++last_subscription_);
  inside_->send(subscribe_text(address(name), last_subscription_));
  return last_subscription_;
}

void Client::leave(std::uint64_t subscription) {
  if (heard_.erase(subscription) > 0 && connected_) inside_->send(unsubscribe_text(subscription));
}

void Client::ask(Post post, Done done, Priority priority) {
  const auto send_it = [this, post = std::move(post)](std::uint64_t number) {
    send(post, address("r." + std::to_string(number)));
  };
  requests_.ask(send_it, std::move(done), priority);
}

/// A request that cannot be sent is late, as it has no answer.
void Client::send(const Post& post, const std::string& reply) {
  if (connected_) inside_->send(publish_text(post, reply));
}

bool Client::on_notice(const Message& message) {
  if (message.kind == Kind::denied) {
    denied_ = message.to;
    denied_until_ = boot_now() + 2 * patience_;
  } else {
    connected_ = message.kind == Kind::connected;
  }
  return false;
}

bool Client::on(Message& message) {
  inside_->taken(message.size());
  if (message.connection != connection_) return true;
  if (message.kind != Kind::message) return on_notice(message);
  if (message.subscription != answers) return heard_.count(message.subscription) == 0;
  if (message.to.starts_with("r."))
    requests_.answer(to_number(std::string_view(message.to).substr(2)),
                     message.status == 503 ? unheard("no server has a leader for the stream, or JetStream is off there")
                                           : parse_answer(message.data));
  return true;
}

void Client::tick(SteadyTime now) {
  const bool is_denied = connected_ && now < denied_until_;
  requests_.time_out(now, patience_,
                     unheard(is_denied    ? denied_
                             : connected_ ? "the servers did not answer in time"
                                          : "there is no connection to a server"));
}

}  // namespace ballot::jetstream

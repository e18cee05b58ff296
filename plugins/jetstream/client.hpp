// Client: one connection to one of several servers, and what was asked over it. A thread of its own reads and writes,
// and copies what arrives into the Inbox; on() carries it on, on the plugin's thread. An answer that does not come
// within the patience is late: it may have happened. Nothing is kept to be sent later: what is asked while there is no
// connection is late too. Its end does not wait. Knows nothing of streams.
//
//   Client client(inbox, access);
//   client.connect(secrets, Millis(500));  ... Message::connected
//   client.ask({"$JS.API.INFO"}, [](const Answer& answer) { ... }, Priority::normal);
//   for (Message& one : inbox->take()) client.on(one);   ... client.tick(now);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "access.hpp"
#include "api.hpp"
#include "protocol.hpp"
#include "support/mailbox.hpp"
#include "support/random_word.hpp"
#include "support/requests.hpp"

namespace ballot::jetstream {

using support::Priority;

/// A report of the client's thread.
struct Message {
  /// `failed`: no server could be reached. `refused`: one did not accept who this is, or is none that can be used.
  enum class Kind { message, connected, failed, refused, denied, disconnected };

  std::uint64_t connection = 0;  // that reports it
  Kind kind = Kind::message;
  std::uint64_t subscription = 0;
  std::string to = {};       // what follows the client's prefix; where there is no connection: why; of `denied`: what
  std::string subject = {};  // under which it was stored
  std::string data = {};
  bool marker = false;                // the key was removed
  std::string id = {};                // its message id
  int status = 0;                     // of a message of the server's own: 100, 503
  std::string reply = {}, flow = {};  // of the same: where the server wants to hear that we are here
  std::uint64_t last_sent = 0;        // the consumer's last one, of a heartbeat
  std::string consumer = {};          // that sends it; its places in stream and consumer follow
  std::uint64_t stream_sequence = 0, consumer_sequence = 0;
  WallTime stored{};  // by the clock of the server that took it in

  std::size_t size() const noexcept {
    return sizeof *this + to.size() + subject.size() + data.size() + id.size() + reply.size() + flow.size() +
           consumer.size();
  }
};
using Inbox = support::Mailbox<Message>;

inline constexpr const char *message_id = "Nats-Msg-Id", *expected_sequence = "Nats-Expected-Last-Subject-Sequence",
                            *expected_last = "Nats-Expected-Last-Sequence";

class Client {
 public:
  using Done = std::function<void(const Answer&)>;

  /// Throws std::system_error where there is no thread to be had.
  Client(std::shared_ptr<Inbox> inbox, Access access);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Tries each server once, from the one after the last one on; answered by `connected`, `failed` or `refused`. What
  /// was connected before is not any more. After `disconnected` the caller connects again. `patience`: for each server.
  void connect(const Secrets& secrets, Millis patience);
  void set_patience(Millis patience) noexcept { patience_ = patience; }

  /// Answered once, not from within.
  void ask(Post post, Done done, Priority priority = Priority::normal);
  /// Is not answered. Lost where there is no connection.
  void tell(const Post& post) { send(post, {}); }
  /// Messages to address(name) come here until leave(), or as long as the connection lasts. 0: there is none.
  std::uint64_t listen(const std::string& name);
  void leave(std::uint64_t subscription);
  std::string address(const std::string& name) const { return "_INBOX." + word_ + "." + name; }
  /// Other clients have another one.
  const std::string& word() const noexcept { return word_; }

  /// True: it was an answer, or of no subscription or connection that is there, and is taken care of.
  bool on(Message& message);
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const { return requests_.due(patience_); }

 private:
  class Inside;
  static constexpr std::uint64_t answers = 1;  // the subscription to them

  bool on_notice(const Message& message);
  void send(const Post& post, const std::string& reply);

  const Access access_;
  const std::string word_ = support::random_word(12);  // in all subjects that come here
  const std::unique_ptr<Inside> inside_;
  std::uint64_t connection_ = 0;  // names it in messages
  bool connected_ = false;
  std::uint64_t last_subscription_ = answers;
  std::set<std::uint64_t> heard_;  // subscriptions, beside `answers`
  std::string denied_;             // what the servers have said last that this user may not,
  SteadyTime denied_until_{};      // which is why requests are not answered, until then
  Millis patience_{2000};
  support::Requests<Answer> requests_{support::Missing::one};
};

}  // namespace ballot::jetstream

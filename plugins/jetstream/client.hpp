// Client: one connection to the servers, and what was asked over it. The library's threads only copy what they receive
// into the Inbox; on() carries it on, on the plugin's thread. An answer that does not come within the patience is late:
// it may have happened. Nothing is kept to be sent later: what is asked while there is no connection is late too. Its
// end does not wait. Knows nothing of streams.
//
//   Client client(inbox, access);
//   client.connect();  ... Message::connected
//   client.ask({"$JS.API.INFO"}, [](const Answer& answer) { ... }, Priority::normal);
//   for (Message& one : inbox->take()) client.on(one);   ... client.tick(now);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "access.hpp"
#include "api.hpp"
#include "support/mailbox.hpp"
#include "support/random_word.hpp"
#include "support/requests.hpp"

namespace ballot::jetstream {

using support::Priority;

/// Something of the library's; its end is on a thread of its own, as it may flush, and wait for other threads.
using Owned = std::shared_ptr<void>;

/// What the library's threads report.
struct Message {
  enum class Kind { message, connected, failed, refused, denied, disconnected, reconnected, closed };

  std::uint64_t client = 0;  // that reports it
  Kind kind = Kind::message;
  std::string to = {};       // what follows the client's prefix; where there is no connection: why; of `denied`: what
  std::string subject = {};  // under which it was stored
  std::string data = {};
  bool marker = false;                // the key was removed
  int status = 0;                     // of a message of the server's own: 100, 503
  std::string reply = {}, flow = {};  // of the same: where the server wants to hear that we are here
  std::uint64_t last_sent = 0;        // the consumer's last one, of a heartbeat
  std::string consumer = {};          // that sends it; its places in stream and consumer follow
  std::uint64_t stream_sequence = 0, consumer_sequence = 0;
  WallTime stored{};                    // by the clock of the server that took it in
  Owned connection = {}, answers = {};  // of `connected`: with what listens to answers
};
/// Shared with the library's threads, as a connection that is being closed may outlive the backend.
using Inbox = support::Mailbox<Message>;

inline constexpr const char *message_id = "Nats-Msg-Id", *expected_sequence = "Nats-Expected-Last-Subject-Sequence";

/// What is published.
struct Post {
  std::string subject;
  std::string data = {};
  std::vector<std::pair<const char*, std::string>> headers = {};
};

class Client {
 public:
  using Done = std::function<void(const Answer&)>;

  Client(std::shared_ptr<Inbox> inbox, Access access);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// On a thread of its own, anew where there was a connection before; answered by `connected`, `failed` or `refused`.
  /// From then on the library connects again by itself; after `closed` it does not. `patience`: for each server.
  void connect(const Secrets& secrets, Millis patience);
  void set_patience(Millis patience) noexcept { patience_ = patience; }

  /// Answered once, not from within.
  void ask(Post post, Done done, Priority priority = Priority::normal);
  /// Is not answered. Lost where there is no connection.
  void tell(const Post& post) { send(post, {}); }
  /// Messages to address(name) come here, with `to` = `name`, as long as what is returned is kept, and the connection.
  Owned listen(const std::string& name);
  std::string address(const std::string& name) const { return "_INBOX." + word_ + "." + name; }
  /// Other clients have another one.
  const std::string& word() const noexcept { return word_; }

  /// True: it was an answer, or another client's, and is taken care of.
  bool on(Message& message);
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const { return requests_.due(patience_); }

 private:
  void leave();
  void send(const Post& post, const std::string& reply);

  const std::shared_ptr<Inbox> inbox_;
  const Access access_;
  const std::string word_ = support::random_word(12);  // in all subjects that come here
  std::uint64_t id_ = 0;                               // names the connection in messages
  Owned connection_, answers_;
  bool connected_ = false;
  std::string denied_;         // what the servers have said last that this user may not,
  SteadyTime denied_until_{};  // which is why requests are not answered, until then
  Millis patience_{2000};
  support::Requests<Answer> requests_{support::Missing::one};
};

}  // namespace ballot::jetstream

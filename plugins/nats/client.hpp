// Client: one connection to the servers, and what was asked over it. The library's threads only copy what they receive
// into the Inbox; on() carries it on, on the plugin's thread. What is bulk waits while much is under way, what is
// urgent does not. An answer that does not come within the patience is late: it may have happened. Nothing is kept to
// be sent later: what is asked while there is no connection is late too. Its end does not wait. Knows nothing of
// streams.
//
//   Client client(inbox, access);
//   client.connect();  ... Message::connected
//   client.ask({"$JS.API.INFO"}, [](const Answer& answer) { ... }, Priority::normal);
//   for (Message& one : inbox->take()) client.on(one);   ... client.tick(now);
#pragma once

#include <nats/nats.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inbox.hpp"
#include "settings.hpp"
#include "support/requests.hpp"

namespace ballot::nats {

using support::Priority;

/// What is published.
struct Post {
  std::string subject;
  std::string data = {};
  std::vector<std::pair<const char*, std::string>> headers = {};
};

struct Answer {
  enum class How {
    come,
    late,   // it may have happened, and may still happen
    nobody  // serves that subject
  };
  How how = How::late;
  std::string data = {};
};

class Client {
 public:
  using Done = std::function<void(const Answer&)>;

  Client(std::shared_ptr<Inbox> inbox, Access access);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Names it in messages.
  std::uint64_t id() const noexcept { return id_; }
  /// On a thread of its own, anew where there was a connection before; answered by `connected` or `failed`. From then
  /// on the library connects again by itself; after `closed` it does not. `patience`: for each server.
  void connect(const Secrets& secrets, Millis patience);
  bool is_connected() const noexcept { return connected_; }
  void set_patience(Millis patience) noexcept { patience_ = patience; }

  /// Answered once, not from within.
  void ask(Post post, Done done, Priority priority = Priority::normal);
  /// The same, with a patience of its own.
  void ask_for(Millis patience, Post post, Done done);
  /// Is not answered. Lost where there is no connection.
  void tell(const Post& post);
  /// Messages to address(name) come here, with `to` = `name`, until unlisten(). Lost with the connection.
  void listen(const std::string& name);
  void unlisten(const std::string& name);
  std::string address(const std::string& name) const { return prefix_ + name; }

  /// True: it was an answer, and is taken care of.
  bool on(Message& message);
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;
  /// Whatever is not answered yet is not.
  void forget();
  bool idle() const noexcept { return under_way_.empty() && waiting_.empty(); }

 private:
  struct Link;
  struct Asked {
    Done done;
    SteadyTime late{};
    bool bulk = false;
  };
  static constexpr std::size_t window = 256;

  static void received(natsConnection*, natsSubscription*, natsMsg* message, void* id);
  static void disconnected(natsConnection*, void* id);
  static void reconnected(natsConnection*, void* id);
  static void closed(natsConnection*, void* id);
  static natsStatus configure(natsOptions* options, const Access& access, const Secrets& secrets, Millis patience,
                              void* id);
  static void make_connection(const std::shared_ptr<Link>& link, const Access& access, const Secrets& secrets,
                              Millis patience, std::uint64_t id, const std::string& subject);

  void leave();
  void destroy_dropped();
  void start(Post post, Done done, Millis patience, bool bulk);
  void send(const Post& post, const std::string& reply);
  void finish(std::map<std::uint64_t, Asked>::iterator asked, const Answer& answer);
  void send_some();
  void give_up_waiting(SteadyTime now);

  const std::shared_ptr<Inbox> inbox_;
  const Access access_;
  const std::string prefix_;  // of the subjects that come here
  std::uint64_t id_ = 0;
  std::shared_ptr<Link> link_;
  natsConnection* connection_ = nullptr;
  bool connected_ = false;
  Millis patience_{2000};
  std::map<std::uint64_t, Asked> under_way_;
  std::deque<std::pair<Post, Done>> waiting_;
  std::size_t bulk_ = 0;  // of those under way
  std::uint64_t last_ = 0;
  SteadyTime last_answer_{};
  std::map<std::string, natsSubscription*> heard_;
  std::vector<natsSubscription*> dropped_;  // to be destroyed, once that does not block
};

}  // namespace ballot::nats

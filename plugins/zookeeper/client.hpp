// Client: one handle of ZooKeeper's C client, that is one session of the store. Every operation is asynchronous: the
// library's two threads, which reach the servers through a Gate, only copy what they receive into the Inbox, and
// dispatch() carries it on, on the plugin's thread, by Requests, where a Multi counts as several. Answers come in the
// order of sending. Knows nothing of what it is used for.
//
//   Client client(inbox, connection, nullptr);
//   client.get(path, Watch::yes, [this](const Reply& reply) { ... });       ... for each message:
//   client.dispatch(message);
//   Client::close(std::move(client));    // on a thread of its own, as it can take seconds; then Message::closed
#pragma once

#include <zookeeper/zookeeper.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gate.hpp"
#include "inbox.hpp"
#include "multi.hpp"
#include "support/requests.hpp"

namespace ballot::zookeeper {

using support::Priority;
using support::Requests;

/// How to reach the store.
struct Connection {
  std::string servers;  // "HOST:PORT,HOST:PORT"
  std::string user;     // of digest authentication: "USER:PASSWORD"; "" for none
  Millis timeout{0};    // to be asked for
};

/// Whether it has happened cannot be known from this code.
bool is_unknown(int rc) noexcept;
/// For people.
std::string text_of(int rc);

enum class Watch { no, yes };

class Client {
 public:
  using Done = Requests<Reply>::Done;

  /// `resume`: of a session to go on with, or null. Throws std::system_error where there is no handle or gate to be
  /// had.
  Client(std::shared_ptr<Inbox> inbox, const Connection& connection, const clientid_t* resume);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Names it in messages.
  std::uint64_t id() const noexcept;
  std::int64_t session() const { return zoo_client_id(handle_)->client_id; }
  clientid_t credentials() const { return *zoo_client_id(handle_); }
  /// As granted; once connected.
  Millis timeout() const { return Millis(zoo_recv_timeout(handle_)); }
  const ACL_vector* acl() const noexcept { return acl_; }
  std::unique_ptr<Multi> multi() const { return std::make_unique<Multi>(acl_); }

  void create(const std::string& path, const std::string& value, int mode, Done done);
  void get(const std::string& path, Watch watch, Done done, Priority priority = Priority::normal);
  void exists(const std::string& path, Watch watch, Done done);
  void children(const std::string& path, Watch watch, Done done, Priority priority = Priority::normal);
  /// `version` -1: any.
  void remove(const std::string& path, Done done, int version = -1);
  void sync(const std::string& path, Done done);
  void commit(std::unique_ptr<Multi> multi, Done done, Priority priority = Priority::normal);

  /// A reply of this client.
  void dispatch(const Message& message) { requests_.answer(message.operation, message.reply); }
  /// Answers what has been under way for `patience` as timed out, where the server has been silent for as long.
  void time_out(SteadyTime now, Millis patience);
  std::optional<SteadyTime> time_out_due(Millis patience) const { return requests_.due(patience); }
  /// Nothing is under way.
  bool idle() const noexcept { return requests_.idle(); }

  /// Drops the connection, but leaves the session to the store: a message says when (ZOO_AUTH_FAILED_STATE).
  void abandon();
  /// On a thread of its own: ends the session, where it is connected. Then `closed` is pushed.
  static void close(std::unique_ptr<Client> client);

 private:
  struct Source;
  struct Pending;
  using Send = std::function<int(zhandle_t*, Pending*)>;

  static void watched(zhandle_t*, int type, int state, const char* path, void* context);
  static void on_void(int rc, const void* data);
  static void on_stat(int rc, const Stat* stat, const void* data);
  static void on_data(int rc, const char* value, int size, const Stat* stat, const void* data);
  static void on_string(int rc, const char* value, const void* data);
  static void on_children(int rc, const String_vector* names, const Stat* stat, const void* data);
  static void answer(const void* data, Reply reply);

  void submit(Send send, Done done, Priority priority, std::shared_ptr<Multi> multi = nullptr);

  std::unique_ptr<Source> source_;
  Gate gate_;
  zhandle_t* handle_ = nullptr;
  const ACL_vector* acl_;
  Requests<Reply> requests_;
};

}  // namespace ballot::zookeeper

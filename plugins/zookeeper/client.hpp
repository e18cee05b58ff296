// Client: one handle of ZooKeeper's C client, that is one session of the store. Every operation is asynchronous: the
// library's two threads only copy what they are told into the Inbox, and dispatch() carries it on, on the plugin's
// thread. Operations of a Turn are sent in the order of asking, but only some that are not urgent are under way, so
// many as are answered within a tenth of a second, a Multi of many changes counted as several: the server keeps a
// session's order, and so what is urgent is never behind ten thousand others. Knows nothing of what it is used for.
// Answers come in the order of sending. Where none comes for `patience`, what is under way is answered as timed out: it
// may have happened, and may still happen.
//
//   Client client(inbox, connection, nullptr);
//   client.get(path, Watch::yes, [this](const Reply& reply) { ... });       ... for each message:
//   client.dispatch(message) Client::close(std::move(client));    // on a thread of its own, as it can take seconds;
//   then Message::closed
#pragma once

#include <zookeeper/zookeeper.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "inbox.hpp"
#include "multi.hpp"

namespace ballot::zookeeper {

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
/// What is urgent is sent at once; what goes later, when nothing is in turn, and fewer of it at once: what is in turn
/// in other sessions has then more of the server.
enum class Turn { in_turn, urgent, later };

class Client {
 public:
  using Done = std::function<void(const Reply&)>;
  static constexpr std::size_t widest = 512, narrowest = 16;

  /// `resume`: of a session to go on with, or null. Throws std::system_error where there is no handle to be had.
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
  void get(const std::string& path, Watch watch, Done done, Turn turn = Turn::in_turn);
  void exists(const std::string& path, Watch watch, Done done);
  void children(const std::string& path, Watch watch, Done done);
  /// `version` -1: any.
  void remove(const std::string& path, Done done, int version = -1);
  void sync(const std::string& path, Done done);
  void commit(std::unique_ptr<Multi> multi, Done done, Turn turn = Turn::in_turn);

  /// A reply of this client.
  void dispatch(Message& message);
  /// Answers what has been under way for `patience`, where the server has been silent for as long.
  void time_out(SteadyTime now, Millis patience);
  /// Since when an answer is waited for, and none has come.
  std::optional<SteadyTime> silent_since() const;
  /// Nothing is under way.
  bool idle() const noexcept { return under_way_ == 0 && waiting_.empty() && later_.empty(); }

  /// Drops the connection, but leaves the session to the store: a message tells when (ZOO_AUTH_FAILED_STATE).
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

  void submit(Send send, Done done, Turn turn, std::unique_ptr<Multi> multi = nullptr);
  /// An operation that is asked for, or under way.
  struct Operation {
    Send send;
    Done done;
    std::size_t weight = 0;  // 0: urgent; a read or one change is 1, four more of a Multi one more
    std::unique_ptr<Multi> multi;
    SteadyTime sent{};
  };
  void start(Operation operation);
  void go_on();
  void send_some();
  void send_from(std::deque<Operation>& queue, std::size_t window);
  void end(std::map<std::uint64_t, Operation>::iterator operation, const Reply& reply);

  std::unique_ptr<Source> source_;
  zhandle_t* handle_ = nullptr;
  const ACL_vector* acl_;
  std::size_t under_way_ = 0;  // weight of those that are not urgent
  std::deque<Operation> waiting_, later_;
  std::map<std::uint64_t, Operation> sent_;  // by number, that is by time
  std::uint64_t last_ = 0;
  std::size_t window_ = widest;
  SteadyTime heard_{};
};

}  // namespace ballot::zookeeper

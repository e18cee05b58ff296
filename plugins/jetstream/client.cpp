#include "client.hpp"

#include <nats/nats.h>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "support/clock.hpp"
#include "support/thread.hpp"

namespace ballot::jetstream {

using namespace support;
using Kind = Message::Kind;

namespace {

constexpr std::string_view inbox_head = "_INBOX.";
constexpr std::int64_t ping_interval = 1'000, write_patience = 500;
constexpr std::int64_t reconnect_wait = 100, reconnect_jitter = 150;
constexpr Millis exit_patience{3000};
constexpr std::int64_t library_patience = 2'000;

/// The inboxes by the ids of connections: what the library still reports of one that was left finds none.
class Inboxes {
 public:
  static Inboxes& all() {
    static auto* const one = new Inboxes;  // never destroyed: the library's threads end after everything else
    return *one;
  }
  std::uint64_t add(std::shared_ptr<Inbox> inbox) {
    const std::lock_guard hold(mutex_);
    inboxes_.emplace(++last_, std::move(inbox));
    return last_;
  }
  void remove(std::uint64_t id) {
    const std::lock_guard hold(mutex_);
    inboxes_.erase(id);
  }
  void push(Message message) {
    const std::lock_guard hold(mutex_);
    if (const auto found = inboxes_.find(message.client); found != inboxes_.end())
      found->second->push(std::move(message));
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Inbox>> inboxes_;
  std::uint64_t last_ = 0;
};

/// The threads that connect, and that end connections. The process does not exit under them, where it need not wait
/// long: what they use, of the library and of OpenSSL, is taken apart at exit.
class Threads {
 public:
  static Threads& all() {
    static auto* const one = new Threads;  // never destroyed
    return *one;
  }
  void start(const char* name, std::function<void()> work) {
    const std::lock_guard hold(mutex_);
    start_thread(name, [this, work = std::move(work)]() mutable {
      work();
      work = nullptr;  // what it holds may begin another one
      nats_ReleaseThreadMemory();
      end();
    }).detach();
    ++running_;
  }

 private:
  /// What is registered later is done earlier.
  Threads() {
    const SignalsBlocked blocked;
    nats_Open(-1);
    std::atexit([] { all().wait(); });
  }
  void end() {
    const std::lock_guard hold(mutex_);
    if (--running_ == 0) none_.notify_all();
  }
  void wait() {
    {
      std::unique_lock hold(mutex_);
      none_.wait_for(hold, exit_patience, [this] { return running_ == 0; });
    }
    nats_CloseAndWait(library_patience);  // it has threads of its own
  }

  std::mutex mutex_;
  std::condition_variable none_;
  std::size_t running_ = 0;
};

std::uint64_t id_of(void* closure) { return reinterpret_cast<std::uintptr_t>(closure); }
void* closure_of(std::uint64_t id) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(id)); }

std::string header(natsMsg* message, const char* name) {
  const char* value = nullptr;
  return natsMsgHeader_Get(message, name, &value) == NATS_OK && value != nullptr ? value : "";
}

std::uint64_t to_number(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

template <Kind kind>
void report(natsConnection*, void* id) {
  Inboxes::all().push({id_of(id), kind});
}

/// A user who may not publish, or listen, is not answered: the server says so of no request.
void report_error(natsConnection* connection, natsSubscription*, natsStatus status, void* id) {
  if (status != NATS_NOT_PERMITTED) return;
  const char* text = nats_GetLastError(nullptr);
  if (text == nullptr || *text == '\0') natsConnection_GetLastError(connection, &text);
  Inboxes::all().push({id_of(id), Kind::denied, text == nullptr ? "" : text});
}

void read_status(natsMsg* message, Message& into) {
  if (const char* const reply = natsMsg_GetReply(message)) into.reply = reply;
  into.flow = header(message, "Nats-Consumer-Stalled");
  into.last_sent = to_number(header(message, "Nats-Last-Consumer"));
}

void read_delivery(natsMsg* message, Message& into) {
  into.marker = !header(message, "KV-Operation").empty();
  jsMsgMetaData* places = nullptr;
  if (natsMsg_GetReply(message) == nullptr || natsMsg_GetMetaData(&places, message) != NATS_OK) return;
  into.consumer = places->Consumer;
  into.stream_sequence = places->Sequence.Stream;
  into.consumer_sequence = places->Sequence.Consumer;
  into.stored = WallTime(Millis(places->Timestamp / nanos));
  jsMsgMetaData_Destroy(places);
}

void received(natsConnection*, natsSubscription*, natsMsg* message, void* id) {
  Message one{id_of(id)};
  one.subject = natsMsg_GetSubject(message);  // of a consumer's: that which it was stored under
  if (one.subject.starts_with(inbox_head)) one.to = one.subject.substr(one.subject.find('.', inbox_head.size()) + 1);
  one.data.assign(natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message)));
  one.status = static_cast<int>(to_number(header(message, "Status")));
  one.status != 0 ? read_status(message, one) : read_delivery(message, one);
  natsMsg_Destroy(message);
  Inboxes::all().push(std::move(one));
}

natsStatus configure(natsOptions* options, const Access& access, const Secrets& secrets, Millis patience, void* id) {
  std::vector<const char*> servers;
  for (const std::string& one : access.servers.hosts) servers.push_back(one.c_str());
  natsStatus status = natsOptions_SetServers(options, servers.data(), static_cast<int>(servers.size()));
  const auto set = [&](natsStatus next) { status = status == NATS_OK ? next : status; };
  set(natsOptions_SetName(options, "ballot"));
  set(natsOptions_SetTimeout(options, patience.count()));
  set(natsOptions_SetPingInterval(options, ping_interval));
  set(natsOptions_SetMaxPingsOut(options, 2));
  set(natsOptions_SetMaxReconnect(options, -1));
  set(natsOptions_SetReconnectWait(options, reconnect_wait));
  set(natsOptions_SetReconnectJitter(options, reconnect_jitter, reconnect_jitter));
  // What is published while there is no connection must not arrive later.
  set(natsOptions_SetReconnectBufSize(options, 0));
  set(natsOptions_SetFailRequestsOnDisconnect(options, true));
  set(natsOptions_SetWriteDeadline(options, write_patience));
  set(natsOptions_SetDisconnectedCB(options, report<Kind::disconnected>, id));
  set(natsOptions_SetReconnectedCB(options, report<Kind::reconnected>, id));
  set(natsOptions_SetClosedCB(options, report<Kind::closed>, id));
  set(natsOptions_SetErrorHandler(options, report_error, id));  // without one the library prints what goes wrong
  if (const auto& user = access.user.name; !user.empty())
    set(natsOptions_SetUserInfo(options, user.c_str(), secrets.password.c_str()));
  if (!secrets.token.empty()) set(natsOptions_SetToken(options, secrets.token.c_str()));
  if (const auto& file = access.credentials_file; !file.empty())
    set(natsOptions_SetUserCredentialsFromFiles(options, file.c_str(), nullptr));
  if (const auto& nkey = access.nkey; !nkey.name.empty())
    set(natsOptions_SetNKeyFromSeed(options, nkey.name.c_str(), nkey.file.c_str()));
  if (!access.ca.empty()) set(natsOptions_SetSecure(options, true));
  if (!access.ca.empty() && access.ca != "system")
    set(natsOptions_LoadCATrustedCertificates(options, access.ca.c_str()));
  if (!access.cert.empty()) set(natsOptions_LoadCertificatesChain(options, access.cert.c_str(), access.key.c_str()));
  return status;
}

template <class T>
void end_later(T* one, void (*destroy)(T*), Owned holds = {}) {
  Threads::all().start("ballot-nats-end", [one, destroy, holds = std::move(holds)] { destroy(one); });
}

/// A subscription, which holds the connection: that ends after it.
Owned listen_to(const Owned& connection, const std::string& address, std::uint64_t id) {
  natsSubscription* one = nullptr;
  if (natsConnection_Subscribe(&one, static_cast<natsConnection*>(connection.get()), address.c_str(), received,
                               closure_of(id)) != NATS_OK)
    return nullptr;
  natsSubscription_SetPendingLimits(one, -1, -1);
  return {one, [connection](natsSubscription* it) { end_later(it, natsSubscription_Destroy, connection); }};
}

void make_connection(const Access& access, const Secrets& secrets, Millis patience, std::uint64_t id,
                     const std::string& answers) {
  Message message{id, Kind::connected};
  natsOptions* options = nullptr;
  natsConnection* connection = nullptr;
  natsStatus status = natsOptions_Create(&options);
  if (status == NATS_OK) status = configure(options, access, secrets, patience, closure_of(id));
  if (status == NATS_OK) status = natsConnection_Connect(&connection, options);
  natsOptions_Destroy(options);
  if (status == NATS_OK) {
    message.connection = {connection, [](natsConnection* it) { end_later(it, natsConnection_Destroy); }};
    message.answers = listen_to(message.connection, answers, id);
  } else {
    const bool refused =
        status == NATS_CONNECTION_AUTH_FAILED || status == NATS_SSL_ERROR || status == NATS_NOT_PERMITTED;
    const char* const last = nats_GetLastError(nullptr);
    message.kind = refused ? Kind::refused : Kind::failed;
    message.to = std::string(natsStatus_GetText(status)) + (last != nullptr && *last ? std::string(": ") + last : "");
  }
  Inboxes::all().push(std::move(message));
}

}  // namespace

Client::Client(std::shared_ptr<Inbox> inbox, Access access) : inbox_(std::move(inbox)), access_(std::move(access)) {}

Client::~Client() { leave(); }

void Client::leave() {
  Inboxes::all().remove(id_);
  connected_ = false;
  answers_.reset();
  connection_.reset();
}

void Client::connect(const Secrets& secrets, Millis patience) {
  leave();
  id_ = Inboxes::all().add(inbox_);
  const auto work = [access = access_, secrets, patience, id = id_, answers = address("r.*")] {
    make_connection(access, secrets, patience, id, answers);
  };
  Threads::all().start("ballot-nats-con", work);
}

/// For the servers a wildcard is no interest in what a consumer sends.
Owned Client::listen(const std::string& name) {
  return connected_ ? listen_to(connection_, address(name), id_) : nullptr;
}

void Client::ask(Post post, Done done, Priority priority) {
  const auto send_it = [this, post = std::move(post)](std::uint64_t number) {
    send(post, address("r." + std::to_string(number)));
  };
  requests_.ask(send_it, std::move(done), priority);
}

/// What cannot be sent is never answered, and so late. While the library connects, it would block.
void Client::send(const Post& post, const std::string& reply) {
  if (!connected_) return;
  natsMsg* message = nullptr;
  if (natsMsg_Create(&message, post.subject.c_str(), reply.empty() ? nullptr : reply.c_str(), post.data.data(),
                     static_cast<int>(post.data.size())) != NATS_OK)
    return;
  for (const auto& [name, value] : post.headers) natsMsgHeader_Set(message, name, value.c_str());
  natsConnection_PublishMsg(static_cast<natsConnection*>(connection_.get()), message);
  natsMsg_Destroy(message);
}

bool Client::on(Message& message) {
  if (message.client != id_) return true;
  if (message.kind == Kind::denied) {
    denied_ = message.to;
    denied_until_ = boot_now() + 2 * patience_;
    return false;
  }
  if (message.kind != Kind::message) {
    if (message.kind == Kind::connected) {
      connection_ = std::move(message.connection);
      answers_ = std::move(message.answers);
    }
    connected_ = message.kind == Kind::connected || message.kind == Kind::reconnected;
    return false;
  }
  if (!message.to.starts_with("r.")) return false;
  requests_.answer(to_number(message.to.substr(2)),
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

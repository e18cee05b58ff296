#include "client.hpp"

#include <charconv>
#include <string_view>
#include <thread>

#include "support/clock.hpp"
#include "support/thread.hpp"

namespace ballot::nats {

using namespace support;

/// What the thread that connects and the one that closes share with the client.
struct Client::Link {
  std::mutex mutex;
  bool left = false;  // the client is gone
  natsConnection* connection = nullptr;
  natsSubscription* subscription = nullptr;
};

namespace {

constexpr std::string_view inbox_head = "_INBOX.";
constexpr std::int64_t ping_interval = 1'000, write_patience = 500;
constexpr std::int64_t reconnect_wait = 100, reconnect_jitter = 150;

/// The inboxes by their clients: what the library still reports of a client that is gone finds none.
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

std::uint64_t id_of(void* closure) { return reinterpret_cast<std::uintptr_t>(closure); }

std::string header(natsMsg* message, const char* name) {
  const char* value = nullptr;
  return natsMsgHeader_Get(message, name, &value) == NATS_OK && value != nullptr ? value : "";
}

template <class Number>
Number to_number(const std::string& text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string new_prefix() {
  natsInbox* inbox = nullptr;
  if (natsInbox_Create(&inbox) != NATS_OK) throw std::bad_alloc();
  const std::string prefix = std::string(inbox) + ".";
  natsInbox_Destroy(inbox);
  return prefix;
}

void destroy(natsConnection* connection, const std::vector<natsSubscription*>& subscriptions) {
  for (natsSubscription* const one : subscriptions) natsSubscription_Destroy(one);
  natsConnection_Destroy(connection);
}

}  // namespace

Client::Client(std::shared_ptr<Inbox> inbox, Access access)
    : inbox_(std::move(inbox)), access_(std::move(access)), prefix_(new_prefix()) {}

Client::~Client() { leave(); }

/// It flushes, and waits for its threads: not here.
void Client::leave() {
  if (!link_) return;
  Inboxes::all().remove(id_);
  connection_ = nullptr;
  connected_ = false;
  for (const auto& [name, subscription] : std::exchange(heard_, {})) dropped_.push_back(subscription);
  const std::lock_guard hold(link_->mutex);
  link_->left = true;
  if (link_->connection == nullptr) return;
  const SignalsBlocked blocked;
  dropped_.push_back(link_->subscription);
  std::thread(destroy, link_->connection, std::exchange(dropped_, {})).detach();
}

void Client::forget() {
  under_way_.clear();
  waiting_.clear();
  bulk_ = 0;
}

natsStatus Client::configure(natsOptions* options, const Access& access, const Secrets& secrets, Millis patience,
                             void* id) {
  std::vector<const char*> servers;
  for (const std::string& one : access.servers) servers.push_back(one.c_str());
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
  set(natsOptions_SetDisconnectedCB(options, disconnected, id));
  set(natsOptions_SetReconnectedCB(options, reconnected, id));
  set(natsOptions_SetClosedCB(options, closed, id));
  // Without one the library prints what goes wrong.
  set(natsOptions_SetErrorHandler(
      options, [](natsConnection*, natsSubscription*, natsStatus, void*) {}, nullptr));
  if (!access.user.empty()) set(natsOptions_SetUserInfo(options, access.user.c_str(), secrets.password.c_str()));
  if (!secrets.token.empty()) set(natsOptions_SetToken(options, secrets.token.c_str()));
  if (!access.credentials_file.empty())
    set(natsOptions_SetUserCredentialsFromFiles(options, access.credentials_file.c_str(), nullptr));
  if (!access.nkey.empty()) set(natsOptions_SetNKeyFromSeed(options, access.nkey.c_str(), access.seed_file.c_str()));
  if (!access.ca.empty()) set(natsOptions_SetSecure(options, true));
  if (!access.ca.empty() && access.ca != "system")
    set(natsOptions_LoadCATrustedCertificates(options, access.ca.c_str()));
  if (!access.cert.empty()) set(natsOptions_LoadCertificatesChain(options, access.cert.c_str(), access.key.c_str()));
  return status;
}

void Client::make_connection(const std::shared_ptr<Link>& link, const Access& access, const Secrets& secrets,
                             Millis patience, std::uint64_t id, const std::string& subject) {
  auto* const closure = reinterpret_cast<void*>(static_cast<std::uintptr_t>(id));
  natsOptions* options = nullptr;
  natsConnection* connection = nullptr;
  natsSubscription* subscription = nullptr;
  natsStatus status = natsOptions_Create(&options);
  if (status == NATS_OK) status = configure(options, access, secrets, patience, closure);
  if (status == NATS_OK) status = natsConnection_Connect(&connection, options);
  natsOptions_Destroy(options);
  if (status == NATS_OK)
    status = natsConnection_Subscribe(&subscription, connection, subject.c_str(), received, closure);
  if (status == NATS_OK) status = natsSubscription_SetPendingLimits(subscription, -1, -1);
  Message message{id, status == NATS_OK ? Message::Kind::connected : Message::Kind::failed};
  if (status != NATS_OK) {
    const char* const last = nats_GetLastError(nullptr);
    message.to = std::string(natsStatus_GetText(status)) + (last != nullptr && *last ? std::string(": ") + last : "");
    message.refused = status == NATS_CONNECTION_AUTH_FAILED || status == NATS_SSL_ERROR || status == NATS_NOT_PERMITTED;
  }
  std::unique_lock hold(link->mutex);
  if (status != NATS_OK || link->left) {
    hold.unlock();
    destroy(connection, {subscription});
  } else {
    link->connection = connection;
    link->subscription = subscription;
    hold.unlock();
  }
  Inboxes::all().push(std::move(message));
  nats_ReleaseThreadMemory();
}

void Client::connect(const Secrets& secrets, Millis patience) {
  leave();
  id_ = Inboxes::all().add(inbox_);
  link_ = std::make_shared<Link>();
  const auto work = [link = link_, access = access_, secrets, patience, id = id_, subject = prefix_ + "r.*"] {
    make_connection(link, access, secrets, patience, id, subject);
  };
  start_thread("ballot-nats-con", work).detach();
}

void Client::received(natsConnection*, natsSubscription*, natsMsg* message, void* id) {
  Message one{id_of(id)};
  one.subject = natsMsg_GetSubject(message);  // of a consumer's: that which it was stored under
  if (one.subject.starts_with(inbox_head)) one.to = one.subject.substr(one.subject.find('.', inbox_head.size()) + 1);
  if (const char* const reply = natsMsg_GetReply(message)) one.reply = reply;
  one.data.assign(natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message)));
  one.status = to_number<int>(header(message, "Status"));
  if (one.status != 0) {
    one.flow = header(message, "Nats-Consumer-Stalled");
    one.last_sent = to_number<std::uint64_t>(header(message, "Nats-Last-Consumer"));
  } else {
    one.marker = !header(message, "KV-Operation").empty();
  }
  natsMsg_Destroy(message);
  Inboxes::all().push(std::move(one));
}

void Client::disconnected(natsConnection*, void* id) { Inboxes::all().push({id_of(id), Message::Kind::disconnected}); }
void Client::reconnected(natsConnection*, void* id) { Inboxes::all().push({id_of(id), Message::Kind::reconnected}); }
void Client::closed(natsConnection* connection, void* id) {
  Message message{id_of(id), Message::Kind::closed};
  const char* last = nullptr;
  natsConnection_GetLastError(connection, &last);
  if (last != nullptr) message.to = last;
  Inboxes::all().push(std::move(message));
}

/// For the servers a wildcard is no interest in what a consumer sends.
void Client::listen(const std::string& name) {
  natsSubscription* subscription = nullptr;
  if (!connected_) return;
  auto* const closure = reinterpret_cast<void*>(static_cast<std::uintptr_t>(id_));
  if (natsConnection_Subscribe(&subscription, connection_, address(name).c_str(), received, closure) != NATS_OK) return;
  natsSubscription_SetPendingLimits(subscription, -1, -1);
  heard_[name] = subscription;
}

void Client::unlisten(const std::string& name) {
  const auto found = heard_.find(name);
  if (found == heard_.end()) return;
  dropped_.push_back(found->second);
  heard_.erase(found);
  destroy_dropped();
}

void Client::destroy_dropped() {
  if (connected_) destroy(nullptr, std::exchange(dropped_, {}));
}

void Client::ask(Post post, Done done, Priority priority) {
  if (priority == Priority::urgent) return start(std::move(post), std::move(done), patience_, false);
  waiting_.emplace_back(std::move(post), std::move(done));
  send_some();
}

void Client::ask_for(Millis patience, Post post, Done done) {
  start(std::move(post), std::move(done), patience, false);
}

void Client::tell(const Post& post) { send(post, {}); }

void Client::start(Post post, Done done, Millis patience, bool bulk) {
  under_way_.emplace_hint(under_way_.end(), ++last_, Asked{std::move(done), boot_now() + patience, bulk});
  bulk_ += bulk;
  send(post, prefix_ + "r." + std::to_string(last_));
}

void Client::send_some() {
  while (!waiting_.empty() && (bulk_ < window || !connected_)) {
    auto [post, done] = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(post), std::move(done), patience_, true);
  }
}

/// What cannot be sent is never answered, and so late. While the library connects, it would block.
void Client::send(const Post& post, const std::string& reply) {
  if (!connected_) return;
  natsMsg* message = nullptr;
  if (natsMsg_Create(&message, post.subject.c_str(), reply.empty() ? nullptr : reply.c_str(), post.data.data(),
                     static_cast<int>(post.data.size())) != NATS_OK)
    return;
  for (const auto& [name, value] : post.headers) natsMsgHeader_Set(message, name, value.c_str());
  natsConnection_PublishMsg(connection_, message);
  natsMsg_Destroy(message);
}

bool Client::on(Message& message) {
  switch (message.kind) {
    case Message::Kind::connected: {
      const std::lock_guard hold(link_->mutex);
      connection_ = link_->connection;
      connected_ = true;
      return false;
    }
    case Message::Kind::reconnected:
      connected_ = true;
      destroy_dropped();
      return false;
    case Message::Kind::failed:
    case Message::Kind::disconnected:
    case Message::Kind::closed: connected_ = false; return false;
    case Message::Kind::message: break;
  }
  if (message.to.compare(0, 2, "r.") != 0) return false;
  last_answer_ = boot_now();
  const auto found = under_way_.find(to_number<std::uint64_t>(message.to.substr(2)));
  if (found == under_way_.end()) return true;
  const auto how = message.status == 503 ? Answer::How::nobody : Answer::How::come;
  finish(found, {how, std::move(message.data)});
  return true;
}

void Client::finish(std::map<std::uint64_t, Asked>::iterator asked, const Answer& answer) {
  const Asked one = std::move(asked->second);
  under_way_.erase(asked);
  bulk_ -= one.bulk;
  send_some();
  one.done(answer);
}

void Client::tick(SteadyTime now) {
  for (auto at = under_way_.begin(); at != under_way_.end();) {
    if (at->second.late > now) {
      ++at;
      continue;
    }
    const std::uint64_t number = at->first;
    give_up_waiting(now);
    finish(at, {});
    at = under_way_.upper_bound(number);
  }
}

/// Where nothing is answered at all, what waits would not be either.
void Client::give_up_waiting(SteadyTime now) {
  if (now - last_answer_ < patience_) return;
  for (auto& [post, done] : std::exchange(waiting_, {})) done({});
}

/// Those with patience of their own are few, and their time may pass a little.
std::optional<SteadyTime> Client::due() const {
  if (under_way_.empty()) return std::nullopt;
  return under_way_.begin()->second.late;
}

}  // namespace ballot::nats

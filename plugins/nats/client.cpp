#include "client.hpp"

#include <nats/nats.h>

#include <charconv>
#include <mutex>
#include <string_view>

#include "support/clock.hpp"
#include "support/thread.hpp"

namespace ballot::nats {

using namespace support;
using Kind = Message::Kind;

namespace {

constexpr std::string_view inbox_head = "_INBOX.";
constexpr std::int64_t ping_interval = 1'000, write_patience = 500;
constexpr std::int64_t reconnect_wait = 100, reconnect_jitter = 150;

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

std::string new_prefix() {
  natsInbox* inbox = nullptr;
  if (natsInbox_Create(&inbox) != NATS_OK) throw std::bad_alloc();
  const std::string prefix = std::string(inbox) + ".";
  natsInbox_Destroy(inbox);
  return prefix;
}

template <Kind kind>
void report(natsConnection*, void* id) {
  Inboxes::all().push({id_of(id), kind});
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
  // Without one the library prints what goes wrong.
  set(natsOptions_SetErrorHandler(
      options, [](natsConnection*, natsSubscription*, natsStatus, void*) {}, nullptr));
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

}  // namespace

/// Its end flushes, and waits for the library's threads: on a thread of its own.
struct Link {
  natsConnection* connection = nullptr;
  std::map<std::string, natsSubscription*> heard;  // by address

  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    const auto work = [connection = connection, heard = heard] {
      for (const auto& [address, one] : heard) natsSubscription_Destroy(one);
      natsConnection_Destroy(connection);
    };
    start_thread("ballot-nats-end", work).detach();
  }
  natsStatus listen(const std::string& address, void* id) {
    natsSubscription* one = nullptr;
    natsStatus status = natsConnection_Subscribe(&one, connection, address.c_str(), received, id);
    if (status == NATS_OK) status = natsSubscription_SetPendingLimits(heard[address] = one, -1, -1);
    return status;
  }
};

namespace {

void make_connection(const Access& access, const Secrets& secrets, Millis patience, std::uint64_t id,
                     const std::string& answers) {
  Message message{id, Kind::connected};
  message.link = std::make_shared<Link>();
  natsOptions* options = nullptr;
  natsStatus status = natsOptions_Create(&options);
  if (status == NATS_OK) status = configure(options, access, secrets, patience, closure_of(id));
  if (status == NATS_OK) status = natsConnection_Connect(&message.link->connection, options);
  natsOptions_Destroy(options);
  if (status == NATS_OK) status = message.link->listen(answers, closure_of(id));
  if (status != NATS_OK) {
    const bool refused =
        status == NATS_CONNECTION_AUTH_FAILED || status == NATS_SSL_ERROR || status == NATS_NOT_PERMITTED;
    const char* const last = nats_GetLastError(nullptr);
    message.kind = refused ? Kind::refused : Kind::failed;
    message.to = std::string(natsStatus_GetText(status)) + (last != nullptr && *last ? std::string(": ") + last : "");
    message.link.reset();
  }
  Inboxes::all().push(std::move(message));
  nats_ReleaseThreadMemory();
}

}  // namespace

Client::Client(std::shared_ptr<Inbox> inbox, Access access)
    : inbox_(std::move(inbox)), access_(std::move(access)), prefix_(new_prefix()) {}

Client::~Client() { leave(); }

void Client::leave() {
  Inboxes::all().remove(id_);
  connected_ = false;
  link_.reset();
}

void Client::connect(const Secrets& secrets, Millis patience) {
  leave();
  id_ = Inboxes::all().add(inbox_);
  const auto work = [access = access_, secrets, patience, id = id_, answers = address("r.*")] {
    make_connection(access, secrets, patience, id, answers);
  };
  start_thread("ballot-nats-con", work).detach();
}

/// For the servers a wildcard is no interest in what a consumer sends.
void Client::listen(const std::string& name) {
  if (connected_) link_->listen(address(name), closure_of(id_));
}

/// While the library connects, it would block.
void Client::unlisten(const std::string& name) {
  const auto heard = link_ ? link_->heard.extract(address(name)) : decltype(link_->heard)::node_type();
  if (!heard) return;
  start_thread("ballot-nats-end", [one = heard.mapped()] { natsSubscription_Destroy(one); }).detach();
}

void Client::ask(Post post, Done done, Priority priority) {
  if (priority == Priority::urgent) return start(std::move(post), std::move(done), patience_, false);
  waiting_.emplace_back(std::move(post), std::move(done));
  send_some();
}

void Client::start(Post post, Done done, Millis patience, bool bulk) {
  under_way_.emplace_hint(under_way_.end(), ++last_, Asked{std::move(done), boot_now() + patience, bulk});
  bulk_ += bulk;
  send(post, address("r." + std::to_string(last_)));
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
  natsConnection_PublishMsg(link_->connection, message);
  natsMsg_Destroy(message);
}

bool Client::on(Message& message) {
  if (message.client != id_) return true;
  if (message.kind != Kind::message) {
    if (message.link) link_ = std::move(message.link);
    connected_ = message.kind == Kind::connected || message.kind == Kind::reconnected;
    return false;
  }
  if (!message.to.starts_with("r.")) return false;
  last_answer_ = boot_now();
  finish(to_number(message.to.substr(2)),
         message.status == 503 ? unheard("no server has a leader for the stream, or JetStream is off there")
                               : parse_answer(message.data));
  return true;
}

void Client::finish(std::uint64_t number, const Answer& answer) {
  const auto found = under_way_.extract(number);
  if (!found) return;
  bulk_ -= found.mapped().bulk;
  send_some();
  found.mapped().done(answer);
}

/// Where nothing is answered at all, what waits would not be either.
void Client::tick(SteadyTime now) {
  std::vector<std::uint64_t> late;
  for (const auto& [number, asked] : under_way_)
    if (asked.late <= now) late.push_back(number);
  if (late.empty()) return;
  const Answer answer = unheard("the servers did not answer in time");
  if (now - last_answer_ >= patience_)
    for (auto& [post, done] : std::exchange(waiting_, {})) done(answer);
  for (const std::uint64_t number : late) finish(number, answer);
}

/// Those with patience of their own are few, and their time may pass a little.
std::optional<SteadyTime> Client::due() const {
  if (under_way_.empty()) return std::nullopt;
  return under_way_.begin()->second.late;
}

void Client::forget() {
  under_way_.clear();
  waiting_.clear();
  bulk_ = 0;
}

}  // namespace ballot::nats

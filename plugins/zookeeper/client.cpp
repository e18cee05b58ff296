#include "client.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "support/clock.hpp"
#include "support/thread.hpp"

namespace ballot::zookeeper {

using namespace support;

/// Where the library's threads report to. Outlives its handle.
struct Client::Source {
  std::shared_ptr<Inbox> inbox;
  std::uint64_t id = 0;
};

/// What the library hands back with an answer; its results lie here.
struct Client::Pending {
  Source* source = nullptr;
  std::uint64_t operation = 0;
  std::shared_ptr<Multi> multi;
};

namespace {

std::uint64_t next_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void say_nothing(const char*) {}

}  // namespace

bool is_unknown(int rc) noexcept {
  switch (rc) {
    case ZOK:
    case ZNONODE:
    case ZNOAUTH:
    case ZBADVERSION:
    case ZNOCHILDRENFOREPHEMERALS:
    case ZNODEEXISTS:
    case ZNOTEMPTY:
    case ZINVALIDACL:
    case ZBADARGUMENTS:
    case ZNOTREADONLY:
    case ZTHROTTLEDOP: return false;
    default: return true;
  }
}

std::string text_of(int rc) {
  switch (rc) {
    case ZCONNECTIONLOSS: return "the connection to the server was lost";
    case ZOPERATIONTIMEOUT: return "the server did not answer in time";
    case ZSESSIONEXPIRED: return "the store has ended the session";
    case ZNOAUTH: return "the store does not let this user do it: check [zookeeper] auth and the ACLs there";
    case ZCLOSING:
    case ZINVALIDSTATE: return "the session is over";
    default: return zerror(rc);
  }
}

Client::Client(std::shared_ptr<Inbox> inbox, const Connection& connection, const clientid_t* resume)
    : source_(new Source{std::move(inbox), next_id()}),
      gate_(connection.servers,
            [source = source_.get()](const std::string& text) {
              Message message{source->id, Message::Kind::refused};
              message.text = text;
              source->inbox->push(std::move(message));
            }),
      acl_(connection.user.empty() ? &ZOO_OPEN_ACL_UNSAFE : &ZOO_CREATOR_ALL_ACL) {
  const SignalsBlocked blocked;
  zoo_set_debug_level(static_cast<ZooLogLevel>(0));  // what is worth saying is said by the plugin
  handle_ = zookeeper_init2(gate_.servers().c_str(), watched, static_cast<int>(connection.timeout.count()), resume,
                            source_.get(), ZOO_NO_LOG_CLIENTENV, say_nothing);
  if (handle_ == nullptr) throw std::system_error(errno, std::generic_category(), connection.servers);
  // The addresses of the gate stay the same.
  zoo_set_servers_resolution_delay(handle_, -1);
  if (!connection.user.empty())
    zoo_add_auth(handle_, "digest", connection.user.data(), static_cast<int>(connection.user.size()), nullptr, nullptr);
}

Client::~Client() {
  if (handle_ != nullptr) zookeeper_close(handle_);
}

std::uint64_t Client::id() const noexcept { return source_->id; }

void Client::close(std::unique_ptr<Client> client) {
  client->requests_.forget_waiting();
  const auto work = [owned = client.release()] {
    std::unique_ptr<Client> mine(owned);
    const auto inbox = mine->source_->inbox;
    const std::uint64_t id = mine->id();
    mine.reset();
    inbox->push({id, Message::Kind::closed});
  };
  const SignalsBlocked blocked;
  std::thread(work).detach();
}

/// A scheme that no server knows: it drops the connection, and the library does not connect again.
void Client::abandon() { zoo_add_auth(handle_, "ballot-leaves", "-", 1, nullptr, nullptr); }

void Client::watched(zhandle_t*, int type, int state, const char* path, void* context) {
  const auto* source = static_cast<const Source*>(context);
  Message message{source->id, type == ZOO_SESSION_EVENT ? Message::Kind::state : Message::Kind::watch};
  message.state = state;
  message.gone = type == ZOO_DELETED_EVENT;
  if (path != nullptr) message.path = path;
  source->inbox->push(std::move(message));
}

void Client::answer(const void* data, Reply reply) {
  const std::unique_ptr<Pending> pending(static_cast<Pending*>(const_cast<void*>(data)));
  if (pending->multi) reply.ops = pending->multi->answers();
  Message message{pending->source->id, Message::Kind::reply};
  message.operation = pending->operation;
  message.reply = std::move(reply);
  pending->source->inbox->push(std::move(message));
}

void Client::on_void(int rc, const void* data) { answer(data, {.rc = rc}); }

void Client::on_stat(int rc, const Stat* stat, const void* data) {
  answer(data, {.rc = rc, .stat = rc == ZOK ? *stat : Stat{}});
}

void Client::on_data(int rc, const char* value, int size, const Stat* stat, const void* data) {
  Reply reply{.rc = rc};
  if (rc == ZOK && size > 0) reply.value.assign(value, static_cast<std::size_t>(size));
  if (rc == ZOK) reply.stat = *stat;
  answer(data, std::move(reply));
}

void Client::on_string(int rc, const char* value, const void* data) {
  answer(data, {.rc = rc, .value = rc == ZOK && value != nullptr ? value : ""});
}

void Client::on_children(int rc, const String_vector* names, const Stat* stat, const void* data) {
  Reply reply{.rc = rc};
  if (rc == ZOK) {
    reply.names.assign(names->data, names->data + names->count);
    reply.stat = *stat;
  }
  answer(data, std::move(reply));
}

void Client::create(const std::string& path, const std::string& value, int mode, Done done) {
  const auto send = [path, value, mode, acl = acl_](zhandle_t* handle, Pending* pending) {
    return zoo_acreate(handle, path.c_str(), value.data(), static_cast<int>(value.size()), acl, mode, on_string,
                       pending);
  };
  submit(send, std::move(done), Priority::normal);
}

void Client::get(const std::string& path, Watch watch, Done done, Priority priority) {
  const auto send = [path, watch](zhandle_t* handle, Pending* pending) {
    return zoo_aget(handle, path.c_str(), watch == Watch::yes, on_data, pending);
  };
  submit(send, std::move(done), priority);
}

void Client::exists(const std::string& path, Watch watch, Done done) {
  const auto send = [path, watch](zhandle_t* handle, Pending* pending) {
    return zoo_aexists(handle, path.c_str(), watch == Watch::yes, on_stat, pending);
  };
  submit(send, std::move(done), Priority::normal);
}

void Client::children(const std::string& path, Watch watch, Done done, Priority priority) {
  const auto send = [path, watch](zhandle_t* handle, Pending* pending) {
    return zoo_aget_children2(handle, path.c_str(), watch == Watch::yes, on_children, pending);
  };
  submit(send, std::move(done), priority);
}

void Client::remove(const std::string& path, Done done, int version) {
  const auto send = [path, version](zhandle_t* handle, Pending* pending) {
    return zoo_adelete(handle, path.c_str(), version, on_void, pending);
  };
  submit(send, std::move(done), Priority::normal);
}

void Client::sync(const std::string& path, Done done) {
  const auto send = [path](zhandle_t* handle, Pending* pending) {
    return zoo_async(handle, path.c_str(), on_string, pending);
  };
  submit(send, std::move(done), Priority::normal);
}

void Client::commit(std::unique_ptr<Multi> multi, Done done, Priority priority) {
  const auto send = [](zhandle_t* handle, Pending* pending) {
    Multi& all = *pending->multi;
    return zoo_amulti(handle, static_cast<int>(all.size()), all.ops().data(), all.results(), on_void, pending);
  };
  submit(send, std::move(done), priority, std::move(multi));
}

/// `pending` is the answer's, from `send` on.
void Client::submit(Send send, Done done, Priority priority, std::shared_ptr<Multi> multi) {
  const std::size_t weight = multi ? 1 + multi->size() / 4 : 1;
  const auto start = [this, send = std::move(send), multi = std::move(multi)](std::uint64_t number) {
    auto* const pending = new Pending{source_.get(), number, multi};
    const int rc = send(handle_, pending);
    if (rc != ZOK) answer(pending, {.rc = rc});
  };
  requests_.ask(start, std::move(done), priority, weight);
}

void Client::time_out(SteadyTime now, Millis patience) { requests_.time_out(now, patience, {.rc = ZOPERATIONTIMEOUT}); }

}  // namespace ballot::zookeeper

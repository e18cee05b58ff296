#include "answer_check.hpp"

#include <algorithm>

#include "support/bounds.hpp"

namespace ballot::zookeeper {

namespace {

namespace bounds = support::bounds;

// The protocol's numbers, as its specification (zookeeper.jute) and the library have them.
enum Type : std::int32_t {
  type_error = -1,
  type_create = 1,
  type_delete = 2,
  type_exists = 3,
  type_get = 4,
  type_set = 5,
  type_sync = 9,
  type_ping = 11,
  type_children = 12,
  type_check = 13,
  type_multi = 14,
  type_auth = 100,
  type_watches = 101,
  type_close = -11
};
enum Xid : std::int32_t { xid_event = -1, xid_ping = -2, xid_auth = -4, xid_watches = -8 };

constexpr std::size_t header_size = 16, password_size = 16;
constexpr std::int64_t longest_timeout = 60'000, most_times_asked = 10;

/// How long a session may be: servers may be set up to grant more than was asked for.
std::int64_t longest_session(std::int32_t asked) { return std::max(longest_timeout, most_times_asked * asked); }

/// Fields one after the other. Once one is not there all are 0, and ok() is false.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const noexcept { return ok_; }
  std::size_t left() const noexcept { return bytes_.size(); }
  std::string_view take(std::size_t size) {
    ok_ = ok_ && size <= bytes_.size();
    if (!ok_) return {};
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::int32_t number() {
    std::uint32_t value = 0;
    for (const char c : take(4)) value = value << 8 | static_cast<unsigned char>(c);
    return static_cast<std::int32_t>(value);
  }
  bool truth() {
    const std::string_view byte = take(1);
    return !byte.empty() && byte[0] != 0;
  }
  /// Transactions are counted from 1; the nodes that a server begins with have 0.
  void transaction() {
    std::uint64_t value = 0;
    for (const char c : take(8)) value = value << 8 | static_cast<unsigned char>(c);
    ok_ = ok_ && value <= bounds::version;
  }
  /// What a node has beside its data: created, changed; times, versions, owner and sizes; children changed.
  void stat() {
    transaction(), transaction();
    take(44);
    transaction();
  }
  void string() { skip(size_from(0)); }
  /// -1 stands for none.
  void buffer() {
    const std::int32_t size = size_from(-1);
    if (size > 0) skip(size);
  }
  void strings() {
    std::int32_t count = size_from(0);
    ok_ = ok_ && static_cast<std::size_t>(count) <= bounds::names;
    while (ok_ && count-- > 0) string();
  }
  std::int32_t size_from(std::int32_t least) {
    const std::int32_t size = number();
    ok_ = ok_ && size >= least && (size < 0 || static_cast<std::size_t>(size) <= bytes_.size());
    return ok_ ? size : 0;
  }

 private:
  void skip(std::int32_t size) { take(static_cast<std::size_t>(size)); }

  std::string_view bytes_;
  bool ok_ = true;
};

/// The types of a transaction's changes; empty: the plugin sends no such transaction.
std::vector<std::int32_t> parts_of(Fields& fields) {
  std::vector<std::int32_t> types;
  while (fields.ok()) {
    const std::int32_t type = fields.number();
    const bool last = fields.truth();
    fields.number();
    if (last) return fields.ok() ? types : std::vector<std::int32_t>{};
    fields.string();  // the path
    if (type == type_create || type == type_set) fields.buffer();
    if (type == type_create)
      for (std::int32_t i = fields.size_from(0); i > 0 && fields.ok(); --i)
        fields.number(), fields.string(), fields.string();
    fields.number();  // flags, or a version
    if (type != type_create && type != type_set && type != type_delete && type != type_check) return {};
    types.push_back(type);
  }
  return {};
}

std::size_t largest_answer(std::int32_t type) {
  switch (type) {
    case type_children: return bounds::children;
    case type_get: return bounds::node;
    case type_multi: return bounds::transaction;
    default: return bounds::reply;
  }
}

void read_result(std::int32_t type, Fields& fields) {
  switch (type) {
    case type_create:
    case type_sync: return fields.string();
    case type_exists:
    case type_set: return fields.stat();
    case type_get: fields.buffer(); return fields.stat();
    case type_children: fields.strings(); return fields.stat();
    default: return;
  }
}

std::string named(std::int32_t type) { return "of type " + std::to_string(type); }

}  // namespace

std::string AnswerCheck::on_request(std::string_view frame) {
  if (!asked_) {
    asked_ = true;
    Fields fields(frame);
    fields.take(12);  // the protocol's version, and the last transaction that was seen
    timeout_asked_ = fields.number();
    return {};
  }
  Fields fields(frame);
  Request request{fields.number(), fields.number(), {}};
  switch (request.type) {
    case type_ping: ++pings_; return {};
    case type_auth: ++logins_; return {};
    case type_watches:
      ++watch_lists_;
      fields.take(8);
      for (int i = 0; i < 3; ++i) {
        const std::int32_t count = fields.size_from(0);
        watches_ += static_cast<std::size_t>(count);
        for (std::int32_t path = 0; path < count && fields.ok(); ++path) fields.string();
      }
      return fields.ok() ? "" : "a list of watches that cannot be read";
    case type_exists:
    case type_get:
    case type_children:
      fields.string();
      if (fields.truth()) ++watches_;
      break;
    case type_multi: request.parts = parts_of(fields); break;
    case type_create:
    case type_delete:
    case type_set:
    case type_sync:
    case type_close: break;
    default: return "a request " + named(request.type);
  }
  if (!fields.ok()) return "a request " + named(request.type) + " that cannot be read";
  unanswered_.push_back(std::move(request));
  return {};
}

std::string AnswerCheck::on_answer(std::string_view frame) {
  if (!open_) return on_session(frame);
  Fields fields(frame);
  const std::int32_t xid = fields.number();
  fields.take(8);
  const std::int32_t error = fields.number();
  if (!fields.ok()) return "an answer of " + std::to_string(frame.size()) + " bytes";
  const std::string_view body = frame.substr(header_size);
  const auto answered = [&](std::size_t& asked) {
    if (asked == 0 || frame.size() > bounds::reply)
      return "an answer to " + std::to_string(xid) + ", which nobody asked";
    --asked;
    return std::string();
  };
  switch (xid) {
    case xid_event: return on_event(body);
    case xid_ping: return answered(pings_);
    case xid_auth: return answered(logins_);
    case xid_watches: return answered(watch_lists_);
    default: break;
  }
  if (unanswered_.empty() || unanswered_.front().xid != xid)
    return "an answer to " + std::to_string(xid) + ", which is not the next request";
  const Request request = std::move(unanswered_.front());
  unanswered_.pop_front();
  const std::size_t most = error == 0 ? largest_answer(request.type) : bounds::reply;
  if (frame.size() > most)
    return "an answer of " + std::to_string(frame.size()) + " bytes to a request " + named(request.type) +
           ", where there are at most " + std::to_string(most);
  return error == 0 ? check_body(request, body) : "";
}

/// A grant has 37 bytes, or 36 from servers before 3.4: the library reads both.
std::string AnswerCheck::on_session(std::string_view frame) {
  Fields fields(frame);
  fields.number();
  const std::int32_t timeout = fields.number();
  fields.take(8);
  const bool has_password = fields.number() == static_cast<std::int32_t>(password_size);
  fields.take(password_size);
  const bool read_only = fields.left() > 0 && fields.truth();
  open_ = asked_ && fields.ok() && fields.left() == 0 && has_password && !read_only && timeout >= 0;
  if (!open_) return "no session: " + std::to_string(frame.size()) + " bytes";
  if (timeout <= longest_session(timeout_asked_)) return {};
  return "a session of " + std::to_string(timeout) + " ms, where " + std::to_string(timeout_asked_) +
         " ms were asked for";
}

std::string AnswerCheck::on_event(std::string_view body) {
  Fields fields(body);
  fields.number();
  fields.number();
  fields.string();
  if (!fields.ok() || body.size() > bounds::reply) return "an event that cannot be read";
  if (watches_ == 0) return "an event of what is not watched";
  --watches_;
  return {};
}

std::string AnswerCheck::check_body(const Request& request, std::string_view body) {
  Fields fields(body);
  if (request.type != type_multi) {
    read_result(request.type, fields);
    return fields.ok() ? "" : "an answer to a request " + named(request.type) + " that cannot be read";
  }
  for (std::size_t i = 0; fields.ok(); ++i) {
    const std::int32_t type = fields.number();
    const bool last = fields.truth();
    fields.number();
    if (last && fields.ok()) return {};
    if (i == request.parts.size()) break;
    type == type_error ? void(fields.number()) : read_result(request.parts[i], fields);
  }
  return "an answer to a transaction that cannot be read";
}

}  // namespace ballot::zookeeper

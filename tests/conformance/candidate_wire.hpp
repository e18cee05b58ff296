// The words between a test and a candidate in a process of its own: calls to its Backend one way, events the other,
// each a frame of its length in 4 bytes and its fields. One list of fields serves both directions.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ballot/backend.hpp"

namespace ballot::conformance {

struct CandidateCall {
  enum class Kind : std::uint8_t {
    open,
    renew,
    campaign,
    resign,
    write,
    read,
    create,
    remove,
    watch,
    observe,
    evict,
    list,
    close,
    quit
  } kind = Kind::quit;
  SessionRequest session = {};
  RequestId request = 0;
  std::string text = {};  // group or prefix
  std::vector<RegisterWrite> batch = {};
  std::vector<std::string> names = {};
  std::vector<Record> records = {};
  bool keep = false;
};

class Packer {
 public:
  template <class... Fields>
  void operator()(const Fields&... fields) {
    (put(fields), ...);
  }
  std::string bytes;

 private:
  template <class T>
  void put(const T& field) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      bytes.append(reinterpret_cast<const char*>(&field), sizeof field);
    else
      pack(*this, const_cast<T&>(field));
  }
  void put(const std::string& text) {
    put(text.size());
    bytes += text;
  }
  template <class T>
  void put(const std::vector<T>& all) {
    put(all.size());
    for (const T& one : all) put(one);
  }
  template <class C, class D>
  void put(const std::chrono::time_point<C, D>& time) {
    put(time.time_since_epoch().count());
  }
  template <class R, class P>
  void put(const std::chrono::duration<R, P>& span) {
    put(span.count());
  }
  template <class T>
  void put(const std::optional<T>& field) {
    put(field.has_value());
    if (field) put(*field);
  }
};

class Unpacker {
 public:
  explicit Unpacker(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class... Fields>
  void operator()(Fields&... fields) {
    (get(fields), ...);
  }

 private:
  template <class T>
  void get(T& field) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      take(&field, sizeof field);
    else
      pack(*this, field);
  }
  void get(std::string& text) {
    std::size_t size = 0;
    get(size);
    text.resize(size);
    take(text.data(), size);
  }
  template <class T>
  void get(std::vector<T>& all) {
    std::size_t size = 0;
    get(size);
    all.resize(size);
    for (T& one : all) get(one);
  }
  template <class C, class D>
  void get(std::chrono::time_point<C, D>& time) {
    typename D::rep count = 0;
    get(count);
    time = std::chrono::time_point<C, D>(D(count));
  }
  template <class R, class P>
  void get(std::chrono::duration<R, P>& span) {
    R count = 0;
    get(count);
    span = std::chrono::duration<R, P>(count);
  }
  template <class T>
  void get(std::optional<T>& field) {
    bool has = false;
    get(has);
    if (has) get(field.emplace());
  }
  void take(void* to, std::size_t size) {
    std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

// clang-format off
template <class A> void pack(A& a, SessionRequest& r) { a(r.generation, r.node, r.boot_id, r.machine_id, r.host, r.pid, r.version, r.control, r.timeout, r.observer, r.only_group, r.anew); }
template <class A> void pack(A& a, RegisterWrite& w) { a(w.group, w.epoch, w.name, w.value, w.version); }
template <class A> void pack(A& a, WriteAnswer& w) { a(w.outcome, w.version, w.text); }
template <class A> void pack(A& a, Register& r) { a(r.name, r.value, r.version); }
template <class A> void pack(A& a, Record& r) { a(r.name, r.value); }
template <class A> void pack(A& a, ballot::Candidate& c) { a(c.id, c.node, c.machine_id, c.boot_id, c.host, c.version, c.control, c.pid, c.since, c.timeout, c.last_seen, c.leads); }
template <class A> void pack(A& a, Election& e) { a(e.group, e.epoch, e.candidates); }
template <class A> void pack(A& a, std::pair<std::string, std::string>& p) { a(p.first, p.second); }
template <class A> void pack(A& a, StoreState& s) { a(s.facts, s.warnings); }
template <class A> void pack(A& a, CandidateCall& c) { a(c.kind, c.session, c.request, c.text, c.batch, c.names, c.records, c.keep); }
template <class A> void pack(A& a, backend::SessionOpened& e) { a(e.timeout, e.capability, e.id, e.revision, e.store_clock); }
template <class A> void pack(A& a, backend::SessionClosed& e) { a(e.cause, e.text, e.refuses_writes); }
template <class A> void pack(A& a, backend::Renewed& e) { a(e.request, e.outcome, e.text, e.store_clock, e.revision, e.counts_from, e.gone_back); }
template <class A> void pack(A& a, backend::Elected& e) { a(e.group, e.epoch, e.resumed, e.old_deadline, e.last_alive, e.revision, e.environment); }
template <class A> void pack(A& a, backend::Deposed& e) { a(e.group, e.epoch, e.cause); }
template <class A> void pack(A& a, backend::Wrote& e) { a(e.request, e.answers); }
template <class A> void pack(A& a, backend::ReadDone& e) { a(e.request, e.outcome, e.registers, e.text); }
template <class A> void pack(A& a, backend::Changed& e) { a(e.prefix); }
template <class A> void pack(A& a, backend::Observed& e) { a(e.request, e.outcome, e.elections, e.text, e.store); }
template <class A> void pack(A& a, backend::Outage& e) { a(e.asked); }
template <class A> void pack(A& a, backend::Unfit& e) { a(e.group, e.why); }
template <class A> void pack(A& a, backend::Vacancy& e) { a(e.group, e.is_vacant); }
// clang-format on

inline std::string pack_event(const BackendEvent& event) {
  Packer packer;
  packer(event.generation, event.what.index());
  std::visit([&](const auto& what) { packer(what); }, event.what);
  return std::move(packer.bytes);
}

template <std::size_t I = 0>
void unpack_what(Unpacker& from, std::size_t index, decltype(BackendEvent::what)& what) {
  if constexpr (I < std::variant_size_v<decltype(BackendEvent::what)>) {
    if (index == I)
      from(what.template emplace<I>());
    else
      unpack_what<I + 1>(from, index, what);
  }
}

inline BackendEvent unpack_event(std::string bytes) {
  Unpacker from(std::move(bytes));
  BackendEvent event;
  std::size_t index = 0;
  from(event.generation, index);
  unpack_what(from, index, event.what);
  return event;
}

/// False: the other side is gone.
inline bool send_frame(int fd, const std::string& bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::string frame(reinterpret_cast<const char*>(&size), sizeof size);
  frame += bytes;
  for (std::size_t sent = 0; sent < frame.size();) {
    const ssize_t n = ::write(fd, frame.data() + sent, frame.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

inline bool receive_bytes(int fd, char* to, std::size_t size) {
  for (std::size_t got = 0; got < size;) {
    const ssize_t n = ::read(fd, to + got, size - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += static_cast<std::size_t>(n);
  }
  return true;
}

/// Empty: the other side is gone.
inline std::optional<std::string> receive_frame(int fd) {
  std::uint32_t size = 0;
  if (!receive_bytes(fd, reinterpret_cast<char*>(&size), sizeof size)) return std::nullopt;
  std::string bytes(size, '\0');
  if (!receive_bytes(fd, bytes.data(), size)) return std::nullopt;
  return bytes;
}

}  // namespace ballot::conformance

#include "support/servers/hostile_zookeeper.hpp"

#include <sys/socket.h>

#include <utility>

namespace ballot::testing {

namespace {

using Asked = HostileZookeeper::Asked;

constexpr std::int32_t type_create = 1, type_exists = 3, type_get = 4, type_ping = 11, type_children = 12,
                       type_multi = 14, no_node = -101, most = 0x7fffffff;
constexpr std::size_t stat_size = 68, mib = 1024 * 1024;

/// "": the connection has ended.
std::string receive(int socket, std::size_t wanted) {
  std::string bytes(wanted, '\0');
  for (std::size_t got = 0; got < wanted;) {
    const ssize_t size = ::recv(socket, bytes.data() + got, wanted - got, 0);
    if (size <= 0) return {};
    got += static_cast<std::size_t>(size);
  }
  return bytes;
}

std::int32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return static_cast<std::int32_t>(value);
}

std::string text(const std::string& bytes) { return zookeeper_number(static_cast<std::int32_t>(bytes.size())) + bytes; }

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += part;
  return all;
}

/// An answer with this body.
auto body(const std::string& bytes) {
  return [bytes](const Asked& asked) { return zookeeper_frame(zookeeper_header(asked.xid) + bytes); };
}

std::string event(const std::string& path) {
  return zookeeper_frame(zookeeper_header(-1) + zookeeper_number(3) + zookeeper_number(3) + text(path));
}

}  // namespace

std::string zookeeper_number(std::int32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(static_cast<std::uint32_t>(value) >> shift);
  return bytes;
}
std::string zookeeper_frame(const std::string& bytes) { return text(bytes); }
std::string zookeeper_header(std::int32_t xid, std::int32_t error) {
  return zookeeper_number(xid) + zookeeper_number(0) + zookeeper_number(1) + zookeeper_number(error);
}
std::string zookeeper_session(std::int32_t timeout) {
  return zookeeper_number(0) + zookeeper_number(timeout) + zookeeper_number(0) + zookeeper_number(77) +
         text(std::string(16, 'p')) + '\0';
}

const std::vector<HostileZookeeper::Reply>& hostile_replies() {
  static const std::string stat(stat_size, '\0');
  static const std::string claim = zookeeper_number(most);
  static const std::vector<HostileZookeeper::Reply> all{
      {"a_session_that_is_short", 0, [](const Asked&) { return zookeeper_frame(zookeeper_session().substr(0, 20)); }},
      {"a_session_of_megabytes", 0, [](const Asked&) { return zookeeper_frame(std::string(8 * mib, 'x')); }},
      {"a_session_without_time", 0, [](const Asked&) { return zookeeper_frame(zookeeper_session(-1)); }},
      {"a_frame_without_end", type_children, [](const Asked&) { return claim + std::string(mib, 'x'); }, 192 * mib},
      {"a_frame_of_less_than_none", type_children, [](const Asked&) { return zookeeper_number(-1); }},
      {"an_answer_without_header", type_children, [](const Asked&) { return zookeeper_frame("1234"); }},
      {"an_answer_that_nobody_asked", type_children,
       [](const Asked& asked) {
         return zookeeper_frame(zookeeper_header(asked.xid, no_node)) + zookeeper_frame(zookeeper_header(99));
       }},
      {"an_answer_to_another", type_children,
       [](const Asked& asked) { return zookeeper_frame(zookeeper_header(asked.xid + 7)); }},
      {"more_children_than_bytes", type_children, body(claim + text("a") + stat)},
      {"less_children_than_none", type_children, body(zookeeper_number(-5) + stat)},
      {"children_without_end", type_children, body(zookeeper_number(900'000) + std::string(3'600'000, '\0') + stat)},
      {"children_without_answer", type_children, body("")},
      {"data_that_is_not_there", type_get, body("")},
      {"data_of_less_than_none", type_get, body(zookeeper_number(-7) + stat)},
      {"data_of_megabytes", type_get, body(text(std::string(3 * mib, 'x')) + stat)},
      {"a_stat_that_is_short", type_exists, body(stat.substr(0, 10))},
      {"a_path_that_is_not_there", type_create, body(claim)},
      {"a_transaction_without_end", type_multi, body(zookeeper_number(1) + '\0' + zookeeper_number(0))},
      {"more_results_than_changes", type_multi,
       body(repeated(zookeeper_number(-1) + '\0' + zookeeper_number(-2) + zookeeper_number(-2), 20'000))},
      {"a_flood_of_events", type_children, [](const Asked&) { return repeated(event("/q"), 64 * 1024); }, 192 * mib},
      {"a_flood_of_pings", type_children,
       [](const Asked&) { return repeated(zookeeper_frame(zookeeper_header(-2)), 64 * 1024); }, 192 * mib},
      {"a_flood_of_logins", type_children,
       [](const Asked&) { return repeated(zookeeper_frame(zookeeper_header(-4)), 64 * 1024); }, 192 * mib},
  };
  return all;
}

HostileZookeeper::HostileZookeeper(Reply reply)
    : reply_(std::move(reply)), server_([this](int socket) { serve(socket); }) {}

void HostileZookeeper::serve(int socket) {
  for (bool first = true;; first = false) {
    const std::string length = receive(socket, 4);
    const std::string frame = length.empty() ? "" : receive(socket, static_cast<std::size_t>(number_at(length, 0)));
    if (frame.size() < 8) break;
    if (!answer(socket, first ? Asked{} : Asked{number_at(frame, 0), number_at(frame, 4)})) break;
  }
}

bool HostileZookeeper::answer(int socket, const Asked& asked) {
  if (asked.type == reply_.type) {
    ++harmed_;
    const std::string bytes = reply_.bytes(asked);
    for (std::size_t sent = 0; sent < reply_.most_bytes; sent += bytes.size())
      if (!send_all(socket, bytes)) return false;
    return reply_.most_bytes > 0 || send_all(socket, bytes);
  }
  if (asked.type == 0) return send_all(socket, zookeeper_frame(zookeeper_session()));
  return send_all(socket, zookeeper_frame(zookeeper_header(asked.xid, asked.type == type_ping ? 0 : no_node)));
}

}  // namespace ballot::testing

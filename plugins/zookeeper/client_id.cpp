#include "client_id.hpp"

#include <charconv>
#include <cstdio>

namespace ballot::zookeeper {

namespace {

/// All of it.
template <class T>
bool from_hex(const std::string& text, std::size_t begin, std::size_t end, T& value) {
  const auto [last, error] = std::from_chars(text.data() + begin, text.data() + end, value, 16);
  return error == std::errc() && last == text.data() + end;
}

}  // namespace

std::string session_text(std::int64_t session) {
  char text[17];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(session));
  return text;
}

void put_client_id(const clientid_t& id, support::Handle& handle) {
  if (id.client_id == 0) return;
  handle.session = session_text(id.client_id);
  for (const char byte : id.passwd) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(byte));
    handle.secret += two;
  }
}

std::optional<clientid_t> client_id_of(const support::Handle& handle) {
  clientid_t id{};
  std::uint64_t session = 0;
  const std::size_t size = sizeof id.passwd;
  if (!from_hex(handle.session, 0, handle.session.size(), session) || handle.secret.size() != 2 * size)
    return std::nullopt;
  id.client_id = static_cast<std::int64_t>(session);
  for (std::size_t i = 0; i < size; ++i) {
    unsigned char byte = 0;
    if (!from_hex(handle.secret, 2 * i, 2 * i + 2, byte)) return std::nullopt;
    id.passwd[i] = static_cast<char>(byte);
  }
  return id;
}

}  // namespace ballot::zookeeper

#include "base/ip_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace ballot {
namespace {

constexpr std::size_t longest = 45;
constexpr std::size_t v4_at = 12;  // of the bytes
constexpr std::array<std::uint8_t, v4_at> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  if (text.size() > longest || text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string ended(text);
  IpAddress address;
  if (::inet_pton(AF_INET6, ended.c_str(), address.bytes.data()) == 1) return address;
  std::copy(mapped.begin(), mapped.end(), address.bytes.begin());
  if (::inet_pton(AF_INET, ended.c_str(), address.bytes.data() + v4_at) == 1) return address;
  return std::nullopt;
}

std::string IpAddress::text() const {
  char buffer[INET6_ADDRSTRLEN];
  const char* const shown = is_v4() ? ::inet_ntop(AF_INET, bytes.data() + v4_at, buffer, sizeof buffer)
                                    : ::inet_ntop(AF_INET6, bytes.data(), buffer, sizeof buffer);
  return shown != nullptr ? shown : "";
}

bool IpAddress::is_v4() const { return std::equal(mapped.begin(), mapped.end(), bytes.begin()); }

bool IpAddress::is_loopback() const {
  return is_v4() ? bytes[v4_at] == 127 : *this == IpAddress{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
}

bool IpAddress::is_any() const {
  const auto from = bytes.begin() + (is_v4() ? v4_at : 0);
  return std::all_of(from, bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto first = IpAddress::parse(text.substr(0, slash));
  if (!first) return std::nullopt;
  AddressRange range;
  range.first_ = *first;
  if (slash == std::string_view::npos) return range;
  const std::string_view number = text.substr(slash + 1);
  int bits = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), bits);
  const int most = first->is_v4() ? 32 : 128;
  if (error != std::errc() || end != number.data() + number.size() || bits < 0 || bits > most) return std::nullopt;
  range.bits_ = bits + (128 - most);
  return range;
}

bool AddressRange::contains(const IpAddress& address) const {
  for (int at = 0; at < bits_; at += 8) {
    const auto byte = static_cast<std::size_t>(at / 8);
    const int count = std::min(8, bits_ - at);
    const auto mask = static_cast<std::uint8_t>(0xff << (8 - count));
    if ((first_.bytes[byte] & mask) != (address.bytes[byte] & mask)) return false;
  }
  return true;
}

}  // namespace ballot

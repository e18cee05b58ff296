// IpAddress and AddressRange: addresses of IPv4 and IPv6 as values. An IPv4 address and the same one mapped into IPv6
// are equal.
//
// Pure: no name is looked up.
//
//   const auto proxies = AddressRange::parse("10.0.0.0/8");
//   if (proxies->contains(*IpAddress::parse("10.1.2.3"))) ...
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ballot {

struct IpAddress {
  using Bytes = std::array<std::uint8_t, 16>;
  Bytes bytes{};  // of IPv4: mapped into IPv6

  /// "192.0.2.7", "2001:db8::1"; no brackets, no zone.
  static std::optional<IpAddress> parse(std::string_view text);
  std::string text() const;

  bool is_v4() const;
  bool is_loopback() const;
  /// All addresses of the machine, where it is listened on.
  bool is_any() const;
  auto operator<=>(const IpAddress&) const = default;
};

/// An address, or all that begin with the same bits.
class AddressRange {
 public:
  /// "192.0.2.7", "10.0.0.0/8", "2001:db8::/32".
  static std::optional<AddressRange> parse(std::string_view text);
  bool contains(const IpAddress& address) const;

 private:
  IpAddress first_;
  int bits_ = 128;
};

}  // namespace ballot

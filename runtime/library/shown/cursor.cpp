#include "library/shown/cursor.hpp"

#include "base/fnv.hpp"
#include "base/hex.hpp"

namespace ballot::library {
namespace {

constexpr std::string_view cursor_version = "1-";
constexpr std::size_t check_digits = 16;

std::string cursor_check(std::string_view place, std::string_view of) {
  const std::uint64_t value = Fnv().add_whole(cursor_version).add_whole(place).add_whole(of).value();
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return to_hex(bytes);
}

}  // namespace

std::string cursor_text(const io::Message& place, std::string_view of) {
  const std::string text = io::encode(place);
  return std::string(cursor_version) + to_hex(text) + cursor_check(text, of);
}

Result<io::Message> cursor_place(std::string_view text, std::string_view of) {
  const Error none{Errc::invalid, "cursor: this is not what `next` of the page before said"};
  if (text.size() > longest_cursor || text.size() < cursor_version.size() + check_digits) return none;
  if (!text.starts_with(cursor_version))
    return Error{Errc::invalid, "cursor: it is of another version of ballot; begin with the first page"};
  text.remove_prefix(cursor_version.size());
  const auto place = from_hex(text.substr(0, text.size() - check_digits));
  if (!place) return none;
  if (cursor_check(*place, of) != text.substr(text.size() - check_digits))
    return Error{Errc::invalid, "cursor: it is of another question; its filters must be those of the page before"};
  return io::decode(*place);
}

}  // namespace ballot::library

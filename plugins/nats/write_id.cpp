#include "write_id.hpp"

#include <charconv>
#include <system_error>

#include "support/random_word.hpp"

namespace ballot::nats {

namespace {

constexpr std::size_t stamp_bytes = 8;

}  // namespace

std::string first_id(const std::string& key) { return key + "/" + support::random_word(stamp_bytes) + ".0"; }

std::string next_id(const std::string& key, std::string_view over, std::uint64_t version) {
  const std::string head = key + "/";
  const std::size_t dot = head.size() + 2 * stamp_bytes;
  if (over.starts_with(head) && over.size() > dot && over[dot] == '.') {
    std::uint64_t number = 0;
    const char *const digits = over.data() + dot + 1, *const end = over.data() + over.size();
    const auto [last, error] = std::from_chars(digits, end, number);
    if (error == std::errc() && last == end && number + 1 != 0)
      return std::string(over.substr(0, dot + 1)) + std::to_string(number + 1);
  }
  return head + std::to_string(version);
}

}  // namespace ballot::nats

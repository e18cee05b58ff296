#include "subjects.hpp"

#include <charconv>

namespace ballot::nats {

std::string subject_of(const std::string& bucket, std::string_view key) {
  std::string subject = "$KV." + bucket + ".";
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/')
      subject += '.';
    else if (plain_letters.find(c) != std::string_view::npos)
      subject += c;
    else
      (subject += '=').append({"0123456789ABCDEF"[byte / 16], "0123456789ABCDEF"[byte % 16]});
  }
  return subject;
}

std::optional<std::string> key_of(const std::string& bucket, std::string_view subject) {
  const std::string head = "$KV." + bucket + ".";
  if (!subject.starts_with(head)) return std::nullopt;
  std::string key;
  for (std::size_t i = head.size(); i < subject.size(); ++i) {
    unsigned char byte = static_cast<unsigned char>(subject[i] == '.' ? '/' : subject[i]);
    if (subject[i] == '=') {
      const std::string_view digits = subject.substr(i + 1, 2);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
      if (error != std::errc() || end != digits.data() + 2) return std::nullopt;
      i += 2;
    }
    key += static_cast<char>(byte);
  }
  return key;
}

}  // namespace ballot::nats

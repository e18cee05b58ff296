#include "subjects.hpp"

namespace ballot::nats {

namespace {

constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
constexpr std::string_view digits = "0123456789ABCDEF";

std::string head_of(const std::string& bucket) { return "$KV." + bucket + "."; }

}  // namespace

std::string stream_of(const std::string& bucket) { return "KV_" + bucket; }

std::string all_subjects_of(const std::string& bucket) { return head_of(bucket) + ">"; }

std::string subject_of(const std::string& bucket, std::string_view key) {
  std::string subject = head_of(bucket);
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/')
      subject += '.';
    else if (plain.find(c) != std::string_view::npos)
      subject += c;
    else
      (subject += '=').append({digits[byte / 16], digits[byte % 16]});
  }
  return subject;
}

std::string own_subject_of(const std::string& bucket, std::string_view name) {
  return head_of(bucket) + "=." + std::string(name);
}

std::optional<std::string> key_of(const std::string& bucket, std::string_view subject) {
  const std::string head = head_of(bucket);
  if (subject.substr(0, head.size()) != head) return std::nullopt;
  std::string key;
  for (std::size_t i = head.size(); i < subject.size(); ++i) {
    if (subject[i] != '=') {
      key += subject[i] == '.' ? '/' : subject[i];
      continue;
    }
    const bool whole = i + 2 < subject.size();
    const auto high = whole ? digits.find(subject[i + 1]) : std::string_view::npos;
    const auto low = whole ? digits.find(subject[i + 2]) : std::string_view::npos;
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    key += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return key;
}

}  // namespace ballot::nats

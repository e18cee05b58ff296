#include "key_paths.hpp"

#include <cstdint>

namespace ballot::consul {

namespace {

constexpr std::string_view spread = "t/";
constexpr const char* digits = "0123456789abcdef";

}  // namespace

std::size_t KeyPaths::shard_of(std::string_view key) {
  if (!key.starts_with(spread)) return 0;
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : key.substr(spread.size())) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return (hash ^ (hash >> 16)) % shards;
}

std::string KeyPaths::path(std::string_view key) const {
  std::string path = root_;
  if (!key.starts_with(spread) || key == spread) return path.append(key);
  path.append(spread) += digits[shard_of(key)];
  return (path += '/').append(key.substr(spread.size()));
}

std::string KeyPaths::key(std::string_view path) const {
  path.remove_prefix(root_.size());
  std::string key(path);
  if (key.starts_with(spread)) key.erase(spread.size(), 2);
  return key;
}

std::vector<std::string> KeyPaths::folders(const std::string& prefix) const {
  if (prefix != spread) return {path(prefix)};
  std::vector<std::string> all;
  for (std::size_t i = 0; i < shards; ++i) all.push_back(root_ + prefix + digits[i] + "/");
  return all;
}

std::string in_url(std::string_view text) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      for (const int half : {byte >> 4, byte & 15}) out += "0123456789ABCDEF"[half];
    }
  }
  return out;
}

}  // namespace ballot::consul

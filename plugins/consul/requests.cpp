#include "requests.hpp"

#include <cctype>
#include <cstdio>

#include "http_client/base64.hpp"
#include "support/keys/key_context.hpp"

namespace ballot::consul {

namespace {

constexpr std::string_view spread = "t/";
constexpr std::string_view folder_names = "0123456789abcdef";

/// Of its folders, the one that a name is in.
char folder_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return folder_names[(hash ^ (hash >> 16)) % folder_names.size()];
}

}  // namespace

std::string KeyPaths::path(std::string_view key) const {
  std::string path = root_;
  if (!key.starts_with(spread) || key == spread) return path.append(key);
  key.remove_prefix(spread.size());
  path.append(spread) += folder_of(key);
  return (path += '/').append(key);
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
  for (const char name : folder_names) all.push_back(root_ + prefix + name + "/");
  return all;
}

std::string operation(const char* verb, const std::string& path, const std::string& more) {
  return R"({"KV":{"Verb":")" + std::string(verb) + R"(","Key":")" + path + '"' + more + "}}";
}
std::string value_field(const std::string& value, std::uint64_t flags) {
  return R"(,"Value":")" + http::to_base64(value) + R"(","Flags":)" + std::to_string(flags);
}
std::string index_field(std::uint64_t index) { return R"(,"Index":)" + std::to_string(index); }
std::string session_field(const std::string& session) { return R"(,"Session":")" + session + '"'; }

std::uint64_t last_version(const Reply& reply) {
  const auto& results = http::array_at(reply.json, "Results");
  return results.empty() ? 0 : support::sound_version(http::number_at(results.back(), "KV", "ModifyIndex"));
}

/// A bound key without its session is free.
std::vector<support::KeyEntry> entries_of(const KeyPaths& paths, const http::json::array& all) {
  std::vector<support::KeyEntry> entries;
  for (const http::json::value& result : all) {
    const http::json::value& in_result = http::member_of(result, "KV");
    const http::json::value& one = in_result.is_null() ? result : in_result;
    const std::string_view path = http::text_at(one, "Key");
    if (!path.starts_with(paths.root())) continue;
    support::KeyEntry entry{paths.key(path), {}, support::sound_version(http::number_at(one, "ModifyIndex"))};
    if (entry.key.starts_with(support::KeyNames::sessions) && http::text_at(one, "Session").empty()) continue;
    auto value = http::from_base64(http::text_at(one, "Value"));
    if (!value) entry.version = 0;
    entry.value = std::move(value).value_or("");
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string in_url(std::string_view text) {
  std::string out;
  for (const char c : text) {
    char hex[4];
    const auto byte = static_cast<unsigned char>(c);
    std::snprintf(hex, sizeof hex, "%%%02X", byte);
    out += std::isalnum(byte) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos ? std::string(1, c)
                                                                                                  : hex;
  }
  return out;
}

}  // namespace ballot::consul

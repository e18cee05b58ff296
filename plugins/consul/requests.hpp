// Requests: where the keys of a KeyStore lie in Consul, and what is asked about them, as text. They lie below
// PREFIX/NAMESPACE/ under their own names, but for those of terms, which are spread over 16 folders: Consul always
// answers with all that is below a path, and of ten thousand groups that is megabytes. Pure.
//
//   paths.path("t/nightly") == "ballot/production/t/b/nightly";   paths.key(that) == "t/nightly"
//   agent.transact({operation("get", paths.path("s/host-1"))}, ...)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::consul {

class KeyPaths {
 public:
  /// `root` ends with a slash.
  explicit KeyPaths(std::string root) : root_(std::move(root)) {}

  const std::string& root() const noexcept { return root_; }
  /// Of a key, or of a prefix of keys. Requires: a prefix that begins with "t/" is "t/".
  std::string path(std::string_view key) const;
  /// Requires: it is below the root.
  std::string key(std::string_view path) const;

  /// The paths of the folders that a prefix of keys is spread over; of most, the one that it is.
  std::vector<std::string> folders(const std::string& prefix) const;

 private:
  const std::string root_;
};

/// One operation on a key. `more`: further fields, each with a comma before it.
std::string operation(const char* verb, const std::string& path, const std::string& more = {});
std::string value_field(const std::string& value, std::uint64_t flags);
std::string index_field(std::uint64_t index);
std::string session_field(const std::string& session);
/// Of what the last operation of a transaction has written; 0: nothing.
std::uint64_t last_version(const Reply& reply);

/// What is written, of a list of keys or of the results of a transaction.
std::vector<support::KeyEntry> entries_of(const KeyPaths& paths, const http::json::array& all);

/// The text as a part of a URL.
std::string in_url(std::string_view text);

}  // namespace ballot::consul

// KeyPaths: where the keys of a KeyStore lie in Consul: below PREFIX/NAMESPACE/ under their own names, but for those of
// terms, which are spread over 16 folders: Consul always answers with all that is below a path, and of ten thousand
// groups that is megabytes. Pure.
//
//   paths.path("t/nightly") == "ballot/production/t/b/nightly";   paths.key(that) == "t/nightly"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ballot::consul {

class KeyPaths {
 public:
  static constexpr std::size_t shards = 16;

  /// `root` ends with a slash.
  explicit KeyPaths(std::string root) : root_(std::move(root)) {}

  const std::string& root() const noexcept { return root_; }
  /// Of a key, or of a prefix of keys. Requires: a prefix that begins with "t/" is "t/".
  std::string path(std::string_view key) const;
  /// Requires: it is below the root.
  std::string key(std::string_view path) const;

  /// The paths of the folders that a prefix of keys is spread over; of most, the one that it is.
  std::vector<std::string> folders(const std::string& prefix) const;
  /// Which of them a key is in.
  static std::size_t shard_of(std::string_view key);

 private:
  const std::string root_;
};

/// Keys that are bound to sessions begin so, and no others.
inline constexpr std::string_view bound_keys = "s/";

/// The text as a part of a URL.
std::string in_url(std::string_view text);

}  // namespace ballot::consul

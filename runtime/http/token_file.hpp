// TokenFile: the tokens of a file that nobody but root and the daemon's user can have written or read, read again when
// it changes.
//
// Thread: one.
//
//   auto file = TokenFile::open("/etc/ballot/tokens");   // Result
//   if (const auto read = file->refresh(); !read) log(read.error());   // the tokens before still count
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "ballot/error.hpp"
#include "http/tokens.hpp"
#include "http/watched_file.hpp"

namespace ballot::web {

class TokenFile {
 public:
  /// "": there are no tokens. Errors: invalid, refused, io: the file and what is wrong with it, never a
  /// token or a hash.
  static Result<TokenFile> open(std::string path);

  enum class Refreshed { same, changed };
  /// Reads the file again where it has changed, and until that succeeds. Each error is returned once; same: the tokens
  /// are as they were.
  Result<Refreshed> refresh();
  /// What kept the last refresh from reading the file, "tokens: FILE: ..."; "": nothing did.
  std::string fault() const { return faults_.told().substr(std::min(faults_.told().size(), table.size())); }
  const Tokens& tokens() const { return tokens_; }

 private:
  explicit TokenFile(std::string path) : path_(std::move(path)), file_(path_) {}
  Result<void> read();

  static constexpr std::string_view table = "[http] ";  // whose key the file is
  std::string path_;
  WatchedFile file_;
  ToldOnce faults_;
  Tokens tokens_;
};

/// Adds a line (token_line) to the file, which is made, with mode 0600, where it is missing. Errors: those of
/// open(); refused, where the file would have two tokens of one name; io. Nothing was added then, nor a part of it.
Result<void> add_token(const std::string& path, const std::string& line);

}  // namespace ballot::web

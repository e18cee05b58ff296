// Tokens: who may ask, by a secret that is shown. A file has a line `NAME ROLE SHA256` for each: of a token only its
// hash is kept, and nothing here shows a token but new_token().
//
// A token is compared with all of them, each in the same time.
// Thread: plain values; new_token() any.
//
//   const auto tokens = Tokens::parse(text);
//   if (const Token* const found = tokens->find(shown)) ... found->role
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/error.hpp"
#include "http/sha256.hpp"
#include "io/role.hpp"

namespace ballot::web {

using TokenHash = Sha256;

struct Token {
  std::string name;
  io::Role role = io::Role::none;
  TokenHash hash{};
  bool operator==(const Token&) const = default;
};

inline constexpr std::size_t most_tokens = 1000, longest_token = 256;

class Tokens {
 public:
  /// Empty lines, and those that begin with '#', say nothing. invalid: the first line that is none, with its number;
  /// two tokens of one name, or of one hash; more than most_tokens.
  static Result<Tokens> parse(std::string_view text);

  /// None where no token has this hash.
  const Token* find(std::string_view token) const;
  /// Whether the same token has the same role still.
  bool has(const Token& token) const;
  std::size_t size() const { return tokens_.size(); }

 private:
  std::vector<Token> tokens_;
};

/// 1 to 64 letters, digits, '_', '-' and '.', beginning with a letter or digit.
bool is_token_name(std::string_view text);

/// "ballot_" and 256 random bits. io: the kernel has none.
Result<std::string> new_token();

/// The line of a token's file, without the line's end.
std::string token_line(const std::string& name, io::Role role, std::string_view token);

}  // namespace ballot::web

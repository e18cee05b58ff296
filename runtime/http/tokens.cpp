#include "http/tokens.hpp"

#include <openssl/crypto.h>
#include <sys/random.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/hex.hpp"
#include "base/quoted.hpp"

namespace ballot::web {
namespace {

constexpr std::size_t random_bytes = 32, longest_name = 64;

std::optional<TokenHash> parse_hash(std::string_view text) {
  std::string digits(text);
  for (char& digit : digits)
    if (digit >= 'A' && digit <= 'F') digit = static_cast<char>(digit - 'A' + 'a');
  TokenHash hash{};
  const auto bytes = from_hex(digits);
  if (!bytes || bytes->size() != hash.size()) return std::nullopt;
  std::copy(bytes->begin(), bytes->end(), hash.begin());
  return hash;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t from = line.find_first_not_of(blanks); from != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, from), line.size());
    words.push_back(line.substr(from, end - from));
    from = line.find_first_not_of(blanks, end);
  }
  return words;
}

/// No error shows a word of the line: a token that stands in a wrong place has been shown to nobody yet.
Result<Token> parse_line(const std::vector<std::string_view>& words) {
  const auto invalid = [](std::string text) { return Error{Errc::invalid, std::move(text)}; };
  if (words.size() != 3) return invalid("a line has three words: NAME ROLE SHA256-OF-TOKEN");
  if (!is_token_name(words[0]))
    return invalid("the name must be 1 to 64 letters, digits, '_', '-' and '.', beginning with a letter or digit");
  const auto role = io::parse_role(words[1]);
  if (!role) return invalid("the second word is no role; there are viewer, operator and admin");
  const auto hash = parse_hash(words[2]);
  if (!hash)
    return invalid("the third word is no SHA-256 of 64 hexadecimal digits; `ballot token new` prints the line");
  return Token{std::string(words[0]), *role, *hash};
}

/// Base64 for URLs, without padding.
std::string base64url(const std::array<std::uint8_t, random_bytes>& bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  unsigned held = 0;
  int bits = 0;
  for (const std::uint8_t byte : bytes) {
    held = (held << 8 | byte) & 0xffff;
    for (bits += 8; bits >= 6; bits -= 6) text += letters[held >> (bits - 6) & 63];
  }
  if (bits > 0) text += letters[held << (6 - bits) & 63];
  return text;
}

}  // namespace

bool is_token_name(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= longest_name && is_plain(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_plain(c) || c == '_' || c == '-' || c == '.'; });
}

Result<Tokens> Tokens::parse(std::string_view text) {
  Tokens made;
  std::set<std::string> names;
  std::set<TokenHash> hashes;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words.front().starts_with('#')) continue;
    const auto at_line = [number](const std::string& what) {
      return Error{Errc::invalid, "line " + std::to_string(number) + ": " + what};
    };
    auto token = parse_line(words);
    if (!token) return at_line(token.error().what);
    if (!names.insert(token->name).second)
      return at_line("a token " + ballot::quoted(token->name) + " stands above already");
    if (!hashes.insert(token->hash).second)
      return at_line("the token of " + ballot::quoted(token->name) + " has another name above already");
    if (made.tokens_.size() == most_tokens)
      return at_line("there are more than " + std::to_string(most_tokens) + " tokens");
    made.tokens_.push_back(*std::move(token));
  }
  return made;
}

const Token* Tokens::find(std::string_view token) const {
  if (token.empty() || token.size() > longest_token) return nullptr;
  const TokenHash hash = sha256(token);
  const Token* found = nullptr;
  for (const Token& one : tokens_)
    if (::CRYPTO_memcmp(one.hash.data(), hash.data(), hash.size()) == 0) found = &one;
  return found;
}

bool Tokens::has(const Token& token) const { return std::find(tokens_.begin(), tokens_.end(), token) != tokens_.end(); }

Result<std::string> new_token() {
  std::array<std::uint8_t, random_bytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Error{Errc::io, "the kernel gives no random bytes"};
  return "ballot_" + base64url(bytes);
}

std::string token_line(const std::string& name, io::Role role, std::string_view token) {
  const TokenHash hash = sha256(token);
  return name + ' ' + std::string(io::to_string(role)) + ' ' +
         to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

}  // namespace ballot::web

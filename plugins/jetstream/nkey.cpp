#include "nkey.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "http_client/base64.hpp"

namespace ballot::jetstream {

namespace {

constexpr std::size_t kind_size = 2, seed_size = 32, checksum_size = 2;
constexpr std::size_t key_size = kind_size + seed_size + checksum_size;
constexpr unsigned is_seed = 18 << 3, of_user = 20 << 3;  // 'S' and 'U'

using Key = std::array<unsigned char, key_size>;

struct Free {
  void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { ::EVP_MD_CTX_free(context); }
};

/// RFC 4648 without padding. False: it is none, or another size.
bool from_base32(std::string_view text, Key& key) {
  std::uint32_t bits = 0;
  unsigned count = 0;
  std::size_t size = 0;
  for (const char letter : text) {
    const bool is_letter = letter >= 'A' && letter <= 'Z', is_digit = letter >= '2' && letter <= '7';
    if (!is_letter && !is_digit) return false;
    bits = bits << 5 | static_cast<std::uint32_t>(is_letter ? letter - 'A' : letter - '2' + 26);
    count += 5;
    if (count < 8) continue;
    if (size == key.size()) return false;
    key[size++] = static_cast<unsigned char>(bits >> (count -= 8));
  }
  return size == key.size() && count < 5;
}

/// CRC-16 of XMODEM.
unsigned checksum(const unsigned char* bytes, std::size_t size) {
  constexpr unsigned polynomial = 0x1021;
  unsigned crc = 0;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= static_cast<unsigned>(bytes[i]) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? crc << 1 ^ polynomial : crc << 1;
  }
  return crc & 0xffff;
}

/// "": it is a seed of a user, in `key`.
std::string read_seed(std::string_view text, Key& key) {
  if (!from_base32(text, key)) return "it is no seed of an nkey: SU and 56 more letters and digits";
  const unsigned kind = (key[0] & 7u) << 5 | key[1] >> 3;
  if ((key[0] & 0xf8u) != is_seed || kind != of_user) return "it is no seed of a user: one begins with SU";
  const unsigned written = key[key_size - 2] | static_cast<unsigned>(key[key_size - 1]) << 8;
  return checksum(key.data(), key_size - checksum_size) == written ? "" : "its checksum is wrong";
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  return text.substr(0, text.find_last_not_of(blank) + 1);
}

}  // namespace

std::string problem_of_seed(std::string_view seed) {
  Key key{};
  std::string problem = read_seed(seed, key);
  ::OPENSSL_cleanse(key.data(), key.size());
  return problem;
}

Result<std::string> sign(std::string_view seed, std::string_view nonce) {
  Key key{};
  const std::string problem = read_seed(seed, key);
  const std::unique_ptr<EVP_PKEY, Free> own(
      problem.empty() ? ::EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, key.data() + kind_size, seed_size)
                      : nullptr);
  ::OPENSSL_cleanse(key.data(), key.size());
  if (!problem.empty()) return Error{Errc::invalid, problem};
  const std::unique_ptr<EVP_MD_CTX, Free> context(::EVP_MD_CTX_new());
  std::array<unsigned char, 64> signature{};
  std::size_t size = signature.size();
  if (own == nullptr || context == nullptr ||
      ::EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, own.get()) != 1 ||
      ::EVP_DigestSign(context.get(), signature.data(), &size, reinterpret_cast<const unsigned char*>(nonce.data()),
                       nonce.size()) != 1)
    return Error{Errc::io, "OpenSSL cannot sign with Ed25519"};
  std::string text = http::to_base64({reinterpret_cast<const char*>(signature.data()), size});
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.resize(std::min(text.find('='), text.size()));
  return text;
}

Credentials parse_credentials(std::string_view text) {
  Credentials found;
  std::string* next = &found.seed;  // what the next line is, that is not empty
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("---"))
      next = line.find("BEGIN") == std::string_view::npos  ? nullptr
             : line.find("JWT") != std::string_view::npos  ? &found.jwt
             : line.find("SEED") != std::string_view::npos ? &found.seed
                                                           : nullptr;
    else if (!line.empty() && next != nullptr) {
      if (next->empty()) *next = line;
      next = nullptr;
    }
  }
  return found;
}

}  // namespace ballot::jetstream

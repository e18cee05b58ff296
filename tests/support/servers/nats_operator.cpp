#include "support/servers/nats_operator.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

namespace ballot::testing {
namespace {

constexpr std::size_t key_size = 32, signature_size = 64;
constexpr unsigned char seed_kind = 18 << 3;  // "S"

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

/// Of CRC-16/XMODEM, low byte first.
std::string checksum(const std::string& bytes) {
  std::uint32_t crc = 0;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(byte)) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
  }
  return {static_cast<char>(crc & 0xff), static_cast<char>(crc >> 8)};
}

/// `width` bits a letter, without padding.
std::string in_letters(const std::string& bytes, int width, const char* letters) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  const std::uint32_t mask = (1u << width) - 1;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (count += 8; count >= width; count -= width) text += letters[bits >> (count - width) & mask];
    bits &= 0xff;
  }
  if (count > 0) text += letters[bits << (width - count) & mask];
  return text;
}

std::string base32(const std::string& bytes) { return in_letters(bytes, 5, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"); }
std::string base64url(const std::string& bytes) {
  return in_letters(bytes, 6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
}

const unsigned char* bytes_of(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

/// `claims`: fields of "nats".
std::string jwt(const NatsKey& issuer, const std::string& subject, const std::string& kind, const std::string& claims) {
  const std::string head = base64url(R"({"typ":"JWT","alg":"ed25519-nkey"})");
  const std::string body =
      base64url(R"({"jti":"test","iat":1700000000,"iss":")" + issuer.name() + R"(","name":")" + kind + R"(","sub":")" +
                subject + R"(","nats":{)" + claims + R"("type":")" + kind + R"(","version":2}})");
  return head + '.' + body + '.' + base64url(issuer.sign(head + '.' + body));
}

constexpr const char* account_limits =
    R"("limits":{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,"leaf":-1)";
constexpr const char* jetstream_limits = R"(,"mem_storage":-1,"disk_storage":-1,"streams":-1,"consumer":-1)";

}  // namespace

NatsKey::NatsKey(Kind kind) : kind_(kind), secret_(key_size, '\0'), public_(key_size, '\0') {
  if (RAND_bytes(bytes_of(secret_), key_size) != 1) throw std::runtime_error("no random bytes");
  const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(secret_), key_size), EVP_PKEY_free);
  std::size_t size = key_size;
  EVP_PKEY_get_raw_public_key(key.get(), bytes_of(public_), &size);
}

std::string NatsKey::name() const {
  const std::string bytes = static_cast<char>(kind_) + public_;
  return base32(bytes + checksum(bytes));
}

std::string NatsKey::seed() const {
  const auto kind = static_cast<unsigned char>(kind_);
  const std::string head{static_cast<char>(seed_kind | kind >> 5), static_cast<char>((kind & 31) << 3)};
  return base32(head + secret_ + checksum(head + secret_));
}

std::string NatsKey::sign(const std::string& text) const {
  const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(secret_), key_size), EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string signature(signature_size, '\0');
  std::size_t size = signature_size;
  EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get());
  if (EVP_DigestSign(context.get(), bytes_of(signature), &size, bytes_of(text), text.size()) != 1)
    throw std::runtime_error("nothing can be signed");
  return signature;
}

NatsOperator::NatsOperator() = default;

std::string NatsOperator::configuration() const {
  const auto account = [&](const NatsKey& key, const char* limits) {
    return jwt(operator_, key.name(), "account",
               std::string(account_limits) + limits + R"(},"default_permissions":{"pub":{},"sub":{}},)");
  };
  return "operator: \"" +
         jwt(operator_, operator_.name(), "operator", "\"system_account\":\"" + system_.name() + "\",") +
         "\"\nsystem_account: " + system_.name() + "\nresolver: MEMORY\nresolver_preload: {\n  " + system_.name() +
         ": \"" + account(system_, "") + "\"\n  " + account_.name() + ": \"" + account(account_, jetstream_limits) +
         "\"\n}\n";
}

std::string NatsOperator::credentials() const {
  const NatsKey user(NatsKey::Kind::user);
  return "-----BEGIN NATS USER JWT-----\n" +
         jwt(account_, user.name(), "user", R"("pub":{},"sub":{},"subs":-1,"data":-1,"payload":-1,)") +
         "\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n" + user.seed() +
         "\n------END USER NKEY SEED------\n";
}

}  // namespace ballot::testing

// Nkey: a user's key of NATS: an Ed25519 seed, written in base32 with its kind and a checksum ("SU..."), which signs
// what a server asks to be signed; and the file of credentials that holds one beside a JWT. Pure.
//
//   const auto signature = sign(seed, nonce);            // Result<std::string>: base64 for URLs
//   const Credentials found = parse_credentials(text);
#pragma once

#include <string>
#include <string_view>

#include "ballot/error.hpp"

namespace ballot::jetstream {

/// Errors: invalid, where it is no seed of a user; it says nothing of what was read.
Result<std::string> sign(std::string_view seed, std::string_view nonce);
/// Why sign() would refuse a seed; "": it would not.
std::string problem_of_seed(std::string_view seed);

struct Credentials {
  std::string jwt, seed;  // "": there is none
};
/// Reads a file as nsc writes it, or one with a seed alone on its first line.
Credentials parse_credentials(std::string_view text);

}  // namespace ballot::jetstream

#include "http/sha256.hpp"

#include <openssl/sha.h>

namespace ballot::web {

Sha256 sha256(std::string_view bytes) {
  Sha256 hash{};
  ::SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash.data());
  return hash;
}

}  // namespace ballot::web

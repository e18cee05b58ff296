// A file with a certificate or a key that [http] names: who could have written it is asked before it is used.
#pragma once

#include <openssl/types.h>

#include <optional>
#include <string>

#include "ballot/error.hpp"

namespace ballot::web {

/// `key`: its key below [http], with which errors begin. refused: somebody but root and the daemon's user may write it,
/// or of `tls_key` everybody may read it; invalid: it is not there, or no regular file. A link is followed, as what
/// renews certificates makes them.
Result<void> check_tls_file(const std::string& key, const std::string& path);

/// Why nobody takes it now: it has expired, or is not valid yet, and what to do. None: it is valid.
std::optional<std::string> untimely(const X509& certificate);

}  // namespace ballot::web

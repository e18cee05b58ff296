// Opening a file that lies in a trusted folder, or that a link there leads to: step by step, so that what is opened is
// what was looked at, whatever is renamed meanwhile.
//
//   auto file = open_trusted(folder, "nightly.toml", ::geteuid());
//   if (!file) return findings.error({}, file.error().what);
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "ballot/error.hpp"
#include "base/unique_fd.hpp"

namespace ballot {

struct TrustedFile {
  UniqueFd fd;  // to read
  struct stat info {};
};

/// `name` in the open folder `folder`, of which distrust_folder() has nothing to say. Each link on the way must belong
/// to root or to `daemon`, each folder that a link leads through be one that distrust_passed() takes, and the file be
/// one that distrust() takes. Errors: not_found: no such name; refused: what is not trusted and why, no regular file, a
/// link that leads nowhere; io. Never blocks. `seen`: the name's own state, of a link the link's, where the caller has
/// just asked for it.
Result<TrustedFile> open_trusted(int folder, const std::string& name, std::uint32_t daemon,
                                 const struct stat* seen = nullptr);

}  // namespace ballot

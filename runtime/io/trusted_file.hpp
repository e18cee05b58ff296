// TrustedFile: a small file that the daemon reads at each start of a job. It may be read for a job of another user, so
// who could have written it, or put it in the way, is asked as of job files: root or the daemon's user, and nobody
// else.
#pragma once

#include <string>

#include "ballot/error.hpp"

namespace ballot::io {

inline constexpr std::size_t largest_trusted_file = 1024 * 1024;

/// Whether others may read it.
enum class Readers { anyone, owner };

/// All of it, in a few reads. An error names what is wrong with it, but not the file, and nothing that is in it:
/// not_found; refused: who may write or read it; invalid: no regular file, a link, larger than 1 MiB; io.
Result<std::string> read_trusted_file(const std::string& path, Readers readers);

}  // namespace ballot::io

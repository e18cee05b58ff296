#include "http/tls_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.hpp"
#include "base/trust.hpp"

namespace ballot::web {

Result<void> check_tls_file(const std::string& key, const std::string& path) {
  const std::string what = "[http] " + key + ": " + path;
  const auto info = stat_regular(path);
  if (!info) return Error{Errc::invalid, "[http] " + key + ": " + info.error().what};
  if (const auto fault = distrust_file(path, ::geteuid()))
    return Error{Errc::refused, what + " is not used: " + *fault};
  if (key == "tls_key" && (info->st_mode & S_IRWXO) != 0)
    return Error{Errc::refused, what + " is not used: everybody may read it; take that away with chmod o-rwx"};
  return {};
}

}  // namespace ballot::web

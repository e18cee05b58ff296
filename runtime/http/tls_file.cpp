#include "http/tls_file.hpp"

#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

#include "base/regular_file.hpp"
#include "base/trust.hpp"
#include "base/wall_text.hpp"

namespace ballot::web {
namespace {

std::string text_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (::ASN1_TIME_to_tm(time, &parts) != 1) return "a time that cannot be read";
  return format_seconds(WallTime(std::chrono::seconds(::timegm(&parts))));
}

}  // namespace

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

std::optional<std::string> untimely(const X509& certificate) {
  const ASN1_TIME* const end = ::X509_get0_notAfter(&certificate);
  const ASN1_TIME* const begin = ::X509_get0_notBefore(&certificate);
  if (::X509_cmp_current_time(end) < 0) return "has expired, at " + text_of(end) + ": renew it";
  if (::X509_cmp_current_time(begin) > 0)
    return "is not valid before " + text_of(begin) + ": renew it, or set the clock";
  return std::nullopt;
}

}  // namespace ballot::web

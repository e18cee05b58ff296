#include "library/named_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <optional>

#include "http/listener.hpp"
#include "http/peer_client.hpp"
#include "http/server_tls.hpp"
#include "http/token_file.hpp"
#include "library/settings.hpp"

namespace ballot::library {
namespace {

bool may_read(const std::string& path) {
  return path.empty() || ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0 || errno != EACCES;
}

class NamedFiles {
 public:
  void add(Error error, bool stops, std::initializer_list<std::string> paths) {
    faults_.push_back({std::move(error), stops, std::all_of(paths.begin(), paths.end(), may_read)});
  }
  std::vector<FileFault> take() { return std::move(faults_); }

 private:
  std::vector<FileFault> faults_;
};

void check_api(const HttpSettings& http, NamedFiles& files) {
  const auto place = ListenPlace::parse(http.listen);
  if (const auto listens = place ? web::Listener::check(*place) : Result<void>(); !listens)
    files.add(listens.error(), true, {});
  if (const auto tokens = web::TokenFile::open(http.tokens); !tokens) files.add(tokens.error(), true, {http.tokens});
  const auto tls = web::ServerTls::of(http);
  if (!tls) files.add(tls.error(), true, {http.tls_cert, http.tls_key, http.tls_client_ca});
  if (const auto untimely = tls && *tls ? (*tls)->untimely() : std::nullopt)
    files.add({Errc::invalid, *untimely}, false, {});
}

void check_peers(const FleetSettings& fleet, NamedFiles& files) {
  if (const auto usable = web::check_authorities(fleet.tls_ca); !usable)
    files.add(usable.error(), false, {fleet.tls_ca});
  if (const auto untimely = web::untimely_authority(fleet.tls_ca))
    files.add({Errc::invalid, *untimely + ", or take it out: no node is asked whose certificate it has signed"}, false,
              {});
  if (fleet.token_file.empty()) return;
  if (const auto token = read_fleet_token(fleet.token_file); !token)
    files.add(token.error(), false, {fleet.token_file});
}

}  // namespace

std::vector<FileFault> check_named_files(const config::Config& config) {
  NamedFiles files;
  if (!config.http.listen.empty()) check_api(config.http, files);
  if (const auto fleet = fleet_settings(config)) check_peers(*fleet, files);
  return files.take();
}

}  // namespace ballot::library

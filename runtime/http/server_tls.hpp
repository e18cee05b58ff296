// ServerTls: what TLS connections of the server have in common, made of the files of its settings, and made anew when
// they change: a certificate is renewed without a restart.
//
// Thread: one.
//
//   auto tls = ServerTls::make({cert, key, client_ca});   // Result
//   if (auto failed = tls->refresh()) log(*failed);       // the certificate before stays in use
//   ssl::stream<Socket> stream(std::move(socket), *tls->context());
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <optional>
#include <string>

#include "ballot/error.hpp"
#include "base/http_settings.hpp"
#include "http/watched_file.hpp"

namespace ballot::web {

struct TlsFileNames {
  std::string cert, key;
  std::string client_ca;  // "": no client shows a certificate
};

class ServerTls {
 public:
  using Context = boost::asio::ssl::context;

  /// invalid, refused: the file, and what is wrong with it: it is no regular file, cannot be read, others may write to
  /// it or read the key, or the key is another certificate's.
  static Result<ServerTls> make(TlsFileNames names);
  /// The same, of the files that [http] names. None: it names no certificate.
  static Result<std::optional<ServerTls>> of(const HttpSettings& settings);

  /// Reads the files again where one has changed, and until that succeeds. An error, once for each reason: what was
  /// read before is still used. A certificate that is not valid now is no success, while the one in use is.
  std::optional<Error> refresh();
  const std::shared_ptr<Context>& context() const { return context_; }
  /// Why clients refuse the certificate in use: it has expired, or is not valid yet.
  std::optional<std::string> untimely() const { return untimely(*context_); }

 private:
  explicit ServerTls(TlsFileNames names);
  Result<std::shared_ptr<Context>> read() const;
  std::optional<std::string> untimely(Context& context) const;

  TlsFileNames names_;
  WatchedFile cert_, key_, client_ca_;
  ToldOnce faults_;
  std::shared_ptr<Context> context_;
};

}  // namespace ballot::web

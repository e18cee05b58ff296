#include "http/server_tls.hpp"

#include "http/tls_file.hpp"

namespace ballot::web {
namespace {

namespace ssl = boost::asio::ssl;

Error unusable(const char* key, const std::string& path, const boost::system::error_code& error) {
  return {Errc::invalid, std::string("[http] ") + key + ": " + path + " cannot be used: " + error.message()};
}

}  // namespace

ServerTls::ServerTls(TlsFileNames names)
    : names_(std::move(names)), cert_(names_.cert), key_(names_.key), client_ca_(names_.client_ca) {}

Result<ServerTls> ServerTls::make(TlsFileNames names) {
  ServerTls made(std::move(names));
  auto context = made.read();
  if (!context) return context.error();
  made.context_ = *std::move(context);
  return made;
}

Result<std::optional<ServerTls>> ServerTls::of(const HttpSettings& settings) {
  if (settings.tls_cert.empty()) return std::optional<ServerTls>();
  auto made = make({settings.tls_cert, settings.tls_key, settings.tls_client_ca});
  if (!made) return made.error();
  return std::optional<ServerTls>(*std::move(made));
}

std::optional<Error> ServerTls::refresh() {
  const bool cert = cert_.changed(), key = key_.changed(), client_ca = client_ca_.changed();
  auto context = cert || key || client_ca ? read() : context_;
  if (const auto fault = context ? untimely(**context) : std::nullopt; fault && !untimely())
    context = Error{Errc::invalid, *fault};
  if (!context) return faults_.is_new(context.error().what) ? std::optional(context.error()) : std::nullopt;
  faults_.is_over();
  context_ = *std::move(context);
  for (WatchedFile* const file : {&cert_, &key_, &client_ca_}) file->was_read();
  return std::nullopt;
}

std::optional<std::string> ServerTls::untimely(Context& context) const {
  const auto why = web::untimely(*::SSL_CTX_get0_certificate(context.native_handle()));
  return why ? std::optional("[http] tls_cert: " + names_.cert + " " + *why) : std::nullopt;
}

Result<std::shared_ptr<ServerTls::Context>> ServerTls::read() const {
  for (const auto& [key, path] : {std::pair("tls_cert", &names_.cert), std::pair("tls_key", &names_.key),
                                  std::pair("tls_client_ca", &names_.client_ca)})
    if (const auto trusted = path->empty() ? Result<void>() : check_tls_file(key, *path); !trusted)
      return trusted.error();
  auto context = std::make_shared<Context>(Context::tls_server);
  boost::system::error_code error;
  context->set_options(Context::default_workarounds | Context::no_sslv3 | Context::no_tlsv1 | Context::no_tlsv1_1 |
                           Context::no_compression | static_cast<long>(SSL_OP_NO_RENEGOTIATION),
                       error);
  ::SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  // Else OpenSSL would ask on the terminal.
  context->set_password_callback([](std::size_t, Context::password_purpose) { return std::string(); }, error);
  if (context->use_certificate_chain_file(names_.cert, error)) return unusable("tls_cert", names_.cert, error);
  if (context->use_private_key_file(names_.key, Context::pem, error)) return unusable("tls_key", names_.key, error);
  if (names_.client_ca.empty()) return context;
  if (context->load_verify_file(names_.client_ca, error)) return unusable("tls_client_ca", names_.client_ca, error);
  context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, error);
  // Sessions that are gone on with would need a name of their own; whoever shows certificates shakes hands each time.
  ::SSL_CTX_set_session_cache_mode(context->native_handle(), SSL_SESS_CACHE_OFF);
  ::SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_TICKET);
  return context;
}

}  // namespace ballot::web

#include "http_client/tls_context.hpp"

#include <openssl/x509v3.h>

#include <boost/asio/ip/address.hpp>
#include <string>

namespace ballot::http {

namespace {

namespace ssl = boost::asio::ssl;

Error unusable(const std::string& what, const std::string& file, const boost::system::error_code& error) {
  return {Errc::invalid, "TLS: " + what + " " + file + " cannot be used: " + error.message()};
}

}  // namespace

Result<std::shared_ptr<ssl::context>> make_tls_context(const Tls& tls) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  boost::system::error_code error;
  context->set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, error);
  context->set_verify_mode(tls.verify ? ssl::verify_peer : ssl::verify_none, error);
  // Else OpenSSL would ask on the terminal.
  context->set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); }, error);
  if (tls.ca_file.empty())
    context->set_default_verify_paths(error);
  else if (context->load_verify_file(tls.ca_file, error))
    return unusable("the certificates of authorities in", tls.ca_file, error);
  if (tls.cert_file.empty()) return context;
  if (context->use_certificate_chain_file(tls.cert_file, error))
    return unusable("the certificate in", tls.cert_file, error);
  if (context->use_private_key_file(tls.key_file, ssl::context::pem, error))
    return unusable("the key in", tls.key_file, error);
  return context;
}

bool check_server(SSL* ssl, const std::string& name) {
  boost::system::error_code no_address;
  boost::asio::ip::make_address(name, no_address);
  X509_VERIFY_PARAM* const checks = SSL_get0_param(ssl);
  if (!no_address) return X509_VERIFY_PARAM_set1_ip_asc(checks, name.c_str()) == 1;
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(checks, name.data(), name.size()) == 1 &&
         SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
}

std::string certificate_problem(const SSL* ssl) {
  const long result = SSL_get_verify_result(ssl);
  return result == X509_V_OK ? "" : X509_verify_cert_error_string(result);
}

}  // namespace ballot::http

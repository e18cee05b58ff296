// TlsContext: what a client's TLS connections have in common, made of the files that its settings name; and the
// checks of one of them. The files are read once.
//
//   auto context = make_tls_context(tls);               // Result<std::shared_ptr<ssl::context>>
//   check_server(stream.native_handle(), "10.0.0.7");   // before the handshake
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "ballot/error.hpp"
#include "http_client/client.hpp"

namespace ballot::http {

/// Errors: invalid, with the file.
Result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const Tls& tls);

/// The handshake fails unless the certificate is for this name or address. False: OpenSSL has no memory.
bool check_server(SSL* ssl, const std::string& name);

/// Why a handshake failed, where it was the certificate; else "".
std::string certificate_problem(const SSL* ssl);

}  // namespace ballot::http

#include "support/servers/tls_files.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace ballot::testing {

namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
  void operator()(X509* cert) const { ::X509_free(cert); }
  void operator()(X509_EXTENSION* extension) const { ::X509_EXTENSION_free(extension); }
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using File = std::unique_ptr<std::FILE, Free>;

void need(bool done) {
  if (!done) throw std::runtime_error("no certificate for the test");
}

void extend(X509* cert, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  ::X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free> extension(::X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  need(extension != nullptr && ::X509_add_ext(cert, extension.get(), -1) == 1);
}

Certificate certificate(const std::string& name, EVP_PKEY* key, long life, long from = -3600) {
  static long serial = 0;
  Certificate cert(::X509_new());
  ::X509_set_version(cert.get(), 2);
  ::ASN1_INTEGER_set(::X509_get_serialNumber(cert.get()), ++serial);
  ::X509_gmtime_adj(::X509_getm_notBefore(cert.get()), from);
  ::X509_gmtime_adj(::X509_getm_notAfter(cert.get()), life);
  ::X509_set_pubkey(cert.get(), key);
  ::X509_NAME_add_entry_by_txt(::X509_get_subject_name(cert.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return cert;
}

File open(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode));
  need(file != nullptr);
  return file;
}

void write(const std::string& cert_path, X509* cert, const std::string& key_path, EVP_PKEY* key) {
  need(::PEM_write_X509(open(cert_path, "w").get(), cert) == 1);
  need(::PEM_write_PrivateKey(open(key_path, "w").get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  ::chmod(key_path.c_str(), 0600);
}

}  // namespace

TlsFiles::TlsFiles(std::string folder) : folder_(std::move(folder)) {
  const Key key_of_ca(::EVP_EC_gen("P-256"));
  const Certificate root = certificate("authority of a test", key_of_ca.get(), 24 * 3600);
  ::X509_set_issuer_name(root.get(), ::X509_get_subject_name(root.get()));
  extend(root.get(), root.get(), NID_basic_constraints, "critical,CA:TRUE");
  extend(root.get(), root.get(), NID_key_usage, "critical,keyCertSign");
  need(::X509_sign(root.get(), key_of_ca.get(), ::EVP_sha256()) > 0);
  write(ca(), root.get(), key("ca"), key_of_ca.get());
}

void TlsFiles::make(const std::string& name, const std::string& names, long life, long from) const {
  const Certificate root(::PEM_read_X509(open(ca(), "r").get(), nullptr, nullptr, nullptr));
  const Key key_of_ca(::PEM_read_PrivateKey(open(key("ca"), "r").get(), nullptr, nullptr, nullptr));
  const Key own(::EVP_EC_gen("P-256"));
  need(root != nullptr && key_of_ca != nullptr && own != nullptr);
  const Certificate made = certificate(name, own.get(), life, from);
  ::X509_set_issuer_name(made.get(), ::X509_get_subject_name(root.get()));
  extend(made.get(), root.get(), NID_subject_alt_name, names);
  extend(made.get(), root.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  need(::X509_sign(made.get(), key_of_ca.get(), ::EVP_sha256()) > 0);
  write(cert(name), made.get(), key(name), own.get());
}

}  // namespace ballot::testing

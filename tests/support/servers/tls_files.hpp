// TlsFiles: an authority, and certificates of it, made for one test, as PEM files of a folder.
//
//   TlsFiles files(folder.path());
//   files.make("server", "IP:127.0.0.1,DNS:db.example");   // server.pem, server.key
//   files.ca()
#pragma once

#include <string>

namespace ballot::testing {

class TlsFiles {
 public:
  explicit TlsFiles(std::string folder);

  /// `names`: what it is for, as OpenSSL writes it. `life`: in how many seconds it expires; `from`: since when it is
  /// valid.
  void make(const std::string& name, const std::string& names, long life = 24 * 3600, long from = -3600) const;

  std::string ca() const { return cert("ca"); }
  std::string cert(const std::string& name) const { return folder_ + "/" + name + ".pem"; }
  std::string key(const std::string& name) const { return folder_ + "/" + name + ".key"; }

 private:
  const std::string folder_;
};

}  // namespace ballot::testing

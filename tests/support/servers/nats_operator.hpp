// NatsOperator: an operator of NATS with a system account and one account that may use JetStream, as `nsc` makes them:
// what a server that trusts the operator is configured with, and credentials of the account's users.
//
//   const NatsOperator ours;
//   NatsCluster store(1, {.more = ours.configuration()});
//   folder.write("ballot.creds", ours.credentials());
#pragma once

#include <string>

namespace ballot::testing {

/// A key of Ed25519, of one of the kinds that NATS has.
class NatsKey {
 public:
  enum class Kind : unsigned char { account = 0, operator_ = 14 << 3, user = 20 << 3 };

  /// A new one. Throws std::runtime_error where there is no randomness.
  explicit NatsKey(Kind kind);

  /// "O...", "A...", "U..."
  std::string name() const;
  /// "SO...", "SA...", "SU..."
  std::string seed() const;
  std::string sign(const std::string& text) const;

 private:
  Kind kind_;
  std::string secret_, public_;
};

class NatsOperator {
 public:
  NatsOperator();

  /// Lines of a server's configuration.
  std::string configuration() const;
  /// Of a new user of the account: the content of a file.
  std::string credentials() const;

 private:
  const NatsKey operator_{NatsKey::Kind::operator_}, system_{NatsKey::Kind::account}, account_{NatsKey::Kind::account};
};

}  // namespace ballot::testing

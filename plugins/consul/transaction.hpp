// Transaction: changes of a KeyStore as one transaction of Consul, which carries out all of its operations or none, and
// what its answer says of each change. A refusal names every operation that failed: their changes are answered, and the
// others are for another transaction. Pure.
//
//   Transaction transaction(paths, guard);
//   while (next < changes.size() && transaction.add(next, changes[next], flags)) ++next;
//   ... agent.transact(transaction.operations(), ...) ...
//   const auto verdict = transaction.judge(reply);      // verdict.answers, verdict.again
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent.hpp"
#include "key_paths.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::consul {

/// What shows that a session is open: the key that is bound to it.
struct Guard {
  std::string key, session;
};

class Transaction {
 public:
  static constexpr std::size_t most_operations = 64;
  static constexpr std::size_t most_bytes = 400'000;  // the agent takes 512 KiB

  struct Verdict {
    std::vector<std::pair<std::size_t, support::KeyAnswer>> answers = {};  // by the number of the change
    std::vector<std::size_t> again = {};                                   // nothing was found out about these
  };

  Transaction(const KeyPaths& paths, const Guard& guard) : paths_(paths), guard_(guard) {}

  /// False: there is no place for it. `flags`: another number for each change of a key; of an entry that is written as
  /// it is, Consul would leave the version as it is too.
  bool add(std::size_t number, const support::KeyChange& change, std::uint64_t flags);
  const std::vector<std::string>& operations() const noexcept { return operations_; }
  Verdict judge(const Reply& reply) const;

 private:
  struct Write {
    std::size_t number;
    std::string path;
    std::vector<std::size_t> asserts;  // the operations without which it is not to be written
    std::size_t operation;
  };
  std::size_t put(const std::string& operation);

  const KeyPaths& paths_;
  const Guard& guard_;
  std::vector<std::string> operations_;
  std::size_t bytes_ = 0;
  std::map<std::string, std::size_t> asserts_;  // operations that several writes have in common
  std::vector<Write> writes_;
};

/// One operation on a key. `more`: further fields, each with a comma before it.
std::string operation(const char* verb, const std::string& path, const std::string& more = {});
std::string value_field(const std::string& value, std::uint64_t flags);
std::string index_field(std::uint64_t index);
std::string session_field(const std::string& session);
/// Of what the last operation of a transaction has written; 0: nothing.
std::uint64_t last_version(const Reply& reply);

/// What is written, of a list of keys or of the results of a transaction.
std::vector<support::KeyEntry> entries_of(const KeyPaths& paths, const http::json::array& all);

}  // namespace ballot::consul

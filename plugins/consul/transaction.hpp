// Transaction: changes of a KeyStore as one transaction of Consul, which carries out all of its operations or none, and
// what its answer says of each change. A refusal names every operation that failed: their changes are answered, and the
// others are for another transaction. Pure.
//
//   Transaction transaction(paths, guard);
//   while (next < changes.size() && transaction.add(next, changes[next], flags)) ++next;
//   ... "PUT /v1/txn" with transaction.body() ...
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
  bool empty() const noexcept { return writes_.empty(); }
  std::string body() const { return body_ + "]"; }
  Verdict judge(const Reply& reply) const;

 private:
  using TermAt = std::pair<std::string, std::uint64_t>;
  struct Write {
    std::size_t number;
    std::string path;
    std::size_t operation;
    bool guarded;
    TermAt term;  // "" for none
  };
  void put(const std::string& text);
  std::string term_of(const support::KeyChange& change) const;

  const KeyPaths& paths_;
  const Guard& guard_;
  std::string body_ = "[";
  std::size_t operations_ = 0;
  bool guards_ = false;
  std::size_t guard_operation_ = 0;
  std::map<TermAt, std::size_t> terms_;  // the operation of each
  std::map<std::string, std::size_t> paths_written_;
  std::vector<Write> writes_;
};

/// One operation on a key. `more`: further fields, each with a comma before it.
std::string operation(const char* verb, const std::string& path, const std::string& more = {});
std::string value_field(const std::string& value, std::uint64_t flags);
std::string index_field(std::uint64_t index);
std::string session_field(const std::string& session);

/// What is written, of a text that Consul gives as JSON.
std::vector<support::KeyEntry> entries_of(const KeyPaths& paths, const http::json::array& all);

}  // namespace ballot::consul

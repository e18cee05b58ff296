// Reads: keys, and all keys below a prefix, as they were at one revision, however many there are. Used on the plugin's
// thread only.
//
//   reads.list(root + "t/", end_of(root + "t/"), patience, [](const Reads::Found& found) { ... found.revision ... });
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gateway.hpp"
#include "requests.hpp"
#include "support/keys/list_bound.hpp"

namespace ballot::etcd {

class Reads {
 public:
  struct Found {
    support::KeyRead read = {};
    std::uint64_t revision = 0;
    Reply::Kind kind = Reply::Kind::unknown;
  };
  using Done = std::function<void(const Found&)>;
  using DoneGet = support::KeyStore::Done<support::KeyRead>;

  Reads(Gateway& gateway, const Keyspace& keyspace) : gateway_(gateway), keyspace_(keyspace) {}

  /// Each linearizable; not all at one revision. Requires: there is a key.
  void get(const std::vector<std::string>& keys, Millis patience, DoneGet done);
  /// Whole keys. `patience`: of each of its requests.
  void list(const std::string& from, const std::string& end, Millis patience, Done done);
  /// Without values.
  void name(const std::string& from, const std::string& end, std::size_t most, Millis patience,
            support::KeyStore::Done<support::KeysThere> done);

 private:
  struct Listing {
    std::string from, end;
    Millis patience;
    support::ListBound bound;
    Done done;
    Found found = {};
    std::size_t again = 0;
    std::size_t counted = 0;  // of found: entries that `bound` knows
  };

  void get_some(const std::vector<std::string>& keys, Millis patience, DoneGet done);
  void next_page(const std::shared_ptr<Listing>& listing);
  void on_page(const std::shared_ptr<Listing>& listing, const Reply& reply);
  void add(const http::json::array& kvs, Found& found) const;
  static void fail(const Reply& reply, Found& found);

  Gateway& gateway_;
  const Keyspace& keyspace_;
};

}  // namespace ballot::etcd

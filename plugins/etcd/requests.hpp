// Requests: what etcd's JSON gateway is asked about keys, as text, and what its answers say. Pure.
//
//   const std::string body = txn({txn_op(change_txn(change, keyspace)), ...});
//   const auto answers = why_answers(not_done, keyspace, reply.body);   // to why_txn(not_done, keyspace)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http_client/json.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::etcd {

/// Where the keys are, and what shows that the session is open.
struct Keyspace {
  std::string root = {};   // before each key
  std::string lease = {};  // ours; "": none
  std::string bound = {};  // the key that goes with it, below the root; "": none yet
};

/// Keys of the plugin's own begin with it below a prefix that is followed; no other key has it.
inline constexpr char mark = '!';

/// The key after all that begin with it. Requires: it ends with no 0xff.
std::string end_of(std::string prefix);

struct RangeRequest {
  std::string from = {}, end = {};  // whole keys; end "": that key alone
  std::size_t limit = 0;            // 0: none
  std::uint64_t revision = 0;       // as it was then; 0: now
  bool keys_only = false;
};
std::string range(const RangeRequest& request);
/// The same as an operation of txn().
std::string range_op(const RangeRequest& request);

/// `lease`: that the key goes with; "": none.
std::string put_op(const std::string& key, const std::string& value, const std::string& lease = "");
/// Each a whole operation; all are done, those that are transactions of their own each by its own conditions.
std::string txn(const std::vector<std::string>& operations);
/// As long as the session is open.
std::string guarded_txn(const Keyspace& keyspace, const std::vector<std::string>& operations);
/// The key is made, with the lease, where it is not there.
std::string bind_txn(const Keyspace& keyspace, const std::string& key, const std::string& value);

/// The change as a transaction. What it costs a server is mostly to read it: so it does not ask why it was not done.
std::string change_txn(const support::KeyChange& change, const Keyspace& keyspace);
/// Such a transaction as an operation of another one.
std::string txn_op(const std::string& transaction);

/// Asks which conditions do not hold, of changes that were not done: the bound key, then of each change its key and its
/// term key. A condition that held then and does not now is reported too: neither a session nor a term comes back.
std::string why_txn(const std::vector<support::KeyChange>& changes, const Keyspace& keyspace);
std::vector<support::KeyAnswer> why_answers(const std::vector<support::KeyChange>& changes, const Keyspace& keyspace,
                                            const http::json::value& body);

/// Of kv in an answer to a range, or in an event; none where it is not below the root or a mark. Its version is 0 where
/// the server's value or version cannot be read.
std::optional<support::KeyEntry> entry_of(const http::json::value& kv, const std::string& root);
/// The whole key of such; "" where it has none.
std::string key_of(const http::json::value& kv);

/// One of the requests that a stream of /v3/watch begins with.
std::string watch_request(const std::string& from, const std::string& end, std::uint64_t start_revision);

}  // namespace ballot::etcd

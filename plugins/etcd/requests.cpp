#include "requests.hpp"

#include "http/base64.hpp"

namespace ballot::etcd {

using support::KeyAnswer;
using support::KeyChange;
using support::KeyEntry;

namespace {

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }
std::string quoted(std::uint64_t number) { return '"' + std::to_string(number) + '"'; }

std::string key_field(const std::string& key) { return "\"key\":" + quoted(http::to_base64(key)); }

std::string list_of(const std::vector<std::string>& parts) {
  std::string all = "[";
  for (const std::string& part : parts) {
    if (all.size() > 1) all += ',';
    all += part;
  }
  return all + ']';
}

std::string mod_compare(const std::string& key, std::uint64_t revision) {
  return "{\"target\":\"MOD\"," + key_field(key) + ",\"mod_revision\":" + quoted(revision) + '}';
}

std::string lease_compare(const Keyspace& keyspace) {
  return "{\"target\":\"LEASE\"," + key_field(keyspace.root + keyspace.bound) + ",\"lease\":" + quoted(keyspace.lease) +
         '}';
}

std::string txn_body(const std::vector<std::string>& compares, const std::vector<std::string>& success,
                     const std::vector<std::string>& failure) {
  return "{\"compare\":" + list_of(compares) + ",\"success\":" + list_of(success) + ",\"failure\":" + list_of(failure) +
         '}';
}

std::string look_op(const std::string& key) { return range_op({.from = key, .keys_only = true}); }

/// The first key that the operation has found; null where it has found none.
const http::json::value& found_by(const http::json::value& operation) {
  static const http::json::value none;
  const http::json::array& all = http::array_at(operation, "response_range", "kvs");
  return all.empty() ? none : all[0];
}

}  // namespace

std::string end_of(std::string prefix) {
  prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

std::string range(const RangeRequest& request) {
  std::string text = '{' + key_field(request.from);
  if (!request.end.empty()) text += ",\"range_end\":" + quoted(http::to_base64(request.end));
  if (request.limit > 0) text += ",\"limit\":" + quoted(request.limit);
  if (request.revision > 0) text += ",\"revision\":" + quoted(request.revision);
  if (request.keys_only) text += ",\"keys_only\":true";
  return text + '}';
}

std::string range_op(const RangeRequest& request) { return "{\"request_range\":" + range(request) + '}'; }

std::string put_op(const std::string& key, const std::string& value, const std::string& lease) {
  std::string text = "{\"request_put\":{" + key_field(key) + ",\"value\":" + quoted(http::to_base64(value));
  if (!lease.empty()) text += ",\"lease\":" + quoted(lease);
  return text + "}}";
}

std::string txn(const std::vector<std::string>& operations) { return "{\"success\":" + list_of(operations) + '}'; }

std::string guarded_txn(const Keyspace& keyspace, const std::vector<std::string>& operations) {
  return txn_body({lease_compare(keyspace)}, operations, {look_op(keyspace.root + keyspace.bound)});
}

std::string bind_txn(const Keyspace& keyspace, const std::string& key, const std::string& value) {
  const std::string whole = keyspace.root + key;
  return txn_body({mod_compare(whole, 0)}, {put_op(whole, value, keyspace.lease)}, {});
}

std::string change_txn(const KeyChange& change, const Keyspace& keyspace) {
  const std::string key = keyspace.root + change.key;
  std::vector<std::string> compares, looks{look_op(key)};
  if (change.version) compares.push_back(mod_compare(key, *change.version));
  if (change.guarded) {
    compares.push_back(lease_compare(keyspace));
    looks.push_back(look_op(keyspace.root + keyspace.bound));
  }
  if (!change.term_key.empty()) {
    compares.push_back(mod_compare(keyspace.root + change.term_key, change.term_version));
    looks.push_back(look_op(keyspace.root + change.term_key));
  }
  const std::string what =
      change.value ? put_op(key, *change.value) : "{\"request_delete_range\":{" + key_field(key) + "}}";
  return txn_body(compares, {what}, looks);
}

std::string txn_op(const std::string& transaction) { return "{\"request_txn\":" + transaction + '}'; }

KeyAnswer change_answer(const KeyChange& change, const Keyspace& keyspace, const http::json::value& response,
                        std::uint64_t revision) {
  if (http::truth_at(response, "succeeded")) return {StoreResult::done, revision};
  const http::json::array& looks = http::array_at(response, "responses");
  const std::size_t expected = 1u + (change.guarded ? 1 : 0) + (change.term_key.empty() ? 0 : 1);
  if (looks.size() != expected) return {StoreResult::unknown, 0, "the server's answer cannot be read"};
  if (change.guarded && http::text_at(found_by(looks[1]), "lease") != keyspace.lease) return {StoreResult::not_leader};
  if (!change.term_key.empty() && http::number_at(found_by(looks[expected - 1]), "mod_revision") != change.term_version)
    return {StoreResult::not_leader};
  return {StoreResult::conflict, http::number_at(found_by(looks[0]), "mod_revision")};
}

std::string key_of(const http::json::value& kv) { return http::from_base64(http::text_at(kv, "key")).value_or(""); }

std::optional<KeyEntry> entry_of(const http::json::value& kv, const std::string& root) {
  const std::string key = key_of(kv);
  auto value = http::from_base64(http::text_at(kv, "value"));
  if (!key.starts_with(root) || !value || key.find(mark) != std::string::npos) return std::nullopt;
  return KeyEntry{key.substr(root.size()), std::move(*value), http::number_at(kv, "mod_revision")};
}

std::string watch_request(const std::string& from, const std::string& end, std::uint64_t start_revision) {
  return "{\"create_request\":{" + key_field(from) + ",\"range_end\":" + quoted(http::to_base64(end)) +
         ",\"start_revision\":" + quoted(start_revision) + "}}";
}

}  // namespace ballot::etcd

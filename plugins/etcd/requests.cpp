#include "requests.hpp"

#include "http_client/base64.hpp"

namespace ballot::etcd {

using support::KeyAnswer;
using support::KeyChange;
using support::KeyEntry;

namespace {

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }
std::string in_quotes(std::uint64_t number) { return '"' + std::to_string(number) + '"'; }

std::string key_field(const std::string& key) { return "\"key\":" + in_quotes(http::to_base64(key)); }

std::string list_of(const std::vector<std::string>& parts) {
  std::string all = "[";
  for (const std::string& part : parts) {
    if (all.size() > 1) all += ',';
    all += part;
  }
  return all + ']';
}

std::string mod_compare(const std::string& key, std::uint64_t revision) {
  return "{\"target\":\"MOD\"," + key_field(key) + ",\"mod_revision\":" + in_quotes(revision) + '}';
}

std::string lease_compare(const Keyspace& keyspace) {
  return "{\"target\":\"LEASE\"," + key_field(keyspace.root + keyspace.bound) +
         ",\"lease\":" + in_quotes(keyspace.lease) + '}';
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
  if (!request.end.empty()) text += ",\"range_end\":" + in_quotes(http::to_base64(request.end));
  if (request.limit > 0) text += ",\"limit\":" + in_quotes(request.limit);
  if (request.revision > 0) text += ",\"revision\":" + in_quotes(request.revision);
  if (request.keys_only) text += ",\"keys_only\":true";
  return text + '}';
}

std::string range_op(const RangeRequest& request) { return "{\"request_range\":" + range(request) + '}'; }

std::string put_op(const std::string& key, const std::string& value, const std::string& lease) {
  std::string text = "{\"request_put\":{" + key_field(key) + ",\"value\":" + in_quotes(http::to_base64(value));
  if (!lease.empty()) text += ",\"lease\":" + in_quotes(lease);
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
  std::vector<std::string> compares;
  if (change.version) compares.push_back(mod_compare(key, *change.version));
  if (change.guarded) compares.push_back(lease_compare(keyspace));
  if (!change.term_key.empty()) compares.push_back(mod_compare(keyspace.root + change.term_key, change.term_version));
  const std::string what =
      change.value ? put_op(key, *change.value) : "{\"request_delete_range\":{" + key_field(key) + "}}";
  return txn_body(compares, {what}, {});
}

std::string txn_op(const std::string& transaction) { return "{\"request_txn\":" + transaction + '}'; }

std::string why_txn(const std::vector<KeyChange>& changes, const Keyspace& keyspace) {
  std::vector<std::string> looks{look_op(keyspace.root + keyspace.bound)};
  for (const KeyChange& change : changes) {
    looks.push_back(look_op(keyspace.root + change.key));
    looks.push_back(look_op(keyspace.root + change.term_key));
  }
  return txn(looks);
}

std::vector<KeyAnswer> why_answers(const std::vector<KeyChange>& changes, const Keyspace& keyspace,
                                   const http::json::value& body) {
  const http::json::array& looks = http::array_at(body, "responses");
  if (looks.size() != 1 + 2 * changes.size()) return std::vector<KeyAnswer>(changes.size());
  const bool open = http::text_at(found_by(looks[0]), "lease") == keyspace.lease;
  std::vector<KeyAnswer> answers;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const KeyChange& change = changes[i];
    const std::uint64_t version = http::number_at(found_by(looks[1 + 2 * i]), "mod_revision");
    const std::uint64_t term = http::number_at(found_by(looks[2 + 2 * i]), "mod_revision");
    const bool leads = (!change.guarded || open) && (change.term_key.empty() || term == change.term_version);
    answers.push_back(leads ? KeyAnswer{StoreResult::conflict, version} : KeyAnswer{StoreResult::not_leader});
  }
  return answers;
}

std::string key_of(const http::json::value& kv) { return http::from_base64(http::text_at(kv, "key")).value_or(""); }

std::optional<KeyEntry> entry_of(const http::json::value& kv, const std::string& root) {
  const std::string key = key_of(kv);
  auto value = http::from_base64(http::text_at(kv, "value"));
  if (!key.starts_with(root) || key.find(mark) != std::string::npos) return std::nullopt;
  const std::uint64_t version = value ? support::sound_version(http::number_at(kv, "mod_revision")) : 0;
  return KeyEntry{key.substr(root.size()), std::move(value).value_or(""), version};
}

std::string watch_request(const std::string& from, const std::string& end, std::uint64_t start_revision) {
  return "{\"create_request\":{" + key_field(from) + ",\"range_end\":" + in_quotes(http::to_base64(end)) +
         ",\"start_revision\":" + in_quotes(start_revision) + "}}";
}

}  // namespace ballot::etcd

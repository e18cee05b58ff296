#include "transaction.hpp"

#include <algorithm>

#include "http/base64.hpp"

namespace ballot::consul {

using support::KeyAnswer;
using support::KeyChange;

namespace {

using http::json::value;

/// What a failed operation on the store says of the change that it belongs to; `expected` where it is the refusal that
/// the verb is for, and not another fault of the operation.
KeyAnswer refusal(StoreResult expected, const std::string& what) {
  if (what.find("Permission denied") != what.npos)
    return {StoreResult::failed, 0, Reply{Reply::Meaning::forbidden, what}.text()};
  for (const char* words :
       {"index is stale", "failed session check", "failed index check", "doesn't exist", "current modify index"})
    if (what.find(words) != what.npos) return {expected, 0, what};
  return {StoreResult::failed, 0, what};
}

}  // namespace

std::string operation(const char* verb, const std::string& path, const std::string& more) {
  return R"({"KV":{"Verb":")" + std::string(verb) + R"(","Key":")" + path + '"' + more + "}}";
}
std::string value_field(const std::string& value, std::uint64_t flags) {
  return R"(,"Value":")" + http::to_base64(value) + R"(","Flags":)" + std::to_string(flags);
}
std::string index_field(std::uint64_t index) { return R"(,"Index":)" + std::to_string(index); }
std::string session_field(const std::string& session) { return R"(,"Session":")" + session + '"'; }

std::uint64_t last_version(const Reply& reply) {
  const value json = reply.json();
  const auto& results = http::array_at(json, "Results");
  return results.empty() ? 0 : http::number_at(results.back(), "KV", "ModifyIndex");
}

std::size_t Transaction::put(const std::string& operation) {
  bytes_ += operation.size() + 1;
  operations_.push_back(operation);
  return operations_.size() - 1;
}

bool Transaction::add(std::size_t number, const KeyChange& change, std::uint64_t flags) {
  Write write{number, paths_.path(change.key), {}, 0};
  std::vector<std::string> asserts;
  if (change.guarded)
    asserts.push_back(operation("check-session", paths_.path(guard_.key), session_field(guard_.session)));
  if (!change.term_key.empty())
    asserts.push_back(operation("check-index", paths_.path(change.term_key), index_field(change.term_version)));
  std::string more = change.version ? index_field(*change.version) : "";
  if (change.value) more += value_field(*change.value, flags);
  const char* const verb = change.value ? change.version ? "cas" : "set" : change.version ? "delete-cas" : "delete";
  const std::string own = operation(verb, write.path, more);
  const auto needed =
      std::count_if(asserts.begin(), asserts.end(), [&](const auto& one) { return !asserts_.contains(one); });
  if (operations_.size() + static_cast<std::size_t>(needed) + 1 > most_operations) return false;
  if (!operations_.empty() && bytes_ + own.size() > most_bytes) return false;
  for (const Write& other : writes_)
    if (other.path == write.path) return false;
  for (const std::string& one : asserts) {
    if (!asserts_.contains(one)) asserts_[one] = put(one);
    write.asserts.push_back(asserts_[one]);
  }
  write.operation = put(own);
  writes_.push_back(std::move(write));
  return true;
}

Transaction::Verdict Transaction::judge(const Reply& reply) const {
  Verdict verdict;
  const auto answer_all = [&](const KeyAnswer& answer) {
    for (const Write& write : writes_) verdict.answers.emplace_back(write.number, answer);
  };
  if (reply.is(Reply::Meaning::done)) {
    std::map<std::string_view, std::uint64_t> versions;
    const value json = reply.json();
    for (const value& result : http::array_at(json, "Results"))
      versions[http::text_at(result, "KV", "Key")] = http::number_at(result, "KV", "ModifyIndex");
    for (const Write& write : writes_)
      verdict.answers.emplace_back(write.number, KeyAnswer{StoreResult::done, versions[write.path]});
    return verdict;
  }
  if (!reply.is(Reply::Meaning::refused)) {
    answer_all({outcome_of(reply), 0, reply.text()});
    return verdict;
  }
  std::map<std::size_t, std::string> failed;
  const value json = reply.json();
  for (const value& error : http::array_at(json, "Errors"))
    failed[http::number_at(error, "OpIndex")] = http::text_at(error, "What");
  for (const Write& write : writes_) {
    const auto& asserts = write.asserts;
    const auto lost =
        std::find_if(asserts.begin(), asserts.end(), [&](std::size_t one) { return failed.contains(one); });
    const bool leads = lost == asserts.end();
    const auto found = failed.find(leads ? write.operation : *lost);
    if (found == failed.end())
      verdict.again.push_back(write.number);
    else
      verdict.answers.emplace_back(write.number,
                                   refusal(leads ? StoreResult::conflict : StoreResult::not_leader, found->second));
  }
  if (!verdict.answers.empty()) return verdict;
  verdict.again.clear();
  answer_all({StoreResult::unknown, 0, reply.text()});
  return verdict;
}

/// A bound key without its session is free.
std::vector<support::KeyEntry> entries_of(const KeyPaths& paths, const http::json::array& all) {
  std::vector<support::KeyEntry> entries;
  for (const value& result : all) {
    const value& in_result = http::member_of(result, "KV");
    const value& one = in_result.is_null() ? result : in_result;
    const std::string_view path = http::text_at(one, "Key");
    if (!path.starts_with(paths.root())) continue;
    support::KeyEntry entry{paths.key(path), {}, http::number_at(one, "ModifyIndex")};
    if (entry.key.starts_with(bound_keys) && http::text_at(one, "Session").empty()) continue;
    entry.value = http::from_base64(http::text_at(one, "Value")).value_or("");
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace ballot::consul

#include "transaction.hpp"

#include <algorithm>
#include <optional>

#include "http/base64.hpp"

namespace ballot::consul {

using support::KeyAnswer;
using support::KeyChange;

namespace {

using http::json::value;

/// What a failed operation on the store says of the change that it belongs to.
KeyAnswer refusal(StoreResult expected, std::string_view what) {
  if (what.find("Permission denied") == what.npos) return {expected, 0, std::string(what)};
  return {StoreResult::failed, 0, Reply{Reply::Meaning::forbidden, std::string(what)}.text()};
}

/// Whether it is the refusal that the verb is for, and not another fault of the operation.
bool is_comparison(std::string_view what) {
  for (const char* words : {"index is stale", "failed session check", "failed index check", "doesn't exist",
                            "current modify index", "Permission denied"})
    if (what.find(words) != what.npos) return true;
  return false;
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

void Transaction::put(const std::string& text) {
  if (operations_++ > 0) body_ += ',';
  body_ += text;
}

bool Transaction::add(std::size_t number, const KeyChange& change, std::uint64_t flags) {
  const std::string path = paths_.path(change.key);
  const TermAt term(change.term_key.empty() ? "" : paths_.path(change.term_key), change.term_version);
  const bool checks_term = !term.first.empty() && !terms_.contains(term);
  const std::size_t needed = 1u + (change.guarded && !guards_ ? 1 : 0) + (checks_term ? 1 : 0);
  const std::size_t bytes = change.value ? change.value->size() * 4 / 3 : 0;
  if (operations_ + needed > most_operations || paths_written_.contains(path)) return false;
  if (operations_ > 0 && body_.size() + bytes > most_bytes) return false;
  if (change.guarded && !guards_) {
    guards_ = true;
    guard_operation_ = operations_;
    put(operation("check-session", paths_.path(guard_.key), session_field(guard_.session)));
  }
  if (checks_term) {
    terms_[term] = operations_;
    put(operation("check-index", term.first, index_field(term.second)));
  }
  writes_.push_back({number, path, operations_, change.guarded, term});
  paths_written_[path] = operations_;
  const std::string index = change.version ? index_field(*change.version) : "";
  if (change.value)
    put(operation(change.version ? "cas" : "set", path, index + value_field(*change.value, flags)));
  else
    put(operation(change.version ? "delete-cas" : "delete", path, index));
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
    const bool surely_not = reply.is(Reply::Meaning::forbidden) || reply.is(Reply::Meaning::failed);
    answer_all({surely_not ? StoreResult::failed : StoreResult::unknown, 0, reply.text()});
    return verdict;
  }
  std::map<std::size_t, std::string> failed;
  const value json = reply.json();
  for (const value& error : http::array_at(json, "Errors"))
    failed[http::number_at(error, "OpIndex")] = http::text_at(error, "What");
  for (const Write& write : writes_) {
    const auto guard = write.guarded ? failed.find(guard_operation_) : failed.end();
    const auto term = write.term.first.empty() ? failed.end() : failed.find(terms_.at(write.term));
    const auto own = failed.find(write.operation);
    const auto found = guard != failed.end() ? guard : term != failed.end() ? term : own;
    if (found == failed.end()) {
      verdict.again.push_back(write.number);
      continue;
    }
    const StoreResult expected = found == own ? StoreResult::conflict : StoreResult::not_leader;
    verdict.answers.emplace_back(write.number,
                                 refusal(is_comparison(found->second) ? expected : StoreResult::failed, found->second));
  }
  if (!verdict.answers.empty()) return verdict;
  verdict.again.clear();
  answer_all({StoreResult::unknown, 0, reply.text()});
  return verdict;
}

/// A bound key without its session is free.
std::vector<support::KeyEntry> entries_of(const KeyPaths& paths, const http::json::array& all) {
  std::vector<support::KeyEntry> entries;
  for (const value& one : all) {
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

#include "reads.hpp"

#include <memory>
#include <unordered_set>
#include <utility>

#include "transaction.hpp"

namespace ballot::consul {

using support::KeyRead;
using Meaning = Reply::Meaning;

namespace {

StoreResult outcome_of(const Reply& reply) {
  return reply.is(Meaning::unknown) ? StoreResult::unknown : StoreResult::failed;
}

}  // namespace

/// A call under way: of 64 keys at a time.
struct Reads::Get {
  Millis patience;
  Done done;
  KeyRead read{StoreResult::done};
  std::size_t open = 0;
};

void Reads::get(std::vector<std::string> keys, Millis patience, Done done) {
  const auto get = std::make_shared<Get>(Get{patience, std::move(done)});
  get->open = (keys.size() + Transaction::most_operations - 1) / Transaction::most_operations;
  for (std::size_t begin = 0; begin < keys.size(); begin += Transaction::most_operations) {
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto count = std::min(keys.size() - begin, Transaction::most_operations);
    get_some(get, {first, first + static_cast<std::ptrdiff_t>(count)});
  }
}

void Reads::get_some(const std::shared_ptr<Get>& get, std::vector<std::string> keys) {
  std::string body;
  for (const std::string& key : keys) body += (body.empty() ? "[" : ",") + operation("get", paths_.path(key));
  agent_.call({"PUT", "/v1/txn?consistent", body + "]", get->patience},
              [this, get, keys = std::move(keys)](const Reply& reply) { on_some(get, keys, reply); });
}

/// It is refused where a key is not there, and says which are not.
void Reads::on_some(const std::shared_ptr<Get>& get, std::vector<std::string> keys, const Reply& reply) {
  if (reply.is(Meaning::refused)) {
    std::unordered_set<std::size_t> absent;
    const auto json = reply.json();
    for (const auto& error : http::array_at(json, "Errors"))
      if (http::text_at(error, "What").find("doesn't exist") != std::string_view::npos)
        absent.insert(http::number_at(error, "OpIndex"));
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (!absent.contains(i)) rest.push_back(std::move(keys[i]));
    if (!absent.empty() && !rest.empty()) return get_some(get, std::move(rest));
    if (absent.empty()) get->read = {StoreResult::failed, {}, reply.text()};
  } else if (!reply.is(Meaning::done)) {
    get->read = {outcome_of(reply), {}, reply.text()};
  } else if (get->read.outcome == StoreResult::done) {
    http::json::array entries;
    const auto json = reply.json();
    for (const auto& result : http::array_at(json, "Results")) entries.push_back(http::at(result, "KV"));
    for (support::KeyEntry& entry : entries_of(paths_, entries)) get->read.entries.push_back(std::move(entry));
  }
  if (--get->open == 0) get->done(get->read);
}

void Reads::list(const std::string& prefix, Millis patience, Done done) {
  agent_.call({"GET", "/v1/kv/" + in_url(paths_.path(prefix)) + "?recurse&consistent", {}, patience},
              [this, done = std::move(done)](const Reply& reply) {
                if (reply.is(Meaning::absent)) return done({StoreResult::done});
                if (!reply.is(Meaning::done)) return done({outcome_of(reply), {}, reply.text()});
                const auto json = reply.json();
                done({StoreResult::done, entries_of(paths_, http::array_of(json))});
              });
}

}  // namespace ballot::consul

#include "reads.hpp"

#include <algorithm>
#include <utility>

#include "support/keys/key_batches.hpp"

namespace ballot::etcd {

namespace {

constexpr std::size_t page = 1000, most_keys = 100, most_again = 3;

/// Each entry from the index `from` on has a version.
bool is_sound(const Reads::Found& found, std::size_t from) {
  return std::all_of(found.read.entries.begin() + static_cast<std::ptrdiff_t>(from), found.read.entries.end(),
                     [](const support::KeyEntry& one) { return one.version != 0; });
}

}  // namespace

void Reads::add(const http::json::array& kvs, Found& found) const {
  for (const http::json::value& kv : kvs)
    if (auto entry = entry_of(kv, keyspace_.root)) found.read.entries.push_back(std::move(*entry));
}

void Reads::fail(const Reply& reply, Found& found) {
  found.kind = reply.kind;
  found.read.outcome = outcome_of(reply);
  found.read.text = reply.text;
  found.read.entries.clear();
}

void Reads::get(const std::vector<std::string>& keys, Millis patience, DoneGet done) {
  const auto some = [this, patience](const auto& part, auto on_part) { get_some(part, patience, std::move(on_part)); };
  support::get_in_parts(keys, most_keys, some, std::move(done));
}

void Reads::get_some(const std::vector<std::string>& keys, Millis patience, DoneGet done) {
  std::vector<std::string> operations;
  for (const std::string& key : keys) operations.push_back(range_op({.from = keyspace_.root + key}));
  gateway_.ask({"/v3/kv/txn", txn(operations), Repeat::safe, patience},
               [this, asked = keys.size(), done](const Reply& reply) {
                 Found found{{outcome_of(reply), {}, reply.text}};
                 const http::json::array& responses = http::array_at(reply.body, "responses");
                 if (reply.done() && responses.size() != asked)
                   return done({StoreResult::unknown, {}, "the server has not answered the read that was asked for"});
                 for (const http::json::value& one : responses)
                   add(http::array_at(one, "response_range", "kvs"), found);
                 done(support::checked(std::move(found.read)));
               });
}

void Reads::list(const std::string& from, const std::string& end, Millis patience, Done done) {
  next_page(std::make_shared<Listing>(
      Listing{from, end, patience, support::ListBound(from.substr(keyspace_.root.size())), std::move(done)}));
}

void Reads::name(const std::string& from, const std::string& end, std::size_t most, Millis patience,
                 support::KeyStore::Done<support::KeysThere> done) {
  const RangeRequest request{.from = from, .end = end, .limit = most, .keys_only = true};
  Gateway::Call call{"/v3/kv/range", range(request), Repeat::safe, patience};
  call.largest = support::bounds::list;
  gateway_.ask(std::move(call), [this, done = std::move(done)](const Reply& reply) {
    if (!reply.done()) return done({});
    if (http::truth_at(reply.body, "more")) return done({{}, http::number_at(reply.body, "count")});
    Found found;
    add(http::array_at(reply.body, "kvs"), found);
    std::vector<std::string> keys;
    for (support::KeyEntry& entry : found.read.entries) keys.push_back(std::move(entry.key));
    done({std::move(keys)});
  });
}

void Reads::next_page(const std::shared_ptr<Listing>& listing) {
  RangeRequest request{.from = listing->from, .end = listing->end, .limit = page};
  request.revision = listing->found.revision;
  Gateway::Call call{"/v3/kv/range", range(request), Repeat::safe, listing->patience};
  call.largest = support::bounds::list;
  gateway_.ask(std::move(call), [this, listing](const Reply& reply) { on_page(listing, reply); });
}

void Reads::on_page(const std::shared_ptr<Listing>& listing, const Reply& reply) {
  Found& found = listing->found;
  if (reply.kind == Reply::Kind::compacted && ++listing->again < most_again) {
    Listing anew{listing->from, listing->end, listing->patience, listing->bound.empty(), std::move(listing->done)};
    anew.again = listing->again;
    return next_page(std::make_shared<Listing>(std::move(anew)));
  }
  if (!reply.done()) {
    fail(reply, found);
    return listing->done(found);
  }
  const http::json::array& kvs = http::array_at(reply.body, "kvs");
  if (found.revision == 0) found.revision = reply.revision();
  add(kvs, found);
  if (found.revision == 0 || !is_sound(found, listing->counted)) {
    fail({Reply::Kind::unknown, {}, "the server's list cannot be read"}, found);
    return listing->done(found);
  }
  for (; listing->counted < found.read.entries.size(); ++listing->counted)
    listing->bound.add(found.read.entries[listing->counted]);
  if (http::truth_at(reply.body, "more") && !kvs.empty()) {
    if (listing->bound.exceeded()) {
      fail({Reply::Kind::unknown, {}, listing->bound.text()}, found);
      return listing->done(found);
    }
    std::string next = key_of(kvs.back()) + '\0';
    if (next <= listing->from || next > listing->end) {
      fail({Reply::Kind::unknown, {}, "the server has listed keys that were not asked for"}, found);
      return listing->done(found);
    }
    listing->from = std::move(next);
    return next_page(listing);
  }
  found.kind = Reply::Kind::done;
  found.read.outcome = StoreResult::done;
  listing->done(found);
}

}  // namespace ballot::etcd

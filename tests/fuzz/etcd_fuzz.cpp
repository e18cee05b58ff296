// What etcd's gateway answers, as JSON.
#include "etcd/gateway.hpp"
#include "etcd/requests.hpp"
#include "harness.hpp"

namespace ballot::fuzz::etcd_harness {
namespace {

using namespace etcd;
using support::KeyAnswer;
using support::KeyChange;

const Keyspace keyspace{"ballot/test/", "1234", "s/host-1"};

void look_at_reply(std::string_view body, int status) {
  http::Event event;
  event.status = status;
  event.body = body;
  const Reply reply = reply_of(event);
  require(reply.done() == reply.body.is_object(), "what is done has an answer");
  require(reply.done() || !reply.text.empty(), "what is not done is said");
  require(!reply.done() || status == 200, "a failure is not done");
  outcome_of(reply);
  reply.revision();
}

void look_at_entries(const http::json::array& kvs) {
  for (const http::json::value& kv : kvs) {
    const auto entry = entry_of(kv, keyspace.root);
    if (!entry) continue;
    require(keyspace.root + entry->key == key_of(kv), "a key is below the root", entry->key);
    require(entry->key.find(mark) == std::string::npos, "a mark is no key", entry->key);
  }
}

}  // namespace

BALLOT_FUZZ(etcd) {
  for (const int status : {200, 400, 503}) look_at_reply(input, status);
  const http::json::value json = http::parse_json(input);
  look_at_entries(http::array_at(json, "kvs"));
  http::json::array changed;
  for (const http::json::value& event : http::array_at(json, "result", "events"))
    changed.push_back(http::at(event, "kv"));
  look_at_entries(changed);
  const std::vector<KeyChange> changes{
      {.key = "r/j/one", .value = "text", .version = 7, .guarded = true, .term_key = "t/g", .term_version = 3},
      {.key = "m/host-1", .value = "text"}};
  const auto answers = why_answers(changes, keyspace, json);
  require(answers.size() == changes.size(), "each change has its answer");
  for (const KeyAnswer& answer : answers) require(answer.outcome != StoreResult::done, "what was not done is not done");
}

}  // namespace ballot::fuzz::etcd_harness

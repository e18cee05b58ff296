// What Consul's agent answers, as JSON.
#include "consul/keys.hpp"
#include "consul/registration.hpp"
#include "consul/requests.hpp"
#include "harness.hpp"

namespace ballot::fuzz::consul_harness {
namespace {

using namespace consul;
using support::KeyAnswer;

void judge(const Reply& reply) {
  const KeyPaths paths("ballot/test/");
  const Guard guard{"s/host-1", "session-1"};
  Transaction transaction(paths, guard);
  transaction.add(
      {.key = "r/j/one", .value = "text", .version = 7, .guarded = true, .term_key = "t/g", .term_version = 3}, 1);
  transaction.add({.key = "c/g/host-1", .version = 4, .guarded = true}, 2);
  transaction.add({.key = "m/host-1", .value = "text"}, 3);
  const auto answers = transaction.judge(reply);
  require(answers.size() == 3, "each change has its answer");
  bool any = false;
  for (const auto& answer : answers) {
    any = any || answer;
    const bool is_done = answer && answer->outcome == StoreResult::done;
    require(!is_done || reply.is(Reply::Meaning::done), "nothing is done that was not");
  }
  require(any, "not all of them are asked for again");
}

void look_at_entries(const http::json::value& json) {
  const KeyPaths paths("ballot/test/");
  for (const http::json::array* all : {&http::array_of(json), &http::array_at(json, "Results")})
    for (const support::KeyEntry& entry : entries_of(paths, *all))
      require(paths.path(entry.key).starts_with(paths.root()), "a key is below the root", entry.key);
}

void look_at_registration(const http::json::value& json) {
  const std::string tag = "primary";
  unfitness(json, "web", {});
  unfitness(json, "web", {"check"});
  const http::json::value found = find_service(json, "web");
  for (const http::json::value* const place : {&found, &json}) {
    const http::json::value& service = *place;
    for (const bool tagged : {true, false}) {
      const http::json::value registered = http::parse_json(with_tag(service, tag, tagged));
      require(has_tag(http::member_of(registered, "Tags"), tag) == tagged, "a service has the tag, or has not");
    }
    const http::json::value rest = http::parse_json(without_tag(service, tag));
    require(!has_tag(http::at(rest, "Service", "Tags"), tag), "a service without the tag has it not");
  }
}

}  // namespace

BALLOT_FUZZ(consul) {
  const std::string body(input);
  for (const auto meaning : {Reply::Meaning::done, Reply::Meaning::refused, Reply::Meaning::unknown}) {
    const Reply reply(meaning, body, 1);
    judge(reply);
    last_version(reply);
    reply.text();
  }
  const http::json::value json = http::parse_json(input);
  look_at_entries(json);
  look_at_registration(json);
  require(in_url(input).find_first_of(" \r\n?#&") == std::string::npos, "a part of a URL is one", in_url(input));
}

}  // namespace ballot::fuzz::consul_harness

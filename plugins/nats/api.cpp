#include "api.hpp"

#include <charconv>
#include <string_view>

#include "http/json.hpp"

namespace ballot::nats {

using namespace http;

namespace {

constexpr std::int64_t nanos = 1'000'000;  // of a millisecond

/// An answer that is none of this API's is a failure too.
ApiError failure_in(const json::value& in) {
  if (!in.is_object()) return {500, error::none, "the server's answer is not understood"};
  const json::value& found = at(in, "error");
  if (found.is_null()) return {};
  const auto status = static_cast<int>(number_at(found, "code"));
  return {status == 0 ? 500 : status, static_cast<int>(number_at(found, "err_code")),
          std::string(text_at(found, "description"))};
}

Millis nanos_at(const json::value& in, const char* name) {
  return Millis(static_cast<std::int64_t>(number_at(in, name)) / nanos);
}

std::uint64_t parse_number(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

ApiError parse_failure(const std::string& text) { return failure_in(parse_json(text)); }

Ack parse_ack(const std::string& text) {
  const json::value found = parse_json(text);
  Ack ack{number_at(found, "seq"), truth_at(found, "duplicate"), failure_in(found)};
  if (!ack.failure) return ack;
  // "wrong last sequence: 17"
  const auto colon = ack.failure.text.rfind(": ");
  const bool told = ack.failure.code == error::wrong_last_sequence && colon != std::string::npos;
  ack.sequence = told ? parse_number(std::string_view(ack.failure.text).substr(colon + 2)) : 0;
  return ack;
}

std::string text_of(const StreamConfig& config) {
  return json::serialize(json::object{{"name", config.name},
                                      {"description", config.description},
                                      {"subjects", json::array{config.subject}},
                                      {"retention", "limits"},
                                      {"max_consumers", -1},
                                      {"max_msgs", -1},
                                      {"max_bytes", -1},
                                      {"max_msg_size", -1},
                                      {"max_msgs_per_subject", 1},
                                      {"discard", "new"},
                                      {"max_age", config.max_age.count() * nanos},
                                      {"duplicate_window", config.window.count() * nanos},
                                      {"storage", "file"},
                                      {"num_replicas", config.replicas},
                                      {"deny_purge", true},
                                      {"allow_direct", false}});
}

StreamFacts parse_stream(const std::string& text) {
  const json::value found = parse_json(text);
  const json::value &config = at(found, "config"), &state = at(found, "state"), &cluster = at(found, "cluster");
  StreamFacts facts;
  facts.failure = failure_in(found);
  facts.name = text_at(config, "name");
  facts.description = text_at(config, "description");
  facts.storage = text_at(config, "storage");
  facts.created = text_at(found, "created");
  for (const json::value& one : array_at(config, "subjects")) facts.subjects.emplace_back(http::text_of(one));
  facts.max_age = nanos_at(config, "max_age");
  facts.window = nanos_at(config, "duplicate_window");
  facts.history = number_at(config, "max_msgs_per_subject");
  facts.replicas = static_cast<int>(number_at(config, "num_replicas"));
  facts.mirror = !at(config, "mirror").is_null();
  facts.sealed = truth_at(config, "sealed");
  facts.deny_delete = truth_at(config, "deny_delete");
  facts.values = number_at(state, "messages");
  facts.last = number_at(state, "last_seq");
  facts.leader = text_at(cluster, "leader");
  facts.clustered = !text_at(cluster, "name").empty();
  if (!facts.leader.empty()) facts.kept_by.push_back({facts.leader, true});
  for (const json::value& one : array_at(cluster, "replicas"))
    facts.kept_by.push_back({std::string(text_at(one, "name")), false, truth_at(one, "current"),
                             truth_at(one, "offline"), number_at(one, "lag")});
  return facts;
}

std::string text_of(const ConsumerConfig& config) {
  return json::serialize(
      json::object{{"stream_name", config.stream},
                   {"config", json::object{{"name", config.name},
                                           {"deliver_policy", "last_per_subject"},
                                           {"deliver_subject", config.deliver},
                                           {"filter_subject", config.filter},
                                           {"ack_policy", "none"},
                                           {"max_deliver", 1},
                                           {"replay_policy", "instant"},
                                           {"flow_control", true},
                                           {"idle_heartbeat", config.heartbeat.count() * nanos},
                                           {"inactive_threshold", 10 * config.heartbeat.count() * nanos},
                                           {"mem_storage", true},
                                           {"num_replicas", 1}}}});
}

/// "$JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.CONSUMER-SEQUENCE.NANOS.PENDING", with the domain and a hash of the
/// account after "ACK" where the server has a domain, and a last token that is of no use.
std::optional<Delivery> parse_delivery(const std::string& reply) {
  if (reply.compare(0, 8, "$JS.ACK.") != 0) return std::nullopt;
  std::vector<std::string_view> tokens;
  const std::string_view text(reply);
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('.', begin), text.size());
    tokens.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (tokens.size() != 9 && tokens.size() < 11) return std::nullopt;
  const std::size_t consumer = tokens.size() == 9 ? 3 : 5;
  Delivery delivery{std::string(tokens[consumer])};
  delivery.stream_sequence = parse_number(tokens[consumer + 2]);
  delivery.consumer_sequence = parse_number(tokens[consumer + 3]);
  delivery.stored = WallTime(Millis(static_cast<std::int64_t>(parse_number(tokens[consumer + 4])) / nanos));
  return delivery;
}

}  // namespace ballot::nats

// Api: what JetStream is asked and answers, as JSON: streams, consumers, acknowledgements. Of what is answered only
// what is used here. Pure.
//
//   client.ask({"$JS.API.STREAM.CREATE." + stream, text_of(config)}, ...);
//   const Ack ack = parse_ack(answer.data);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ballot/time.hpp"

namespace ballot::nats {

namespace error {  // the codes of the API's errors
inline constexpr int none = 0, wrong_last_sequence = 10071, stream_not_found = 10059, stream_name_in_use = 10058,
                     not_enabled = 10039, not_enabled_for_account = 10035, message_not_found = 10037;
}  // namespace error

/// What every answer may be instead.
struct ApiError {
  int status = 0;  // as of HTTP: 400, 503
  int code = error::none;
  std::string text = {};
  explicit operator bool() const noexcept { return status != 0; }
};

/// Of what was published into a stream.
struct Ack {
  std::uint64_t sequence = 0;  // of a duplicate: that of the first; of a wrong one: that of the last, 0 for none
  bool duplicate = false;
  ApiError failure = {};
};
Ack parse_ack(const std::string& text);

struct StreamConfig {
  std::string name, subject, description;
  Millis max_age{0};  // 0: for ever
  Millis window{0};   // in which a message id is known
  int replicas = 1;
};
std::string text_of(const StreamConfig& config);

/// One server that keeps the stream.
struct Replica {
  std::string name;
  bool leads = false, current = true, offline = false;
  std::uint64_t lag = 0;
};

struct StreamFacts {
  ApiError failure = {};
  std::string name, description, storage, created;
  std::vector<std::string> subjects;
  Millis max_age{0}, window{0};
  std::uint64_t history = 0;  // kept of each key; 0: all
  int replicas = 0;
  bool mirror = false, sealed = false, deny_delete = false;
  std::uint64_t values = 0, last = 0;
  bool clustered = false;
  std::string leader;
  std::vector<Replica> kept_by;  // the leader first; empty where there is one server
};
StreamFacts parse_stream(const std::string& text);

struct ConsumerConfig {
  std::string stream, name, filter, deliver;
  Millis heartbeat{0};
};
/// Of the last message of each subject, then of all that come, each once, in order.
std::string text_of(const ConsumerConfig& config);
/// Of whatever else was asked.
ApiError parse_failure(const std::string& text);

/// Of a message from a consumer: "$JS.ACK....".
struct Delivery {
  std::string consumer;
  std::uint64_t stream_sequence = 0, consumer_sequence = 0;
  WallTime stored{};  // by the clock of the server that took it in
};
std::optional<Delivery> parse_delivery(const std::string& reply);

}  // namespace ballot::nats

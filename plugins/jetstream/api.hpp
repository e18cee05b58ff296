// Api: what JetStream is asked and answers, as JSON: streams, acknowledgements; and a bucket's keys as subjects, and
// back: '/' is '.', and what a token of a bucket's key may not have is "=XX" in hexadecimal digits, so that every key
// fits and `nats kv` shows it. Pure.
//
//   subject_of("ballot-test", "r/j/a.b")   // "$KV.ballot-test.r.j.a=2Eb"
//   client.ask({"$JS.API.STREAM.CREATE." + stream_of(bucket), text_of(config)}, [](const Answer& answer) { ... });
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ballot/time.hpp"
#include "http_client/json.hpp"

namespace ballot::jetstream {

namespace json = http::json;

/// Of buckets' names, and of the tokens of keys.
inline constexpr std::string_view plain_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

inline std::string stream_of(const std::string& bucket) { return "KV_" + bucket; }
/// Of all its keys.
inline std::string all_subjects_of(const std::string& bucket) { return "$KV." + bucket + ".>"; }
/// One that no key has: for barriers and tests. `name`: of letters, digits and dots.
inline std::string own_subject_of(const std::string& bucket, const std::string& name) {
  return "$KV." + bucket + ".=." + name;
}
std::string subject_of(const std::string& bucket, std::string_view key);
/// None: it is of no key.
std::optional<std::string> key_of(const std::string& bucket, std::string_view subject);

namespace error {  // the codes of the API's errors, and one of ours
inline constexpr int unheard = -1, none = 0, wrong_last_sequence = 10071, stream_not_found = 10059,
                     stream_name_in_use = 10058, not_enabled = 10039, not_enabled_for_account = 10035,
                     no_cluster = 10074, few_servers = 10005, no_resources = 10023;
}  // namespace error

inline constexpr std::int64_t nanos = 1'000'000;  // of a millisecond

struct Answer {
  int status = 0;  // of a failure, as of HTTP: 400, 503
  int code = error::none;
  std::string text = {};  // of a failure
  json::value content = {};

  bool failed() const noexcept { return status != 0; }
  /// Nobody has answered: it may have happened, and may still happen.
  bool is_unheard() const noexcept { return code == error::unheard; }
  /// Of a message: its; of a duplicate: that of the first; of a wrong one: that of the last, 0 for none.
  std::uint64_t sequence() const;
  bool is_duplicate() const { return http::truth_at(content, "duplicate"); }
};
Answer parse_answer(const std::string& text);
inline Answer unheard(std::string why) { return {503, error::unheard, std::move(why)}; }

/// What a bucket is made with.
struct StreamConfig {
  std::string bucket, description;
  Millis max_age{0};  // 0: for ever
  Millis window{0};   // in which a message id is known
  int replicas = 1;
};
std::string text_of(const StreamConfig& config);

/// Of nanoseconds.
template <class... Names>
Millis millis_at(const json::value& in, Names... names) {
  return Millis(static_cast<std::int64_t>(http::number_at(in, names...)) / nanos);
}

}  // namespace ballot::jetstream

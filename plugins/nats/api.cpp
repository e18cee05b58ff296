#include "api.hpp"

#include <charconv>

#include "subjects.hpp"

namespace ballot::nats {

using namespace http;

/// What is none of this API's is a failure too.
Answer parse_answer(const std::string& text) {
  Answer answer;
  answer.content = parse_json(text);
  if (!answer.content.is_object()) return {500, error::none, "the server's answer is not understood"};
  const json::value& failure = at(answer.content, "error");
  if (failure.is_null()) return answer;
  const auto status = static_cast<int>(number_at(failure, "code"));
  answer.status = status == 0 ? 500 : status;
  answer.code = static_cast<int>(number_at(failure, "err_code"));
  answer.text = text_at(failure, "description");
  return answer;
}

/// "wrong last sequence: 17"
std::uint64_t Answer::sequence() const {
  if (!failed()) return number_at(content, "seq");
  std::uint64_t last = 0;
  const auto colon = text.rfind(": ");
  if (code == error::wrong_last_sequence && colon != std::string::npos)
    std::from_chars(text.data() + colon + 2, text.data() + text.size(), last);
  return last;
}

std::string text_of(const StreamConfig& config) {
  return json::serialize(json::object{{"name", stream_of(config.bucket)},
                                      {"description", config.description},
                                      {"subjects", json::array{all_subjects_of(config.bucket)}},
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

}  // namespace ballot::nats

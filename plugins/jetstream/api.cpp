#include "api.hpp"

#include <charconv>

namespace ballot::jetstream {

using namespace http;

std::string subject_of(const std::string& bucket, std::string_view key) {
  std::string subject = "$KV." + bucket + ".";
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/')
      subject += '.';
    else if (plain_letters.find(c) != std::string_view::npos)
      subject += c;
    else
      (subject += '=').append({"0123456789ABCDEF"[byte / 16], "0123456789ABCDEF"[byte % 16]});
  }
  return subject;
}

std::optional<std::string> key_of(const std::string& bucket, std::string_view subject) {
  const std::string head = "$KV." + bucket + ".";
  if (!subject.starts_with(head)) return std::nullopt;
  std::string key;
  for (std::size_t i = head.size(); i < subject.size(); ++i) {
    unsigned char byte = static_cast<unsigned char>(subject[i] == '.' ? '/' : subject[i]);
    if (subject[i] == '=') {
      const std::string_view digits = subject.substr(i + 1, 2);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
      if (error != std::errc() || end != digits.data() + 2) return std::nullopt;
      i += 2;
    }
    key += static_cast<char>(byte);
  }
  return key;
}

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
                                      {"max_msgs_per_subject", 1},
                                      {"discard", "new"},
                                      {"max_age", config.max_age.count() * nanos},
                                      {"duplicate_window", config.window.count() * nanos},
                                      {"storage", "file"},
                                      {"num_replicas", config.replicas},
                                      {"deny_purge", true},
                                      {"allow_direct", false}});
}

}  // namespace ballot::jetstream

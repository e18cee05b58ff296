#include "io/question.hpp"

namespace ballot::io {

namespace {

constexpr std::string_view end_of_last = "\"last\":true}";

}  // namespace

/// A message may have been the last line of another answer.
std::string encode_last(Message message) {
  std::string line = encode(message.remove("last"));
  line.pop_back();
  if (line.size() > 1) line += ',';
  return line.append(end_of_last);
}

/// An error's word is its first field: fields are in order.
std::optional<std::string> content_of_last(std::string_view line) {
  if (line.starts_with("{\"error\":") || !line.ends_with(end_of_last)) return std::nullopt;
  std::string content(line.substr(0, line.size() - end_of_last.size()));
  if (content.size() == 1) return "{}";
  content.back() = '}';
  return content;
}

/// An answer that never comes is an error at the client, not a command that hangs.
Reply::Reply(std::shared_ptr<AnswerSink> sink) {
  AnswerSink* const raw = sink.get();
  sink_ = {raw, [kept = std::move(sink)](AnswerSink* one) {
             if (!one->is_over())
               one->finish(encode_last(to_message({Errc::unavailable, "the daemon dropped the request; see its log"})));
           }};
}

}  // namespace ballot::io

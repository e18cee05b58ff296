#include "io/question.hpp"

namespace ballot::io {

std::string encode_last(Message message) { return encode(message.set("last", true)); }

/// An answer that never comes is an error at the client, not a command that hangs.
Reply::Reply(std::shared_ptr<AnswerSink> sink) {
  AnswerSink* const raw = sink.get();
  sink_ = {raw, [kept = std::move(sink)](AnswerSink* one) {
             if (!one->is_over())
               one->finish(encode_last(to_message({Errc::unavailable, "the daemon dropped the request; see its log"})));
           }};
}

}  // namespace ballot::io

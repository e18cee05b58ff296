// Question and Reply: what a daemon is asked, and where the answer goes, whichever way the question came: the control
// socket and the API hand the same questions to the same handler, and differ in how they carry lines to the client.
//
// Thread: the loop's, but for encode_last() and content_of_last().
//
//   const auto answer = [](const Question& question, const Reply& reply) {
//     if (question.message.text("do") == "flush") ledger.flush([reply] { reply.finish({}); });
//   };
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ballot/error.hpp"
#include "io/asker.hpp"
#include "io/message.hpp"

namespace ballot::io {

struct Question {
  Message message;
  Asker asker;
};

/// A message as the last line of an answer, for Reply::finish_encoded(). From any thread.
std::string encode_last(Message message);
/// And back, without what says that it is the last: the message, encoded. None: it is an error, or was encoded by
/// others.
std::optional<std::string> content_of_last(std::string_view line);

/// A client that waits for an answer of one or more lines. What comes after the last line, or once the client has gone,
/// goes nowhere.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  /// A line of which there may be more.
  virtual void send(const Message& message) = 0;
  /// The last line, encoded.
  virtual void finish(std::string line) = 0;
  /// The last line was sent, or the client has gone.
  virtual bool is_over() const = 0;

  /// Called once, when the client goes before the last line.
  std::function<void()> on_gone;
};

/// Where the answer to one question goes, now or later; a handle to be copied. The answer ends with the last copy:
/// without finish() that is an error at the client.
class Reply {
 public:
  explicit Reply(std::shared_ptr<AnswerSink> sink);

  void send(const Message& message) const { sink_->send(message); }
  void finish(Message message) const { sink_->finish(encode_last(std::move(message))); }
  /// As encode_last() has it: a long answer is encoded on another thread.
  void finish_encoded(std::string line) const { sink_->finish(std::move(line)); }
  void fail(const Error& error) const { finish(to_message(error)); }
  /// Nobody waits for the answer any more.
  bool gone() const { return sink_->is_over(); }
  /// Calls `left`, once, when the client goes before the last line. One function an answer: a later one replaces it.
  void on_gone(std::function<void()> left) const { sink_->on_gone = std::move(left); }

 private:
  std::shared_ptr<AnswerSink> sink_;
};

using Handler = std::function<void(const Question&, const Reply&)>;

}  // namespace ballot::io

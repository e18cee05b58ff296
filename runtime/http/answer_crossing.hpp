// AnswerCrossing: the answer to a question of the API on its way from the loop, which answers, to the server's thread,
// which sends it.
//
// Thread: the loop's, but for the constructor and leave().
//
//   const auto crossing = std::make_shared<AnswerCrossing>(to_server, to_loop, on_line);
//   to_loop([=] { answers.answer(question, io::Reply(crossing)); });
#pragma once

#include <functional>
#include <memory>

#include "http/exchange.hpp"
#include "io/question.hpp"

namespace ballot::web {

/// Calls a task on another thread, later; or never, where that thread has ended.
using Post = std::function<void(std::function<void()>)>;

class AnswerCrossing : public io::AnswerSink, public std::enable_shared_from_this<AnswerCrossing> {
 public:
  /// `on_line` is called on the server's thread.
  AnswerCrossing(Post to_server, Post to_loop, std::function<void(AnswerLine)> on_line);
  /// What `on_line` holds ends on the server's thread.
  ~AnswerCrossing() override;

  void send(const io::Message& message) override;
  void finish(std::string line) override;
  bool is_over() const override { return over_; }

  /// Nobody waits for the answer any more. On the server's thread.
  void leave();

 private:
  void hand_over(AnswerLine line);

  const Post to_server_, to_loop_;
  std::shared_ptr<const std::function<void(AnswerLine)>> on_line_;
  bool over_ = false;
};

}  // namespace ballot::web

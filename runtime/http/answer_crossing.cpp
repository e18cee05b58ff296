#include "http/answer_crossing.hpp"

#include <utility>

namespace ballot::web {

AnswerCrossing::AnswerCrossing(Post to_server, Post to_loop, std::function<void(AnswerLine)> on_line)
    : to_server_(std::move(to_server)),
      to_loop_(std::move(to_loop)),
      on_line_(std::make_shared<const std::function<void(AnswerLine)>>(std::move(on_line))) {}

AnswerCrossing::~AnswerCrossing() {
  to_server_([on_line = std::move(on_line_)] {});
}

void AnswerCrossing::send(const io::Message& message) {
  if (!over_) hand_over({message, false});
}

void AnswerCrossing::finish(std::string line) {
  if (std::exchange(over_, true)) return;
  on_gone = nullptr;
  hand_over({std::move(line), true});
}

void AnswerCrossing::hand_over(AnswerLine line) {
  to_server_([on_line = on_line_, line = std::move(line)]() mutable { (*on_line)(std::move(line)); });
}

void AnswerCrossing::leave() {
  to_loop_([self = shared_from_this()] {
    if (std::exchange(self->over_, true)) return;
    if (const auto left = std::exchange(self->on_gone, nullptr)) left();
  });
}

}  // namespace ballot::web

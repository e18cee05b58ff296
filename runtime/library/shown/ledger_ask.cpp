#include "library/shown/ledger_ask.hpp"

#include <utility>

namespace ballot::library {
namespace {

/// Takes the only line of an answer.
class OneLine : public io::AnswerSink {
 public:
  OneLine(io::Reply outer, std::function<void(const Result<io::Message>&)> then)
      : outer_(std::move(outer)), then_(std::move(then)) {}

  void send(const io::Message&) override {}
  void finish(std::string line) override {
    if (is_over()) return;
    is_finished_ = true;
    auto message = io::decode(line);
    const auto error = message ? io::to_error(*message) : std::nullopt;
    then_(error ? Result<io::Message>(*error) : std::move(message));
  }
  bool is_over() const override { return is_finished_ || outer_.gone(); }

 private:
  const io::Reply outer_;
  const std::function<void(const Result<io::Message>&)> then_;
  bool is_finished_ = false;
};

}  // namespace

void ask_ledger(const io::Handler& answer, const io::Question& question, const io::Reply& reply,
                std::function<void(const Result<io::Message>&)> then) {
  const auto sink = std::make_shared<OneLine>(reply, std::move(then));
  reply.on_gone([weak = std::weak_ptr(sink)] {
    const auto asked = weak.lock();
    if (asked && asked->on_gone) asked->on_gone();
  });
  answer(question, io::Reply(sink));
}

}  // namespace ballot::library

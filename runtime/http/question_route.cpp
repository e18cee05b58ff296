#include "http/question_route.hpp"

#include <memory>

namespace ballot::web {
namespace {

constexpr Millis longest_answer = std::chrono::minutes(11);  // an audit may take ten

/// Whatever the role of whoever asks.
std::string refusal_of_change(const std::string& word) {
  const bool has_route = io::role_for(word) < io::Role::admin;
  const std::string command = word == "evict" ? "election evict" : word;
  return "a question changes nothing: '" + word + "' is asked by `ballot " + command + "` on the node" +
         (has_route ? ", or by its own route of the API" : ", and not by the API") + " (docs/api.md)";
}

void answer_question(const ExchangePtr& exchange, std::size_t most_values) {
  const HttpRequest& request = exchange->request();
  if (request.asker.role != io::Role::admin && !io::has_at_most(most_values, request.body))
    return exchange->finish(problem(400, "a question has at most " + std::to_string(most_values) + " values"));
  auto question = io::decode(request.body);
  if (!question) return exchange->finish(problem(400, "the body is no question: " + question.error().what));
  const std::string word = question->text("do").value_or("");
  if (io::role_for(word) > io::Role::viewer) return exchange->finish(problem(403, refusal_of_change(word)));
  if (word == "events" && !exchange->become_stream()) return;
  const auto has_begun = std::make_shared<bool>(false);
  exchange->ask(*std::move(question), [exchange, has_begun](const AnswerLine& line) {
    if (!*has_begun) exchange->begin({200, "application/x-ndjson"});
    *has_begun = true;
    exchange->send(line.text() + "\n");
    if (line.is_last) exchange->end();
  });
}

}  // namespace

Route question_route(std::size_t most_values) {
  return {Method::post, "/api/v1/questions", io::Role::viewer,
          [most_values](const ExchangePtr& exchange) { answer_question(exchange, most_values); }, longest_answer};
}

}  // namespace ballot::web

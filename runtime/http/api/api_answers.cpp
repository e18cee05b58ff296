#include "http/api/api_answers.hpp"

#include "base/wall_text.hpp"
#include "http/api/api_question.hpp"
#include "http/api/output_stream.hpp"
#include "http/tag.hpp"
#include "io/question.hpp"

namespace ballot::web {
namespace {

constexpr Millis beat = std::chrono::seconds(15);  // of a stream on which nothing happens

/// Nodes that did not answer, with times as texts.
std::vector<io::Message> missing_of(const io::Message& line) {
  std::vector<io::Message> nodes = line.objects("missing");
  for (io::Message& node : nodes)
    if (const auto heard = node.integer("last_heard")) node.set("last_heard", format_millis(WallTime(Millis(*heard))));
  return nodes;
}

/// Without what says that a line is the last one.
io::Message content_of(io::Message line) {
  line.remove("last");
  if (line.fields().contains("missing")) line.set("missing", missing_of(line));
  return line;
}

HttpResponse response_of(Shape shape, const HttpRequest& request, std::string body) {
  HttpResponse response;
  response.body = std::move(body);
  return shape == Shape::tagged ? tagged(request, std::move(response), "private, no-cache") : response;
}

HttpResponse response_of(Shape shape, const HttpRequest& request, const io::Message& answer) {
  HttpResponse response = response_of(shape, request, io::encode(content_of(answer)));
  if (shape == Shape::made && answer.flag("created").value_or(false)) response.status = 201;
  return response;
}

/// What is read of ledgers may be long, and comes as it is shown: it is not decoded and encoded again. None: it is an
/// error, or is to be looked into.
std::optional<std::string> body_as_it_came(const ApiRoute& route, const AnswerLine& line) {
  const auto* const encoded = std::get_if<std::string>(&line.content);
  return encoded && !route.ask.empty() ? io::content_of_last(*encoded) : std::nullopt;
}

void answer_document(const ApiRoute& route, io::Message question, const ExchangePtr& exchange) {
  exchange->ask(std::move(question), [&route, exchange](const AnswerLine& line) {
    if (!line.is_last) return;
    if (auto body = body_as_it_came(route, line))
      return exchange->finish(response_of(route.shape, exchange->request(), *std::move(body)));
    const auto message = line.message();
    if (!message) return exchange->finish(problem(message.error()));
    if (const auto error = io::to_error(*message)) return exchange->finish(problem(*error));
    exchange->finish(response_of(route.shape, exchange->request(), *message));
  });
}

void keep_beating(const ExchangePtr& exchange) {
  exchange->after(beat, [exchange] {
    exchange->send(":\n\n");
    keep_beating(exchange);
  });
}

std::string event_text(const io::Message& line) {
  const auto field = [&](const char* name) { return line.text(name).value_or(""); };
  return "id: " + field("id") + "\nevent: " + field("event") + "\ndata: " + field("data") + "\n\n";
}

/// A browser's own header beats the query, which is of the first connection.
void answer_events(io::Message question, const ExchangePtr& exchange) {
  if (!exchange->become_stream()) return;
  if (const auto last = exchange->request().header("last-event-id")) question.set("after", *last);
  const auto has_begun = std::make_shared<bool>(false);
  exchange->ask(std::move(question), [exchange, has_begun](const AnswerLine& line) {
    const auto message = line.message();
    const auto error = message ? io::to_error(*message) : std::optional(message.error());
    if (error && !*has_begun) return exchange->finish(problem(*error));
    if (error || line.is_last) return exchange->end();
    if (*has_begun) return exchange->send(event_text(*message));
    *has_begun = true;
    exchange->begin({200, "text/event-stream", {{"Cache-Control", "no-store"}}, event_text(*message)});
    keep_beating(exchange);
  });
}

}  // namespace

void answer(const ApiRoute& route, const ExchangePtr& exchange) {
  auto question = question_of(route, exchange->request());
  if (!question) return exchange->finish(problem(question.error()));
  switch (route.shape) {
    case Shape::document:
    case Shape::tagged:
    case Shape::made: return answer_document(route, *std::move(question), exchange);
    case Shape::events: return answer_events(*std::move(question), exchange);
    case Shape::output: return OutputStream::begin(*std::move(question), exchange);
  }
}

}  // namespace ballot::web

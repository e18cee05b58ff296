#include "http/api/api_answers.hpp"

#include "base/fnv.hpp"
#include "base/hex.hpp"
#include "base/wall_text.hpp"
#include "http/api/api_question.hpp"
#include "http/api/output_stream.hpp"

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
io::Message content_of(const io::Message& line) {
  io::Message content;
  for (const auto& [name, value] : line.fields())
    if (name != "last") content.set(name, value);
  if (line.fields().contains("missing")) content.set("missing", missing_of(line));
  return content;
}

std::string tag_of(const std::string& body) {
  std::string bytes;
  const std::uint64_t value = Fnv().add(body).value();
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return '"' + to_hex(bytes) + '"';
}

/// RFC 9110: a list of tags, weak ones among them, or '*'. A tag of ours has no comma in it.
bool names_tag(const std::string& header, const std::string& tag) {
  return header == "*" || header.find(tag) != std::string::npos;
}

HttpResponse tagged(const HttpRequest& request, HttpResponse response) {
  const std::string tag = tag_of(response.body);
  if (const auto known = request.header("if-none-match"); known && names_tag(*known, tag)) response = {304, "", {}, ""};
  response.headers = {{"ETag", tag}, {"Cache-Control", "private, no-cache"}};
  return response;
}

HttpResponse response_of(Shape shape, const HttpRequest& request, const io::Message& answer) {
  HttpResponse response;
  response.body = io::encode(content_of(answer));
  if (shape == Shape::tagged) return tagged(request, std::move(response));
  if (shape == Shape::made && answer.flag("created").value_or(false)) response.status = 201;
  return response;
}

void answer_document(Shape shape, io::Message question, const ExchangePtr& exchange) {
  exchange->ask(std::move(question), [shape, exchange](const AnswerLine& line) {
    if (!line.is_last) return;
    const auto message = line.message();
    if (!message) return exchange->finish(problem(message.error()));
    if (const auto error = io::to_error(*message)) return exchange->finish(problem(*error));
    exchange->finish(response_of(shape, exchange->request(), *message));
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
    case Shape::made: return answer_document(route.shape, *std::move(question), exchange);
    case Shape::events: return answer_events(*std::move(question), exchange);
    case Shape::output: return OutputStream::begin(*std::move(question), exchange);
  }
}

}  // namespace ballot::web

#include "library/history/request_wire.hpp"

#include <utility>

#include "library/history/wire_values.hpp"

namespace ballot::library {
namespace {

using io::Message;

std::optional<RunId> run_id_of(const Message& message, const char* key) {
  return RunId::parse(message.text(key).value_or(""));
}

void set_unless_empty(Message& message, const char* key, const std::string& text) {
  if (!text.empty()) message.set(key, text);
}

}  // namespace

Message to_message(const RequestRow& request) {
  Message message;
  message.set("request_id", request.id.text()).set("kind", request.kind).set("node", request.node);
  message.set("at", in_ms(request.at));
  set_unless_empty(message, "job", request.job);
  set_unless_empty(message, "group", request.group);
  if (request.run) message.set("run_id", request.run->text());
  set_unless_empty(message, "by", request.by);
  set_unless_empty(message, "result", request.result);
  set_unless_empty(message, "text", request.text);
  set_unless_empty(message, "env", request.env);
  if (request.answered_at) message.set("answered_at", in_ms(*request.answered_at));
  return message;
}

Result<RequestRow> request_from(const Message& message) {
  const auto id = run_id_of(message, "request_id"), run = run_id_of(message, "run_id");
  const auto at = instant_of(message, "at");
  if (!id || !at || (message.text("run_id") && !run))
    return Error{Errc::corrupt, "an answer with an unreadable request"};
  RequestRow request;
  request.id = *id;
  request.kind = text_under(message, "kind");
  request.job = text_under(message, "job");
  request.group = text_under(message, "group");
  request.run = run;
  request.node = text_under(message, "node");
  request.at = *at;
  request.by = text_under(message, "by");
  request.result = text_under(message, "result");
  request.text = text_under(message, "text");
  request.answered_at = instant_of(message, "answered_at");
  request.env = text_under(message, "env");
  return request;
}

Message to_message(const storage::RequestPosition& position) {
  Message message;
  return message.set("at", in_ms(position.at)).set("request_id", position.id.text());
}

std::optional<storage::RequestPosition> request_position_from(const Message& message) {
  const auto at = instant_of(message, "at");
  const auto id = run_id_of(message, "request_id");
  return at && id ? std::optional(storage::RequestPosition{*at, *id}) : std::nullopt;
}

Message to_message(const storage::RequestFilter& filter) {
  Message message;
  message.set("jobs", filter.jobs).set("groups", filter.groups).set("nodes", filter.nodes).set("kinds", filter.kinds);
  set_unless_empty(message, "by", filter.by);
  if (filter.run) message.set("run", filter.run->text());
  if (filter.since) message.set("since", in_ms(*filter.since));
  if (filter.until) message.set("until", in_ms(*filter.until));
  if (filter.after) message.set("after", std::vector{to_message(*filter.after)});
  if (filter.limit) message.set("limit", *filter.limit);
  return message;
}

Result<storage::RequestFilter> request_filter_from(const Message& message) {
  storage::RequestFilter filter{.jobs = message.texts("jobs"),
                                .groups = message.texts("groups"),
                                .nodes = message.texts("nodes"),
                                .kinds = message.texts("kinds"),
                                .by = text_under(message, "by"),
                                .run = run_id_of(message, "run"),
                                .since = instant_of(message, "since"),
                                .until = instant_of(message, "until"),
                                .limit = message.integer("limit")};
  bool is_readable = filter.run || !message.text("run");
  for (const Message& after : message.objects("after")) {
    filter.after = request_position_from(after);
    is_readable = is_readable && filter.after;
  }
  if (!is_readable) return Error{Errc::invalid, "a filter of requests with an unknown run or place"};
  return filter;
}

}  // namespace ballot::library

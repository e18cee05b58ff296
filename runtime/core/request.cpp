#include "core/request.hpp"

#include <array>

#include "core/record_text.hpp"

namespace ballot::core {
namespace {

constexpr std::array<std::string_view, 9> kinds = {"trigger", "kill",  "pause",   "resume", "forget",
                                                   "repair",  "evict", "release", "replace"};
constexpr std::array<std::string_view, 8> codes = {"invalid",     "not_found", "conflict", "refused",
                                                   "unavailable", "timeout",   "io",       "corrupt"};

template <class Enum, std::size_t n>
std::optional<Enum> parse_word(const std::array<std::string_view, n>& words, std::string_view word) {
  for (std::size_t i = 0; i < n; ++i)
    if (words[i] == word) return static_cast<Enum>(i);
  return std::nullopt;
}

void read_request_line(Request& r, Words& words, std::string_view) {
  const std::string_view key = words.word();
  if (key == "do")
    r.kind = words.keep(parse_word<Request::Kind>(kinds, words.word()));
  else if (key == "id")
    r.id = words.keep(RunId::parse(words.word()));
  else if (key == "job")
    r.job = words.word();
  else if (key == "group")
    r.group = words.word();
  else if (key == "run")
    r.run = words.keep(RunId::parse(words.word()));
  else if (key == "wait")
    r.wait = true;
  else if (key == "until")
    r.until = words.time();
  else if (key == "by")
    r.by = words.rest;
}

void read_answer_line(Answer& a, Words& words, std::string_view) {
  const std::string_view key = words.word();
  if (key == "done")
    a.ok = true;
  else if (key == "refused") {
    a.code = words.keep(parse_word<Errc>(codes, words.word()));
    a.text = words.rest;
  } else if (key == "run")
    a.run = words.keep(RunId::parse(words.word()));
  else if (key == "until")
    a.until = words.time();
}

}  // namespace

std::string_view to_string(Request::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::optional<Request::Kind> parse_kind(std::string_view word) { return parse_word<Request::Kind>(kinds, word); }

std::string request_record(const RunId& id) { return std::string(request_prefix) + id.text(); }
std::string answer_record(const RunId& id) { return request_record(id) + ".answer"; }
std::string end_record(const RunId& id) { return request_record(id) + ".end"; }

std::string to_text(const Request& r) {
  std::string text(heading);
  text += "\n";
  line(text, "do", to_string(r.kind));
  line(text, "id", r.id.text());
  if (!r.job.empty()) line(text, "job", r.job);
  if (!r.group.empty()) line(text, "group", r.group);
  if (r.run != RunId{}) line(text, "run", r.run.text());
  if (r.wait) line(text, "wait", "yes");
  line(text, "until", format_millis(r.until));
  if (!r.by.empty()) line(text, "by", r.by);
  return text;
}

std::string to_text(const Answer& a) {
  std::string text(heading);
  text += "\n";
  if (a.ok)
    line(text, "done", "yes");
  else
    line(text, "refused", std::string(codes[static_cast<std::size_t>(a.code)]) + " " + a.text);
  if (a.run) line(text, "run", a.run->text());
  line(text, "until", format_millis(a.until));
  return text;
}

Result<Request> parse_request(std::string_view text) {
  return parse_lines<Request>(text, "the request", read_request_line);
}

Result<Answer> parse_answer(std::string_view text) { return parse_lines<Answer>(text, "the answer", read_answer_line); }

}  // namespace ballot::core

#include "http/api/output_stream.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/hex.hpp"
#include "base/wall_text.hpp"

namespace ballot::web {
namespace {

constexpr Millis follow_interval{500};
constexpr Millis longest_silence = std::chrono::seconds(25);

/// -1: none.
std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && at == text.data() + text.size() ? number : -1;
}

/// One that waits has printed nothing yet.
std::int64_t last_begun(const io::Message& run) {
  for (const io::Message& attempt : run.objects("attempts"))
    if (attempt.text("status") != "queued") return attempt.integer("attempt").value_or(1);
  return run.integer("attempt").value_or(1);
}

}  // namespace

void OutputStream::begin(io::Message question, const ExchangePtr& exchange) {
  if (question.flag("follow").value_or(false) && !exchange->become_stream()) return;
  const auto stream = std::make_shared<OutputStream>(std::move(question), exchange);
  stream->look_up();
}

OutputStream::OutputStream(io::Message question, ExchangePtr exchange)
    : exchange_(std::move(exchange)),
      follows_(question.flag("follow").value_or(false)),
      range_(follows_ ? std::nullopt : range_of(exchange_->request())),
      question_(std::move(question)),
      at_(range_ ? range_->first : question_.integer("from").value_or(0)) {}

/// RFC 9110: what is no single range of bytes from its beginning on is as if it were not there.
std::optional<OutputStream::Range> OutputStream::range_of(const HttpRequest& request) {
  constexpr std::string_view unit = "bytes=";
  const auto header = request.header("range");
  if (!header || !header->starts_with(unit)) return std::nullopt;
  const std::string_view text = std::string_view(*header).substr(unit.size());
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const std::int64_t first = number_in(text.substr(0, dash)), last = number_in(text.substr(dash + 1));
  const bool is_open = dash + 1 == text.size();
  if (first < 0 || (!is_open && last < first)) return std::nullopt;
  return Range{first, is_open ? std::nullopt : std::optional(last)};
}

void OutputStream::take(const AnswerLine& line, void (OutputStream::*then)(const io::Message&)) {
  if (!line.is_last) return;
  const auto message = line.message();
  const auto error = message ? io::to_error(*message) : std::optional(message.error());
  if (!error) return (this->*then)(*message);
  has_begun_ ? exchange_->end() : exchange_->finish(problem(*error));
}

void OutputStream::look_up() {
  io::Message question = question_;
  question.set("ask", std::string("run"));
  exchange_->ask(std::move(question),
                 [self = shared_from_this()](const AnswerLine& line) { self->take(line, &OutputStream::take_run); });
}

void OutputStream::take_run(const io::Message& run) {
  question_.set("run", run.text("run_id").value_or("")).set("form", {});
  if (!question_.integer("attempt")) question_.set("attempt", last_begun(run));
  ask();
}

void OutputStream::ask() {
  io::Message question = question_;
  exchange_->ask(question.set("from", at_),
                 [self = shared_from_this()](const AnswerLine& line) { self->take(line, &OutputStream::take_piece); });
}

void OutputStream::take_piece(const io::Message& answer) {
  if (answer.flag("elsewhere").value_or(false)) {
    const std::string node = answer.text("node").value_or("");
    const Error error{Errc::unavailable, "node " + node + " has what it printed, and does not answer: ask there"};
    return has_begun_ ? exchange_->end() : exchange_->finish(problem(error));
  }
  if (answer.flag("lost").value_or(false)) {
    const std::string what = "what it printed is lost: the node that executed it has it no more";
    return has_begun_ ? exchange_->end() : exchange_->finish(problem(410, what));
  }
  Piece piece{answer.integer("begin").value_or(0), answer.integer("total").value_or(0),
              from_hex(answer.text("bytes").value_or("")).value_or(""), answer.flag("ended").value_or(false)};
  if (const auto as_of = answer.integer("printed_at")) piece.as_of = format_millis(WallTime(Millis(*as_of)));
  if (range_) return send_range(std::move(piece));
  send(piece);
  go_on(piece);
}

Pairs OutputStream::headers(const Piece& piece) const {
  Pairs all{{"Ballot-Attempt", std::to_string(question_.integer("attempt").value_or(1))},
            {"Ballot-Total", std::to_string(piece.total)},
            {"Ballot-Ended", piece.has_ended ? "true" : "false"},
            {"Accept-Ranges", "bytes"},
            {"Cache-Control", "no-store"}};
  if (!piece.as_of.empty()) all.emplace_back("Ballot-As-Of", piece.as_of);
  return all;
}

/// The first piece that is kept of the range: the middle of a long output is not, so it may begin later than asked for.
void OutputStream::send_range(Piece piece) {
  const std::string total = piece.has_ended ? std::to_string(piece.total) : "*";
  Pairs all = headers(piece);
  if (piece.bytes.empty() || (range_->last && piece.begin > *range_->last)) {
    HttpResponse none = problem(416, "no such bytes are kept; " + std::to_string(piece.total) + " were printed so far");
    none.headers = {{"Content-Range", "bytes */" + std::to_string(piece.total)}};
    return exchange_->finish(std::move(none));
  }
  if (range_->last)
    piece.bytes.resize(std::min(piece.bytes.size(), static_cast<std::size_t>(*range_->last - piece.begin + 1)));
  const std::int64_t last = piece.begin + std::ssize(piece.bytes) - 1;
  all.emplace_back("Content-Range", "bytes " + std::to_string(piece.begin) + "-" + std::to_string(last) + "/" + total);
  exchange_->finish({206, "application/octet-stream", std::move(all), std::move(piece.bytes)});
}

/// As the command `output` prints it: a line of its own where bytes are gone.
void OutputStream::send(const Piece& piece) {
  std::string text;
  if (piece.begin > at_)
    text = (ends_line_ ? "" : "\n") + ("[ballot: " + std::to_string(piece.begin - at_)) + " bytes left out]\n";
  text += piece.bytes;
  at_ = piece.begin + std::ssize(piece.bytes);
  if (!text.empty()) ends_line_ = text.back() == '\n', silence_ = Millis(0);
  if (has_begun_) return text.empty() ? void() : exchange_->send(text);
  has_begun_ = true;
  exchange_->begin({200, "application/octet-stream", headers(piece), std::move(text)});
}

void OutputStream::go_on(const Piece& piece) {
  const auto ask_again = [self = shared_from_this()] { self->ask(); };
  if (!piece.bytes.empty() && at_ < piece.total)
    return exchange_->unread() == 0 ? ask_again() : exchange_->on_drained(ask_again);
  silence_ += follow_interval;
  if (piece.has_ended || !follows_ || silence_ > longest_silence) return exchange_->end();
  exchange_->after(follow_interval, ask_again);
}

}  // namespace ballot::web

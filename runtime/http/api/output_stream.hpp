// OutputStream: what a run has printed, as the body of a response: whole, a range of its bytes, or as it comes. Pieces
// are asked for one after the other, and no faster than the client reads.
//
//   state     | event                                        | next
//   looking   | the run's last attempt is known              | asking
//   asking    | a piece that is not the last so far          | sending
//   asking    | the last so far; it is followed, and goes on | waiting
//   asking    | the last so far, else                        | over
//   sending   | the client has read it                       | asking
//   waiting   | some time has passed                         | asking
//   waiting   | nothing has come for `longest_silence`       | over: whoever follows asks again, from there on
//
// Thread: the server's. It lives as long as the exchange's calls hold it.
//
//   OutputStream::begin(question, exchange);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/exchange.hpp"

namespace ballot::web {

class OutputStream : public std::enable_shared_from_this<OutputStream> {
 public:
  /// `question`: "run", and, where asked for, "attempt", "from" and "follow".
  static void begin(io::Message question, const ExchangePtr& exchange);

  OutputStream(io::Message question, ExchangePtr exchange);

 private:
  /// Bytes that the header Range asks for: both included.
  struct Range {
    std::int64_t first = 0;
    std::optional<std::int64_t> last;
  };
  struct Piece {
    std::int64_t begin = 0, total = 0;
    std::string bytes;
    bool has_ended = false;
    std::string as_of = {};  // by the fleet's history; "": as it is now
  };

  static std::optional<Range> range_of(const HttpRequest& request);
  void look_up();
  void ask();
  void take(const AnswerLine& line, void (OutputStream::*then)(const io::Message&));
  void take_run(const io::Message& run);
  void take_piece(const io::Message& answer);
  void send_range(Piece piece);
  void send(const Piece& piece);
  void go_on(const Piece& piece);
  Pairs headers(const Piece& piece) const;

  const ExchangePtr exchange_;
  const bool follows_;
  const std::optional<Range> range_;
  io::Message question_;
  std::int64_t at_ = 0;     // the next byte
  Millis silence_{0};       // since something came
  bool has_begun_ = false;  // the response's head is sent
  bool ends_line_ = true;   // what was sent last, or nothing was
};

}  // namespace ballot::web

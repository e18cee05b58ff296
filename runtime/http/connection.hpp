// Connection: one client, from its first byte to the last: one request after the other, each answered before the next
// is looked at.
//
//   stage     | event                                      | next
//   shaking   | the handshake is done                      | idle
//   idle      | the first byte of a request                | reading
//   reading   | the request is whole                       | answering, by its route
//   reading   | it cannot be answered, or takes too long   | finishing: the refusal
//   answering | the route finishes                         | finishing
//   answering | the route begins                           | begun
//   answering | it takes longer than the route may         | finishing: 504
//   begun     | the route ends                             | finishing
//   finishing | all is written, and the client is kept     | idle
//   finishing | all is written, and it is not              | lingering: what it still sends is read and dropped
//   any       | the client goes, or reads nothing          | closed
//
// Thread: the server's. Kept by the server until it is closed, and by its operations under way.
#pragma once

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/answer_crossing.hpp"
#include "http/exchange.hpp"
#include "http/http_limits.hpp"
#include "http/reception.hpp"
#include "http/request_reader.hpp"
#include "http/transport.hpp"

namespace ballot::web {

/// What all connections of a server share. It lives longer than they do.
struct ConnectionHost {
  const HttpSettings& settings;
  const HttpLimits& limits;
  Reception& reception;
  Places& places;
  std::size_t unread = 0;  // bytes of all responses that clients have not taken
  std::function<std::shared_ptr<AnswerCrossing>(io::Question, std::function<void(AnswerLine)>)> ask;
  std::function<void(std::string_view route, int status)> count;
  std::function<void(const Credentials&)> look;  // at each request's, before it is received
  std::function<void(Places::Number)> closed;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ConnectionHost& host, Places::Number number, std::unique_ptr<Transport> transport,
             boost::asio::any_io_executor executor, Credentials peer);

  void start();
  void close();
  /// Of the request that is being answered; null: none is.
  const Caller* caller() const { return has_turn() ? &caller_ : nullptr; }

  // ---- for the Exchange of a turn, which is one request's; of another turn they do nothing.

  using Turn = std::uint64_t;
  bool is_over(Turn turn) const { return turn != turn_ || !(stage_ == Stage::answering || stage_ == Stage::begun); }
  bool become_stream(Turn turn);
  void finish(Turn turn, HttpResponse response);
  void begin(Turn turn, HttpResponse response);
  void send(Turn turn, std::string_view bytes);
  void end(Turn turn);
  void ask(Turn turn, const io::Asker& asker, io::Message question, std::function<void(AnswerLine)> on_line);
  void after(Turn turn, Millis delay, std::function<void()> then);
  void on_drained(Turn turn, std::function<void()> then);
  void on_gone(Turn turn, std::function<void()> then);
  std::size_t unread() const { return writing_.size() - written_ + queued_.size(); }
  /// Nobody will answer.
  void abandon(Turn turn);

 private:
  enum class Stage { shaking, idle, reading, answering, begun, finishing, lingering, closed };
  bool has_turn() const { return stage_ == Stage::answering || stage_ == Stage::begun; }

  void read();
  void on_read(boost::system::error_code error, std::size_t size);
  void take_input();
  void on_head();
  void on_whole();
  void refuse(HttpResponse response);
  void wait_for_request();
  void end_turn();
  void queue(std::string_view bytes);
  void write();
  void written(std::size_t size);
  void all_written();
  void linger();
  void arm(Millis limit);
  void disarm();
  void on_time();

  ConnectionHost& host_;
  const Places::Number number_;
  const std::unique_ptr<Transport> transport_;
  boost::asio::steady_timer timer_;
  const Credentials peer_;
  Stage stage_ = Stage::shaking;
  std::array<char, 4096> chunk_{};
  bool reads_ = false, keep_alive_ = true, is_head_only_ = false,
       is_chunked_ = false;  // of the request, the last three
  std::optional<RequestReader> reader_;
  std::string input_, queued_, writing_;
  std::size_t written_ = 0, dropped_ = 0;  // of writing_; of what came while lingering
  Received received_;
  Caller caller_;
  bool is_stream_ = false;
  Turn turn_ = 0;
  std::vector<std::weak_ptr<AnswerCrossing>> asked_;
  std::function<void()> on_drained_, on_gone_;
};

}  // namespace ballot::web

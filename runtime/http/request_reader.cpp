#include "http/request_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

namespace ballot::web {
namespace {

namespace beast_http = boost::beast::http;

/// A body in chunks of a byte each is six times as long as what is in them.
constexpr std::size_t most_chunk_overhead = 8;

/// A line of a head that begins with white space goes on with the one before it: RFC 9112, 5.2, lets a server refuse
/// that, as readers differ in it.
bool has_folded_line(std::string_view head) {
  return head.find("\n ") != std::string_view::npos || head.find("\n\t") != std::string_view::npos;
}

}  // namespace

RequestReader::RequestReader(const HttpLimits& limits) : limits_(limits) {
  parser_.header_limit(static_cast<std::uint32_t>(limits.head_bytes));
  parser_.body_limit(limits.body_bytes);
}

RequestReader::Step RequestReader::feed(std::string& buffer) {
  if (state_ == State::fault) return Step::fault;
  while (true) {
    if (parser_.is_done() && state_ != State::head) return Step::whole;
    if (buffer.empty()) return Step::needs_more;
    boost::system::error_code error;
    const std::size_t used = parser_.put(boost::asio::buffer(buffer), error);
    const bool is_folded = state_ == State::head && has_folded_line(std::string_view(buffer).substr(0, used));
    buffer.erase(0, used);
    taken_ += used;
    if (error && error != beast_http::error::need_more) return failed(error);
    if (is_folded) return failed({400, "a header goes on in a line of its own"});
    if (taken_ + buffer.size() > limits_.head_bytes + most_chunk_overhead * limits_.body_bytes)
      return failed({413, "the body comes in chunks that are too small"});
    const bool has_head = parser_.is_header_done();
    if (has_head && state_ == State::head) {
      state_ = State::body;
      return Step::head;
    }
    if (!error) continue;
    if (buffer.size() >= limits_.head_bytes)
      return failed({has_head ? 400 : 431, has_head ? "a chunk's first line is too long" : "the head is too long"});
    return Step::needs_more;
  }
}

RequestReader::Step RequestReader::failed(HeadFault fault) {
  state_ = State::fault;
  fault_ = std::move(fault);
  return Step::fault;
}

RequestReader::Step RequestReader::failed(const boost::system::error_code& error) {
  using E = beast_http::error;
  if (error == E::header_limit)
    return failed({431, "the head has more than " + std::to_string(limits_.head_bytes) + " bytes"});
  if (error == E::body_limit || error == E::buffer_overflow)
    return failed({413, "the body has more than " + std::to_string(limits_.body_bytes) + " bytes"});
  if (error == E::bad_version) return failed({505, "this server speaks HTTP/1.1"});
  return failed({400, "this is no request of HTTP: " + error.message()});
}

}  // namespace ballot::web

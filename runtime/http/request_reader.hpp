// RequestReader: one request, read from bytes as they come: its head first, so that it can be refused before its body
// is taken, then the body.
//
//   state | feed()                                    | next
//   head  | the empty line has come                   | body; returns `head`
//   body  | its last byte has come, or it has none    | body; returns `whole`
//   any   | what is no HTTP, or more than may be      | fault; returns `fault`
//
// Pure: bytes in, a request out.
//
//   RequestReader reader(limits);
//   while (true) switch (reader.feed(buffer)) ...       // takes from the front of `buffer` what it has used
#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>

#include "http/http_limits.hpp"
#include "http/request_head.hpp"

namespace ballot::web {

class RequestReader {
 public:
  explicit RequestReader(const HttpLimits& limits);

  enum class Step { needs_more, head, whole, fault };
  Step feed(std::string& buffer);

  /// Once there is a head.
  const HttpFields& fields() const { return parser_.get().base(); }
  bool keep_alive() const { return parser_.get().version() == 11 && parser_.keep_alive(); }
  /// Once it is whole.
  std::string take_body() { return std::move(parser_.get().body()); }
  const HeadFault& fault() const { return fault_; }

 private:
  enum class State { head, body, fault };
  Step failed(HeadFault fault);
  Step failed(const boost::system::error_code& error);

  const HttpLimits& limits_;
  boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
  std::size_t taken_ = 0;  // bytes
  State state_ = State::head;
  HeadFault fault_;
};

}  // namespace ballot::web

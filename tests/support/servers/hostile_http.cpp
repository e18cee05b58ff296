#include "support/servers/hostile_http.hpp"

namespace ballot::testing {

namespace {

using Talk = HttpPeer::Talk;

constexpr std::size_t largest_json = 19 * 512 * 1024;  // of a list, that is taken
const std::string chunked = "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string all;
  all.reserve(bytes + part.size());
  while (all.size() < bytes) all += part;
  return all;
}

/// `head`, then `part` again and again.
HttpPeer::Handler endless(const std::string& head, const std::string& part) {
  return [head, parts = repeated(part, 256 * 1024)](Talk& talk) {
    talk.send(head);
    for (std::size_t sent = 0; sent < HostileAnswer::most_bytes && !talk.is_closed(); sent += parts.size())
      talk.send(parts);
    talk.close();
  };
}

HttpPeer::Handler answers(int status, const std::string& begin, const std::string& part, const std::string& end) {
  return [=, parts = repeated(part, 64 * 1024)](Talk& talk) {
    const std::size_t times = largest_json / parts.size();
    talk.send("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\nContent-Length: " +
              std::to_string(begin.size() + times * parts.size() + end.size()) + "\r\n\r\n" + begin);
    for (std::size_t i = 0; i < times; ++i) talk.send(parts);
    talk.send(end);
  };
}

}  // namespace

const std::vector<HostileAnswer>& hostile_answers() {
  static const std::string extension = "1;x=" + std::string(60'000, 'y') + "\r\n{\r\n";
  static const std::vector<HostileAnswer> all{
      {"headers", endless("HTTP/1.1 200 X\r\n", "A: " + std::string(1000, 'x') + "\r\n")},
      {"one_header", endless("HTTP/1.1 200 X\r\nA: ", "x")},
      {"a_chunk_extension", endless(chunked + "1;x=", "y")},
      {"chunks_with_extensions", endless(chunked, extension)},
      {"trailers", endless(chunked + "1\r\n{\r\n0\r\n", "A: " + std::string(1000, 'x') + "\r\n")},
      {"a_body", endless("HTTP/1.1 200 X\r\nContent-Length: 1000000000000\r\n\r\n", "x")},
      {"a_body_without_length", endless("HTTP/1.1 200 X\r\n\r\n", "x")},
      {"chunks", endless(chunked, "10\r\n0123456789abcdef\r\n")},
      {"empty_lines", endless(chunked, "10\r\n" + std::string(16, '\n') + "\r\n")},
      {"interim_answers", endless("", "HTTP/1.1 100 Continue\r\n\r\n")},
      {"json_of_zeros", answers(200, "[", "0,", "0]")},
      {"json_of_members", answers(200, "{", "\"\":0,", "\"a\":0}")},
      {"json_without_end", answers(200, "", "[", "")},
      {"json_of_one_text", answers(200, "{\"error\":\"", "x", "\"}")},
      {"an_error_of_megabytes", answers(500, "{\"error\":\"", "x\\n", "\",\"message\":\"y\"}")},
      {"a_refusal_of_megabytes", answers(403, "{\"error\":\"", "permission denied ", "\",\"code\":7}")},
  };
  return all;
}

}  // namespace ballot::testing

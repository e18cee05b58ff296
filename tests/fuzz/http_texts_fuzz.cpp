// What is within answers of HTTP: JSON, base64, lines of a stream.
#include "harness.hpp"
#include "http_client/base64.hpp"
#include "http_client/json.hpp"
#include "http_client/line_splitter.hpp"

namespace ballot::fuzz::http_texts_harness {
namespace {

using namespace http;

void split_lines(std::string_view input) {
  LineSplitter at_once, bit_by_bit;
  std::vector<std::string> whole, pieces;
  at_once.add(input, [&](std::string line) { whole.push_back(std::move(line)); });
  for (const std::string_view piece : in_pieces(input))
    bit_by_bit.add(piece, [&](std::string line) { pieces.push_back(std::move(line)); });
  require(whole == pieces && at_once.rest() == bit_by_bit.rest(), "it does not matter how lines are cut");
  for (const std::string& line : whole) require(line.find('\n') == std::string::npos, "a line is one", line);
}

void look_at_json(const json::value& value) {
  require(number_of(value) == 0 || !value.is_object(), "an object is no number");
  for (const json::value& one : array_of(value)) text_at(one, "key");
  json::serialize(value);
}

}  // namespace

BALLOT_FUZZ(http_texts) {
  require(from_base64(to_base64(input)) == input, "bytes come back from base64");
  if (const auto bytes = from_base64(input)) {
    require(bytes->size() <= input.size() / 4 * 3, "base64 is longer than what it is of");
    require(from_base64(to_base64(*bytes)) == bytes, "base64 is read as it is written");
  }
  split_lines(input);
  look_at_json(parse_json(input));
}

}  // namespace ballot::fuzz::http_texts_harness

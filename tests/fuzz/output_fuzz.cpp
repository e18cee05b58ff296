// What a child prints: how much of it is kept, and what of that is shown. The first byte says how much.
#include "base/kept_output.hpp"
#include "harness.hpp"

namespace ballot::fuzz::output_harness {

BALLOT_FUZZ(output) {
  if (input.empty()) return;
  const auto limit = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  KeptOutput whole(limit), pieces(limit);
  whole.append(input);
  for (const std::string_view piece : in_pieces(input)) pieces.append(piece);
  std::string shown;
  for (std::int64_t at = 0; at < pieces.total();) {
    const OutputPiece piece = pieces.piece(at, 1 + limit / 3);
    require(piece.begin >= at && piece.end() <= pieces.total(), "a piece is later than what was shown");
    require(input.substr(static_cast<std::size_t>(piece.begin), piece.bytes.size()) == piece.bytes,
            "a piece stands where it was printed");
    shown += piece.bytes;
    if (piece.end() == at) break;
    at = piece.end();
  }
  const Output one = whole.take(), other = pieces.take();
  require(one.head == other.head && one.tail == other.tail && one.total_bytes == other.total_bytes,
          "it does not matter how an output is cut");
  require(one.head.size() + one.tail.size() <= limit && one.left_out() >= 0, "no more is kept than may be");
  require(one.left_out() > 0 || one.head + one.tail == input, "a short output is kept whole");
  require(shown == one.head + one.tail, "what is kept is shown");
}

}  // namespace ballot::fuzz::output_harness

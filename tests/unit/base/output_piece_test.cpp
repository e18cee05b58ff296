#include "base/output_piece.hpp"

#include <gtest/gtest.h>

namespace ballot {
namespace {

constexpr std::size_t much = 1000;

TEST(OutputPiece, GoesFromTheHeadToTheTail) {
  const Output output{"head", "tail", 100};
  EXPECT_EQ(piece_of(output, 1, much).bytes, "ead");
  EXPECT_EQ(piece_of(output, 1, 2).bytes, "ea");
  const OutputPiece tail = piece_of(output, 4, much);
  EXPECT_EQ(tail.begin, 96) << "what lies between is gone";
  EXPECT_EQ(tail.bytes, "tail");
  EXPECT_EQ(tail.end(), 100);
  EXPECT_EQ(piece_of(output, 98, much).bytes, "il");
}

TEST(OutputPiece, IsEmptyAtTheEnd) {
  EXPECT_EQ(piece_of(Output{"head", "", 4}, 4, much).bytes, "");
  EXPECT_EQ(piece_of(Output{"head", "", 4}, 99, much).begin, 4) << "more was never printed";
  EXPECT_EQ(piece_of(Output{}, 0, much).end(), 0);
}

TEST(OutputPiece, TakesATailInTwoParts) {
  EXPECT_EQ(piece_of("he", "ta", "il", 10, 2, much).bytes, "ta");
  EXPECT_EQ(piece_of("he", "ta", "il", 10, 8, much).bytes, "il");
  EXPECT_EQ(piece_of("he", "ta", "il", 10, 9, much).bytes, "l");
}

TEST(OutputPiece, SaysOfDiscardedOutputHowMuchItWas) {
  const OutputPiece piece = piece_of(Output{"", "", 70}, 0, much);
  EXPECT_EQ(piece.begin, 70);
  EXPECT_EQ(piece.bytes, "");
}

}  // namespace
}  // namespace ballot

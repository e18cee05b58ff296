#include "storage/record.hpp"

#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

TEST(Record, ReadsBackEveryFieldOfARow) {
  const std::optional<Record> read = decode(encode(full_row()));
  ASSERT_TRUE(read);
  EXPECT_TRUE(same(std::get<Row>(*read), full_row()));
  const Row bare = missed(noon);
  EXPECT_TRUE(same(std::get<Row>(*decode(encode(bare))), bare));
}

TEST(Record, KeepsTheStatusesAndReasonsOfANewerVersion) {
  for (const char* word : {"solar_flare", "57"}) {
    Row row = full_row();
    row.status = Named<Status>::parse(word).value();
    row.reason = Named<Reason>::parse(word).value();
    for (const Record& record : {Record(row), Record(EvidenceRow{row})}) {
      const auto read = decode(encode(record));
      ASSERT_TRUE(read);
      const Row* back = std::get_if<Row>(&*read);
      if (!back) back = &std::get<EvidenceRow>(*read).row;
      EXPECT_TRUE(same(*back, row));
      EXPECT_EQ(back->reason.text(), word);
    }
  }
}

/// A daemon that is set back to an older version finds its spool.
TEST(Record, IsAsItAlwaysWasWhereTheWordsAreKnown) {
  const std::string bytes = encode(full_row());
  EXPECT_EQ(bytes[0], 1);
  Row newer = full_row();
  newer.reason = Named<Reason>::parse("solar_flare").value();
  EXPECT_EQ(encode(newer)[0], 2);
}

TEST(Record, ReadsBackTermsAndOutput) {
  const TermRow term{"nightly", "host-2", 9, noon, noon + Millis(1), Cause::superseded};
  const TermRow read = std::get<TermRow>(*decode(encode(term)));
  EXPECT_EQ(read.group, "nightly");
  EXPECT_EQ(read.node, "host-2");
  EXPECT_EQ(read.epoch, 9u);
  EXPECT_EQ(read.elected_at, noon);
  EXPECT_EQ(read.ended_at, noon + Millis(1));
  EXPECT_EQ(read.cause, Cause::superseded);

  const OutputRecord printed{run_id(1), 2, {std::string("he\0ad", 5), "tail", 999}};
  const OutputRecord back = std::get<OutputRecord>(*decode(encode(printed)));
  EXPECT_EQ(back.run, run_id(1));
  EXPECT_EQ(back.attempt, 2);
  EXPECT_EQ(back.output.head, std::string("he\0ad", 5));
  EXPECT_EQ(back.output.tail, "tail");
  EXPECT_EQ(back.output.total_bytes, 999);
}

TEST(Record, ReadsBackEveryFieldOfADefinition) {
  const DefinitionRow definition = full_definition();
  EXPECT_EQ(std::get<DefinedRow>(*decode(encode(DefinedRow{definition}))).row, definition);
  const std::string bytes = encode(definition);
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode(bytes.substr(0, size))) << size;
}

TEST(Record, RefusesWhatIsCutShortTooLongOrOfAnotherVersion) {
  const std::string bytes = encode(full_row());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode(bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode(bytes + '\0'));
  std::string newer = bytes;
  newer[0] = 3;
  EXPECT_FALSE(decode(newer));
}

/// Whoever reads it goes by tables of what there is.
TEST(Record, RefusesNumbersThatAreNoneOfTheirFields) {
  const auto reads = [](auto record, auto change) {
    change(record);
    return decode(encode(record)).has_value();
  };
  const Row row = full_row();
  EXPECT_FALSE(reads(row, [](Row& r) { r.trigger = static_cast<Trigger>(7); }));
  EXPECT_FALSE(reads(row, [](Row& r) { r.leftover = static_cast<Leftover>(-1); }));
  const TermRow term{"nightly", "host-2", 9, noon, noon, Cause::superseded};
  EXPECT_FALSE(reads(term, [](TermRow& t) { t.cause = static_cast<Cause>(9); }));
  EXPECT_TRUE(reads(term, [](TermRow& t) { t.cause = Cause::unfit; }));
  std::string bytes = encode(term);
  bytes[bytes.size() - 24] = 2;  // whether it has ended
  EXPECT_FALSE(decode(bytes));
}

TEST(Record, HasTheUsualCrc32) { EXPECT_EQ(crc32("123456789"), 0xcbf43926u); }

}  // namespace
}  // namespace ballot::storage

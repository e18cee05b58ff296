#include "support/judge/evidence.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "right_evidence.hpp"
#include "storage/ledger.hpp"
#include "support/judge/oracle.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {
namespace {

void write_ledger(const std::string& path, const NodeLedger& content) {
  storage::LedgerHooks hooks;
  hooks.now = [] { return slot(3600); };
  storage::Ledger ledger({.path = path}, hooks);
  for (const Row& row : content.rows) ledger.record(row);
  for (const TermRow& term : content.terms) ledger.record(term);
}

TEST(Evidence, ReadsALedgersRowsAndTerms) {
  const TempFolder folder;
  const NodeLedger written = right_evidence().ledgers[0];
  write_ledger(folder / "history.db", written);
  const NodeLedger read = read_ledger("n1", folder / "history.db");
  EXPECT_EQ(read.damage, std::vector<std::string>{});
  EXPECT_EQ(read.node, "n1");
  EXPECT_EQ(read.rows.size(), written.rows.size());
  ASSERT_EQ(read.terms.size(), 1u);
  EXPECT_EQ(read.terms[0].epoch, 1u);
}

TEST(Evidence, OfADamagedOrMissingLedgerIsItsDamage) {
  const TempFolder folder;
  EXPECT_EQ(read_ledger("n1", folder / "history.db").damage.size(), 1u);
  NodeLedger content = right_evidence().ledgers[0];
  for (int i = 10; i < 200; ++i) content.rows.push_back(row_of(i, i, "n1", 1));
  write_ledger(folder / "history.db", content);
  ASSERT_EQ(integrity_of(folder / "history.db"), std::vector<std::string>{});
  std::fstream file(folder / "history.db", std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(folder / "history.db"));
  for (std::streamoff at = 4096; at < size; at += 512) file.seekp(at), file << "damage";
  file.close();
  EXPECT_FALSE(read_ledger("n1", folder / "history.db").damage.empty());
}

TEST(Evidence, TakesJobsFromTheirFilesAndSeesWhichAreProbed) {
  const TempFolder folder;
  const Oracle oracle(folder / "oracle");
  std::filesystem::create_directory(folder / "jobs.d");
  folder.write("jobs.d/a.toml", "[job.a]\nschedule = \"* * * * *\"\n" + oracle.command());
  folder.write("jobs.d/b.toml", "[job.b]\ncommand = [\"/bin/true\"]\n");
  const auto jobs = jobs_in(folder / "jobs.d");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_TRUE(jobs[0].probed);
  EXPECT_FALSE(jobs[1].probed);
  EXPECT_FALSE(jobs[0].definition->plan.empty());
  folder.write("jobs.d/b.toml", "[job.b]\ncommand = 5\n");
  EXPECT_THROW(jobs_in(folder / "jobs.d"), std::runtime_error);
}

}  // namespace
}  // namespace ballot::testing

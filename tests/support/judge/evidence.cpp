#include "support/judge/evidence.hpp"

#include <set>
#include <stdexcept>

#include "config/jobs_dir.hpp"
#include "storage/database.hpp"
#include "storage/reader.hpp"
#include "storage/sqlite_error.hpp"
#include "storage/statement.hpp"

namespace ballot::testing {
namespace {

std::set<std::string> groups_with_terms(const std::string& path) {
  std::set<std::string> groups;
  storage::Database db(path, storage::Open::read);
  storage::Statement query(db, "SELECT DISTINCT text FROM term JOIN name ON id = group_id");
  for (auto found = query.start(); found.step();) groups.emplace(found.text(0));
  return groups;
}

void read_rows(const std::string& path, NodeLedger& ledger) {
  auto reader = storage::Reader::open(path);
  if (!reader) throw std::runtime_error(reader.error().what);
  const auto read = reader->history({.limit = std::nullopt}, [&](const Row& row) {
    ledger.rows.push_back(row);
    return true;
  });
  if (!read) throw std::runtime_error(read.error().what);
  for (const std::string& group : groups_with_terms(path)) {
    const auto terms = reader->terms(group, 1'000'000);
    if (!terms) throw std::runtime_error(terms.error().what);
    ledger.terms.insert(ledger.terms.end(), terms->begin(), terms->end());
  }
}

}  // namespace

std::vector<InForce> jobs_in(const std::string& jobs_dir) {
  config::JobsDir folder(jobs_dir, {});
  folder.reload();
  std::string wrong;
  for (const auto& diagnostic : folder.set().diagnostics) wrong += diagnostic.text() + "\n";
  if (config::has_errors(folder.set().diagnostics)) throw std::runtime_error(wrong);
  std::vector<InForce> jobs;
  for (const schedule::DefinitionPtr& definition : folder.set().definitions)
    jobs.push_back({.definition = definition, .probed = definition->job.command->at(0) == BALLOT_PROBE});
  return jobs;
}

NodeLedger read_ledger(const std::string& node, const std::string& path) {
  NodeLedger ledger{.node = node, .rows = {}, .terms = {}, .damage = integrity_of(path)};
  if (!ledger.damage.empty()) return ledger;
  try {
    read_rows(path, ledger);
  } catch (const std::exception& error) {
    ledger.damage.push_back(path + ": " + error.what());
  }
  return ledger;
}

std::vector<std::string> integrity_of(const std::string& path) {
  std::vector<std::string> damage;
  try {
    storage::Database db(path, storage::Open::read);
    db.wait_for_locks(std::chrono::seconds(5));
    storage::Statement check(db, "PRAGMA integrity_check");
    for (auto found = check.start(); found.step();)
      if (found.text(0) != "ok") damage.push_back(path + ": " + std::string(found.text(0)));
  } catch (const storage::SqliteError& error) {
    damage.push_back(path + ": " + error.what());
  }
  return damage;
}

}  // namespace ballot::testing

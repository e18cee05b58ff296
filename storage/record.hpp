// Record: one thing that the ledger is to store, and its form in the spool.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "ballot/job.hpp"
#include "ballot/ledger.hpp"

namespace ballot::storage {

struct OutputRecord {
  RunId run;
  int attempt = 0;
  Output output;
};

/// A row that counts only where nothing is known of its slot; one of a range, for those of its slots.
struct EvidenceRow {
  Row row;
};

/// A definition, whose keys are made where it is stored: ten thousand texts would leave as many holes in the heap of
/// the loop's thread.
struct DefinedRow {
  DefinedRow() = default;
  DefinedRow(DefinitionRow of, std::shared_ptr<const Job> with = nullptr) : row(std::move(of)), job(std::move(with)) {}

  DefinitionRow row;
  std::shared_ptr<const Job> job = {};  // whose keys the row has not yet; null: it has them, or has none
};

using Record =
    std::variant<Row, TermRow, OutputRecord, EvidenceRow, DefinedRow, KnownRow, PauseRow, RequestRow, AnswerRow>;

/// Bytes that a record occupies beside its struct: what many of them cost in memory.
std::size_t weight(const Record& record);

/// Begins with a version and a kind; integers are little-endian, texts have their length in front.
std::string encode(const Record& record);
/// nullopt if the bytes are no record of a version that this ballot knows.
std::optional<Record> decode(std::string_view bytes);

/// CRC-32 (IEEE 802.3), what guards a frame of the spool.
std::uint32_t crc32(std::string_view bytes);

}  // namespace ballot::storage

// The ledger's values as they go over the control socket: each is an object of a Message. Times are milliseconds since
// 1970; what is absent is left out.
//
// Pure. What is read may come from anybody: a value that is none of its type is an error.
//
//   message.set("rows", to_messages(rows));
//   auto rows = rows_from(message, "rows");
#pragma once

#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "io/message.hpp"
#include "library/history/ledger_view.hpp"
#include "storage/filter.hpp"

namespace ballot::library {

io::Message to_message(const Row& row);
Result<Row> row_from(const io::Message& message);
std::vector<io::Message> to_messages(const std::vector<Row>& rows);
/// The list of that name.
Result<std::vector<Row>> rows_from(const io::Message& message, const std::string& name);

io::Message to_message(const RowKey& key);
Result<RowKey> row_key_from(const io::Message& message);
/// Of a question. None: it has none, or one that is no time.
std::optional<WallTime> slot_from(const io::Message& message);

io::Message to_message(const MissingNode& missing);
MissingNode missing_from(const io::Message& message);

io::Message to_message(const TermRow& term);
Result<TermRow> term_from(const io::Message& message);

io::Message to_message(const UsualTime& usual);
UsualTime usual_time_from(const io::Message& message);

io::Message to_message(const storage::Filter& filter);
Result<storage::Filter> filter_from(const io::Message& message);

io::Message to_message(const storage::Position& position);
storage::Position position_from(const io::Message& message);

/// The output's bytes as hexadecimal digits.
io::Message to_message(const ShownOutput& shown);
Result<ShownOutput> output_from(const io::Message& message);

io::Message to_message(const AuditResult& result);
Result<AuditResult> audit_from(const io::Message& message);

}  // namespace ballot::library

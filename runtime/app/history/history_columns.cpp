#include "app/history/history_columns.hpp"

#include <cstring>

#include "library/shown/values.hpp"

namespace ballot::app {
namespace {

Cell integer_cell(const std::optional<int>& value) { return value ? Cell(std::int64_t{*value}) : Cell(); }

Cell short_run_cell(const std::optional<RunId>& run) { return run ? Cell(Uncut{short_id(*run)}) : Cell(); }

/// "0", "1", "KILL".
Cell end_cell(const Row& row) {
  const char* name = row.signal ? ::sigabbrev_np(*row.signal) : nullptr;
  return name != nullptr ? Cell(std::string(name)) : integer_cell(row.exit_code ? row.exit_code : row.signal);
}

/// "running"; of evidence "claimed (store)".
Cell status_cell(const Row& row, RowSource source) {
  const std::string status(to_string(row.status));
  return Uncut{source == RowSource::store ? status + " (store)" : status};
}

std::vector<Cell> table_cells(const Row& row, const LocalTimes& times, RowSource source) {
  return {row.job,
          status_cell(row, source),
          short_run_cell(row.run),
          times.slot(row.job, row.slot),
          word(to_string(row.reason)),
          end_cell(row),
          cell(row.duration),
          std::int64_t{row.attempt},
          word(row.node),
          row.slots};
}

}  // namespace

Cell cell_of(const io::Message& shown, const std::string& name) {
  if (const auto number = shown.integer(name)) return *number;
  return cell(shown.text(name));
}

std::vector<Column> history_columns(Format format) {
  if (format == Format::table)
    return {{"job", "JOB", Tint::plain, Room::stays},
            {"status", "STATUS", Tint::by_word, Room::stays},
            {"run_id", "RUN", Tint::plain, Room::stays},
            {"slot", "SLOT", Tint::plain, Room::stays},
            {"reason", "REASON"},
            {"exit", "EXIT"},
            {"duration_ms", "DURATION"},
            {"attempt", "ATTEMPT", Tint::plain, Room::stays},
            {"node", "NODE", Tint::plain, Room::stays},
            {"slots", "SLOTS"}};
  std::vector<Column> columns{
      {"run_id", ""},       {"job", ""},      {"group", ""},      {"slot", ""},         {"slot_until", ""},
      {"slots", ""},        {"trigger", ""},  {"attempt", ""},    {"status", ""},       {"reason", ""},
      {"exit_code", ""},    {"signal", ""},   {"started_at", ""}, {"ended_at", ""},     {"duration_ms", ""},
      {"node", ""},         {"epoch", ""},    {"fence", ""},      {"output_bytes", ""}, {"leftover", ""},
      {"triggered_by", ""}, {"ended_by", ""}, {"paused_by", ""},  {"resumed_by", ""},   {"env", ""}};
  if (format == Format::csv) columns.push_back({"evidence", ""});
  return columns;
}

std::vector<Cell> history_cells(const Row& row, Format format, const LocalTimes& times, RowSource source) {
  if (format == Format::table) return table_cells(row, times, source);
  const io::Message shown = library::shown(row);
  std::vector<Cell> cells;
  for (const Column& column : history_columns(format))
    cells.push_back(column.name == "env" ? word(*row.env) : cell_of(shown, column.name));
  if (format == Format::csv && source == RowSource::store) cells.back() = std::string("store");
  return cells;
}

void write_row(RecordWriter& out, const Row& row, Format format, const LocalTimes& times, RowSource source) {
  std::vector<Cell> cells = history_cells(row, format, times, source);
  if (source == RowSource::ledger || format != Format::json) return out.row(std::move(cells));
  const std::vector<Column> columns = history_columns(format);
  RecordWriter::Fields fields;
  for (std::size_t i = 0; i < columns.size(); ++i) fields.emplace_back(columns[i].name, std::move(cells[i]));
  fields.emplace_back("evidence", std::string("store"));
  out.remark(fields);
}

}  // namespace ballot::app

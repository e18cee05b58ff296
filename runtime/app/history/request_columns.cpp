#include "app/history/request_columns.hpp"

#include "app/history/history_columns.hpp"
#include "library/history/standing_pauses.hpp"
#include "library/shown/values.hpp"

namespace ballot::app {

std::vector<Column> request_columns(Format format) {
  if (format == Format::table)
    return {{"at", "AT"},         {"kind", "REQUEST"}, {"job", "JOB"},   {"group", "GROUP"}, {"by", "BY"},
            {"result", "RESULT"}, {"run_id", "RUN"},   {"node", "NODE"}, {"text", "TEXT"}};
  std::vector<Column> columns{{"request_id", ""}, {"at", ""},     {"kind", ""},        {"job", ""},
                              {"group", ""},      {"run_id", ""}, {"by", ""},          {"node", ""},
                              {"result", ""},     {"text", ""},   {"answered_at", ""}, {"env", ""}};
  if (format == Format::csv) columns.push_back({"evidence", ""});
  return columns;
}

std::vector<Cell> request_cells(const RequestRow& request, Format format, const LocalTimes& times) {
  const auto run = library::run_of(request);
  if (format == Format::table)
    return {times.slot(request.job, request.at),
            word(request.kind),
            word(request.job),
            word(request.group),
            word(request.by),
            word(request.result),
            run ? Cell(Uncut{short_id(*run)}) : Cell(),
            word(request.node),
            word(request.text)};
  const io::Message shown = library::shown(request);
  std::vector<Cell> cells;
  for (const Column& column : request_columns(format))
    cells.push_back(column.name == "env" ? word(request.env) : cell_of(shown, column.name));
  return cells;
}

void write_request(RecordWriter& out, const RequestRow& request, Format format, const LocalTimes& times) {
  if (!library::is_of_store(request)) return out.row(request_cells(request, format, times));
  RequestRow row = request;
  if (format == Format::table) row.result += " (store)";
  std::vector<Cell> cells = request_cells(row, format, times);
  if (format != Format::json) return out.row(std::move(cells));
  const std::vector<Column> columns = request_columns(format);
  RecordWriter::Fields fields;
  for (std::size_t i = 0; i < columns.size(); ++i) fields.emplace_back(columns[i].name, std::move(cells[i]));
  fields.emplace_back("evidence", std::string("store"));
  out.remark(fields);
}

}  // namespace ballot::app

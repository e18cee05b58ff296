#include "app/request_columns.hpp"

#include "app/history_columns.hpp"
#include "library/shown/values.hpp"

namespace ballot::app {

std::vector<Column> request_columns(Format format) {
  if (format == Format::table)
    return {{"at", "AT"},         {"kind", "REQUEST"}, {"job", "JOB"},   {"group", "GROUP"}, {"by", "BY"},
            {"result", "RESULT"}, {"run_id", "RUN"},   {"node", "NODE"}, {"text", "TEXT"}};
  return {{"request_id", ""}, {"at", ""},   {"kind", ""},   {"job", ""},  {"group", ""},      {"run_id", ""},
          {"by", ""},         {"node", ""}, {"result", ""}, {"text", ""}, {"answered_at", ""}};
}

std::vector<Cell> request_cells(const RequestRow& request, Format format, const LocalTimes& times) {
  if (format == Format::table)
    return {times.slot(request.job, request.at),
            word(request.kind),
            word(request.job),
            word(request.group),
            word(request.by),
            word(request.result),
            request.run ? Cell(Uncut{short_id(*request.run)}) : Cell(),
            word(request.node),
            word(request.text)};
  const io::Message shown = library::shown(request);
  std::vector<Cell> cells;
  for (const Column& column : request_columns(format)) cells.push_back(cell_of(shown, column.name));
  return cells;
}

void write_request(RecordWriter& out, const ShownRequest& request, Format format, const LocalTimes& times) {
  if (!request.is_evidence) return out.row(request_cells(request.row, format, times));
  RequestRow row = request.row;
  if (format == Format::table) row.result += " (store)";
  std::vector<Cell> cells = request_cells(row, format, times);
  if (format == Format::table) return out.row(std::move(cells));
  cells.front() = Cell();  // it is not known
  if (format != Format::json) return out.row(std::move(cells));
  const std::vector<Column> columns = request_columns(format);
  RecordWriter::Fields fields;
  for (std::size_t i = 0; i < columns.size(); ++i) fields.emplace_back(columns[i].name, std::move(cells[i]));
  fields.emplace_back("evidence", std::string("store"));
  out.remark(fields);
}

}  // namespace ballot::app

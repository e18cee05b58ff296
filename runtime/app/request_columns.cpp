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

}  // namespace ballot::app

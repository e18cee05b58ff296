#include "app/history/definition_columns.hpp"

#include <algorithm>

#include "library/shown/definition_values.hpp"

namespace ballot::app {
namespace {

/// None: the definition is not the one that a file here has.
std::optional<config::JobPlace> place_of(const storage::DefinitionChange& change, const config::JobsDir& jobs) {
  const auto found = jobs.set().definitions.find(change.row.job);
  const bool is_here = found != jobs.set().definitions.end() && change.row.digest == (*found)->digest.text();
  return is_here ? jobs.place_of(change.row.job) : std::nullopt;
}

}  // namespace

std::vector<Column> definition_columns(Format format) {
  if (format == Format::table)
    return {{"at", "AT", Tint::plain, Room::stays},
            {"job", "JOB", Tint::plain, Room::stays},
            {"change", "CHANGE", Tint::plain, Room::stays},
            {"text", "WHAT", Tint::plain, Room::stays},
            {"nodes", "NODES"},
            {"file", "FILE"}};
  return {{"at"},    {"job"},    {"group"},         {"change"}, {"text"},
          {"nodes"}, {"digest"}, {"digest_before"}, {"file"},   {"line"}};
}

std::vector<Cell> definition_cells(const storage::DefinitionChange& change, const config::JobsDir& jobs, Format format,
                                   const LocalTimes& times) {
  const auto place = place_of(change, jobs);
  const Cell what = word(library::text_of(change)), kind = word(library::word_of(change)),
             nodes = word(joined(change.nodes));
  if (format == Format::table)
    return {times.slot(change.row.job, change.row.from),
            word(change.row.job),
            kind,
            what,
            nodes,
            place ? Cell(place->file + ":" + std::to_string(place->position.line)) : Cell()};
  return {change.row.from,
          word(change.row.job),
          word(change.row.group),
          kind,
          what,
          nodes,
          word(change.row.digest),
          word(change.before),
          place ? Cell(place->file) : Cell(),
          place ? Cell(std::int64_t{place->position.line}) : Cell()};
}

}  // namespace ballot::app

// Definitions of jobs that began, as `history --definitions` prints them.
#pragma once

#include <vector>

#include "app/print/format.hpp"
#include "app/print/local_times.hpp"
#include "config/jobs_dir.hpp"
#include "storage/definition_merge.hpp"

namespace ballot::app {

/// In JSON and CSV under the names of the API; in a table the most useful ones.
std::vector<Column> definition_columns(Format format);

/// In that order. `jobs`: the files as they are read here, which say where a definition is that is in force still.
std::vector<Cell> definition_cells(const storage::DefinitionChange& change, const config::JobsDir& jobs, Format format,
                                   const LocalTimes& times);

}  // namespace ballot::app

/// \file
/// Concurrency: what becomes of a slot that is due while a run of its job goes on.
#pragma once

#include <cstdint>

namespace ballot {

/// As `concurrency` of docs/jobs.md has it.
enum class Concurrency : std::uint8_t {
  skip,     ///< the slot is skipped: overlap
  queue,    ///< it waits for the run's end
  replace,  ///< the run is ended for it
  allow     ///< it runs beside it
};

}  // namespace ballot

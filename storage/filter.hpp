// Filter, RequestFilter: what `history` and `history --requests` ask for. Empty lists and absent values mean any.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot::storage {

/// Where a page of rows ended; the next one begins after it. The id means something to one ledger only; a position in
/// the rows of several nodes says of which one.
struct Position {
  WallTime slot{};
  int attempt = 0;
  std::int64_t id = 0;
  std::string ledger = {};  // "": of the ledger that was asked
  bool operator==(const Position&) const = default;
};

struct Filter {
  std::vector<std::string> jobs = {};
  std::vector<std::string> groups = {};
  std::vector<std::string> nodes = {};
  std::vector<Status> statuses = {};
  std::vector<Reason> reasons = {};
  std::optional<RunId> run = {};
  std::optional<WallTime> since = {};      // inclusive, on the slot
  std::optional<WallTime> until = {};      // exclusive, on the slot
  std::optional<Position> after = {};      // what history() returned for the page before
  std::optional<std::int64_t> limit = 50;  // nullopt: all
};

/// Of runs that ended badly.
inline constexpr std::array ended_badly{Status::failed, Status::timed_out, Status::killed, Status::lost};

/// Where a page of requests ended; it means the same to every ledger.
struct RequestPosition {
  WallTime at{};
  RunId id;
};

struct RequestFilter {
  std::vector<std::string> jobs = {};
  std::vector<std::string> groups = {};  // requests of these groups, and of their jobs
  std::vector<std::string> nodes = {};   // that took them up
  std::vector<std::string> kinds = {};   // "trigger", "kill", ...
  std::string by = {};                   // whole words of who asked: "uid 1000", "token ci", "host-2"
  std::optional<RunId> run = {};         // that it made, killed or closed
  std::optional<WallTime> since = {};    // inclusive, on when it was taken up
  std::optional<WallTime> until = {};    // exclusive
  std::optional<RequestPosition> after = {};
  std::optional<std::int64_t> limit = 50;  // nullopt: all
};

}  // namespace ballot::storage

// A leader's file: what scripts ask whether this node leads, which others may have written.
#include "harness.hpp"
#include "io/leader_file.hpp"
#include "scratch.hpp"

namespace ballot::fuzz::leader_file_harness {

BALLOT_FUZZ(leader_file) {
  const std::string path = scratch_file("leader", input);
  const SteadyTime now{Millis(1000)};
  const auto read = io::check_leader_file(path, "db", now, "boot");
  if (!read) return require(read.error().what.size() < 8192, "an error is no longer than the file");
  require(read->group == "db" && read->boot_id == "boot" && read->deadline > now, "it is of this group, boot and time");
  require(static_cast<bool>(io::write_leader_file(path, *read)), "it can be written");
  const auto again = io::check_leader_file(path, "db", now, "boot");
  require(again && again->node == read->node && again->epoch == read->epoch && again->deadline == read->deadline,
          "what is written is read as the same", read->node);
}

}  // namespace ballot::fuzz::leader_file_harness

// The session's file, from which `ballot resign` leaves on behalf of a dead daemon.
#include "harness.hpp"
#include "library/session_file.hpp"
#include "scratch.hpp"

namespace ballot::fuzz::session_file_harness {
namespace {

std::string session_text(const library::SessionFile& file) {
  const std::string path = scratch() / "session-again";
  require(static_cast<bool>(library::write_session_file(path, file)), "it can be written");
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

BALLOT_FUZZ(session_file) {
  const auto read = library::read_session_file(scratch_file("session", input, 0600));
  if (!read) return require(read.error().code == Errc::corrupt, "it is none", read.error().what);
  require(!read->backend.empty(), "it names its backend");
  const config::Config config = library::config_of(*read);
  require(config.coordination.session_timeout.value_or(Millis(1)) > Millis(0), "a time-out is more than nothing");
  const std::string text = session_text(*read);
  const auto again = library::read_session_file(scratch() / "session-again");
  require(again && session_text(*again) == text, "what is written is read as the same", text);
}

}  // namespace ballot::fuzz::session_file_harness

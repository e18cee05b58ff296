// Journal: systemd's, for what a program whose standard error is the journal anyway has to say: by the journal's own
// protocol (a datagram to its socket), so that a line's level and fields are an entry's priority and fields.
//
//   if (is_journal(STDERR_FILENO)) if (journal.send(journal_entry(Level::info, message, node, fields))) return;
#pragma once

#include <string>
#include <string_view>

#include "ballot/log.hpp"
#include "base/unique_fd.hpp"

namespace ballot::app {

inline constexpr const char* journal_socket = "/run/systemd/journal/socket";

/// Whether the descriptor is the stream that systemd connected to the journal: $JOURNAL_STREAM says "DEVICE:INODE".
bool is_journal(int fd);

/// MESSAGE, PRIORITY, SYSLOG_IDENTIFIER=ballot, BALLOT_NODE (if any), and each field as BALLOT_KEY: BALLOT_JOB,
/// BALLOT_GROUP, BALLOT_SLOT; `run` is BALLOT_RUN_ID, and a field `node` is in the message only.
std::string journal_entry(Level level, std::string_view message, std::string_view node, const LogFields& fields);

class Journal {
 public:
  explicit Journal(std::string socket);

  /// False: it was not taken. Where the journal does not read, that is known after 100 ms, and from then on at once
  /// until it reads again. To be called by one thread at a time.
  bool send(const std::string& entry);

 private:
  bool send_file(const std::string& entry);

  const std::string socket_;
  UniqueFd fd_;
  bool stuck_ = false;
};

}  // namespace ballot::app

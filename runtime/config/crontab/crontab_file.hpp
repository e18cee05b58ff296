// A crontab's file, read only where cron would have read it: otherwise a line that cron never ran would become a job
// that runs as root.
//
// The rules are those of Debian's cron and, for /var/spool/cron/USER, of cronie:
//
//   | the crontab              | must belong to        | must not be                                        |
//   | ------------------------ | --------------------- | -------------------------------------------------- |
//   | of the system            | root                  | writable by others, hard-linked; a link not root's |
//   | of a user, in the spool  | the user, or root     | a link, hard-linked, of another mode than cron's   |
//   | of a user, anywhere else | the user, or root     | a link, hard-linked, writable by others            |
//
// What belongs to the user who imports may be imported too: the job file then belongs to that user, and may do no more.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "ballot/error.hpp"
#include "config/crontab/crontab_import.hpp"

namespace ballot::config {

/// Reads the file of `source` into `text`. `invoker` is the user who imports. Errors: not_found; refused, with the
/// reason and the remedy; io. The texts do not repeat the name. Never blocks.
Result<struct stat> read_crontab_file(const CrontabSource& source, std::uint32_t invoker, Identities& identities,
                                      std::string& text);

}  // namespace ballot::config

// A definition that began, as it is shown: which keys of the job are other than before, of those that a ledger keeps.
// Of its times and the policies that a row is judged by it has the values; of commands, users and environments only
// whether they are others.
//
// Pure.
//
//   for (const KeyChange& key : changed_keys(change)) print(key.name, key.before, key.after);
//   for (const std::string& name : other_keys(change)) print(name);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/message.hpp"
#include "storage/definition_merge.hpp"

namespace ballot::library {

struct KeyChange {
  std::string_view name;
  std::optional<std::string> before, after;  // as in a job file; none: the key is not there
};

/// In the order of docs/jobs.md. None: other keys were changed, or the ledgers do not say which.
std::vector<KeyChange> changed_keys(const storage::DefinitionChange& change);

/// The keys of which no ledger keeps the values, and that are other than before, by name. None: there are none, or it
/// is not known.
std::vector<std::string> other_keys(const storage::DefinitionChange& change);

/// "added", "changed", "removed".
std::string_view word_of(const storage::DefinitionChange& change);

/// "schedule: 0 3 * * * -> 0 4 * * *, command, env", or why there is nothing to say.
std::string text_of(const storage::DefinitionChange& change);

/// As `GET /api/v1/history/definitions` has it.
io::Message shown(const storage::DefinitionChange& change);

}  // namespace ballot::library

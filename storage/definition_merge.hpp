// Definition merge: which definition of a job began when, out of several nodes' ledgers. The term that writes a
// definition into the job's register records its beginning; terms of other nodes that take the job over go on by it,
// and record that. So of rows with the same digest, and no other one in between, the first is the beginning, and the
// others say which nodes have gone by it.
//
//   what a ledger calls a beginning             | here
//   a term has written it into the register     | it is one
//   a term has taken it over, and the node knew | it goes on, where any ledger has the same definition from before, and
//   another one before                          | after that other one; else it is one: the ledger that had it is gone
//                                               | or does not answer, and it has begun by then at the latest
//
// Pure values.
//
//   for (const DefinitionChange& one : definition_changes(page, rows)) print(one.row.job, one.nodes);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/definition_query.hpp"

namespace ballot::storage {

/// A definition that began.
struct DefinitionChange {
  DefinitionRow row;                           // `from` on; its digest is "" where no file defines the job any more
  std::vector<std::string> nodes;              // that have gone by it, in the order in which they did
  bool is_first = false;                       // nothing defined the job before
  bool is_at_latest = false;                   // no ledger says when it began: it was before a term took it over
  std::string before = {};                     // the digest of what it replaced; "": nothing did, or that is not known
  std::optional<DefinitionRow> replaced = {};  // that, where a ledger has it
};

/// Whether a row has the values of all its keys: a term that takes over what its own node's files do not say knows of
/// it what the register says, which are the times alone.
bool has_all_keys(const DefinitionRow& row);

/// Of which definitions all ledgers' rows say what the beginnings in `page` are.
std::vector<DefinitionKey> keys_of(const std::vector<BegunDefinition>& page);

/// The beginnings among a page of ledgers' rows, in its order. `rows`: of keys_of(page), in any order.
std::vector<DefinitionChange> definition_changes(const std::vector<BegunDefinition>& page,
                                                 const std::vector<BegunDefinition>& rows);

}  // namespace ballot::storage

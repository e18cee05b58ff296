// Candidates: which nodes may lead a group, as its settings say.
//
//   may_lead({.name = "db", .candidates = {"db-*"}}, "db-1")   // true
//
// Pure; any thread.
#pragma once

#include <string_view>

#include "ballot/job.hpp"

namespace ballot {

/// Whether `[group.NAME] candidates` lets the node lead: `*` is any text, `?` any character. The group of a node's
/// instances is that node's.
bool may_lead(const Group& settings, std::string_view node);

}  // namespace ballot

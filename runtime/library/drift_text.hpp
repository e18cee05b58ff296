// What is said of a group whose job files are not the same on all nodes: by `nodes` of each node, and by `status` of
// the node that is asked, which names the one that differs as `nodes` does.
//
// Pure.
//
//   drift_of_node(drift, "n3", "n1")   // "drift: group nightly: its job files differ from most nodes' (...)"
#pragma once

#include <optional>
#include <string>

#include "core/node_views.hpp"

namespace ballot::library {

/// How every text about the drift of that group begins.
std::string drift_of(std::string_view group);

/// What `node` is to be blamed for, as `self` knows it: its files differ from most nodes', or, where there are no most,
/// from some. None: nothing.
std::optional<std::string> drift_of_node(const core::DriftView& drift, const std::string& node,
                                         const std::string& self);

/// What `self` says in its own status, whichever nodes it is that differ.
std::string drift_of_status(const core::DriftView& drift, const std::string& self);

}  // namespace ballot::library

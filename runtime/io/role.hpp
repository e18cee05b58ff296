// Role: how much a user may ask of a daemon, and which role each request of the control socket takes. The same roles
// hold for every other way to ask a daemon.
//
//   role     | may ask for
//   viewer   | all that is shown: jobs, states, history, output
//   operator | runs that begin, end, or do not begin: trigger, kill, pause, resume, backfill
//   admin    | what changes who leads, and what is known of runs: evict, forget, repair
//
// Each role may do what the roles above it in this table may. A request whose word is not of known_words() is answered
// by no daemon. Pure.
//
//   if (role < role_for("trigger")) refuse();
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace ballot::io {

enum class Role { none, viewer, operator_, admin };

/// "none", "viewer", "operator", "admin".
std::string_view to_string(Role);
/// Of those that somebody can have: "viewer", "operator", "admin".
std::optional<Role> parse_role(std::string_view word);

/// What a request asks for ("do"), and the role that it takes.
struct RequestWord {
  std::string_view word;
  Role role = Role::viewer;
};
/// Each that a daemon answers, on the control socket or by its API.
std::span<const RequestWord> known_words();

/// The role that a request takes, by its word ("trigger"). A word that is not known takes viewer: the answer to it is
/// that it is not known.
Role role_for(std::string_view request);
bool is_known(std::string_view request);

}  // namespace ballot::io

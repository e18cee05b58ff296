#include "io/role.hpp"

#include <algorithm>
#include <iterator>

namespace ballot::io {
namespace {

constexpr RequestWord words[] = {
    // what is shown
    {"jobs", Role::viewer},
    {"job", Role::viewer},
    {"slots", Role::viewer},
    {"next", Role::viewer},
    {"load", Role::viewer},
    {"runs", Role::viewer},
    {"waiting", Role::viewer},
    {"instances", Role::viewer},
    {"groups", Role::viewer},
    {"nodes", Role::viewer},
    {"status", Role::viewer},
    {"whoami", Role::viewer},
    {"ready", Role::viewer},
    {"metrics", Role::viewer},
    {"events", Role::viewer},
    {"ledger", Role::viewer},
    {"flush", Role::viewer},
    // runs
    {"trigger", Role::operator_},
    {"kill", Role::operator_},
    {"pause", Role::operator_},
    {"pause_with_terms", Role::operator_},
    {"resume", Role::operator_},
    {"backfill", Role::operator_},
    // who leads, and what is known of runs
    {"evict", Role::admin},
    {"forget", Role::admin},
    {"repair", Role::admin},
};

const RequestWord* find(std::string_view request) {
  const auto found =
      std::find_if(std::begin(words), std::end(words), [&](const RequestWord& one) { return one.word == request; });
  return found == std::end(words) ? nullptr : found;
}

}  // namespace

std::string_view to_string(Role role) {
  constexpr std::string_view names[] = {"none", "viewer", "operator", "admin"};
  return names[static_cast<std::size_t>(role)];
}

std::optional<Role> parse_role(std::string_view word) {
  for (const Role role : {Role::viewer, Role::operator_, Role::admin})
    if (to_string(role) == word) return role;
  return std::nullopt;
}

std::span<const RequestWord> known_words() { return words; }

Role role_for(std::string_view request) {
  const RequestWord* const known = find(request);
  return known == nullptr ? Role::viewer : known->role;
}

bool is_known(std::string_view request) { return find(request) != nullptr; }

}  // namespace ballot::io

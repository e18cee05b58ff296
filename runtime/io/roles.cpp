#include "io/roles.hpp"

#include <grp.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ballot::io {
namespace {

std::optional<gid_t> find_group(const std::string& name) {
  std::vector<char> buffer(16384);
  group entry{};
  group* found = nullptr;
  while (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) == ERANGE &&
         buffer.size() < (std::size_t{1} << 24))
    buffer.resize(buffer.size() * 2);
  return found != nullptr ? std::optional(found->gr_gid) : std::nullopt;
}

}  // namespace

Roles::Roles(RoleGroups groups) : names_(std::move(groups)) { resolve(); }

std::vector<std::string> Roles::resolve() {
  std::vector<std::string> unknown;
  const auto look_up = [&unknown](const std::string& name) {
    const auto found = name.empty() ? std::nullopt : find_group(name);
    if (!found && !name.empty()) unknown.push_back(name);
    return found;
  };
  viewers_ = look_up(names_.viewers);
  if (names_.operators) {
    operators_ = look_up(*names_.operators);
  } else {
    operators_ = find_group(default_operators);
    if (::geteuid() != 0 && operators_ != ::getegid()) operators_.reset();
  }
  return unknown;
}

Role Roles::of(const Peer& peer) const {
  if (peer.uid == 0 || peer.uid == ::geteuid()) return Role::admin;
  if (operators_ && peer.is_in(*operators_)) return Role::operator_;
  return viewers_ && peer.is_in(*viewers_) ? Role::viewer : Role::none;
}

SocketAccess Roles::access() const {
  if (operators_ && viewers_ && operators_ != viewers_) return {0666};
  const auto group = operators_ ? operators_ : viewers_;
  return group ? SocketAccess{0660, *group} : SocketAccess{};
}

Error Roles::refusal(Role needed) const {
  std::vector<std::string> groups;
  if (needed <= Role::operator_ && operators_) groups.push_back(names_.operators.value_or(default_operators));
  if (needed <= Role::viewer && viewers_) groups.push_back(names_.viewers);
  return missing_role(needed, groups);
}

Error missing_role(Role needed, const std::vector<std::string>& groups) {
  std::string text = "this takes the role " + std::string(to_string(needed)) +
                     ", which this user does not have here: be root or the daemon's user";
  const char* separator = ", or in the group ";
  for (const std::string& name : groups) text += std::exchange(separator, " or ") + name;
  return {Errc::refused, text + " (docs/security.md: Roles)"};
}

}  // namespace ballot::io

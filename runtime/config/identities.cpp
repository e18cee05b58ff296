#include "config/identities.hpp"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "config/diagnostics.hpp"

namespace ballot::config {
namespace {

constexpr std::size_t largest_entry = 1024 * 1024;

/// Calls one of getpwnam_r and its like with a buffer that grows until it is large enough.
template <class Entry, class Call>
int look_up(Entry& entry, std::vector<char>& buffer, Entry*& found, Call call) {
  int error = 0;
  for (buffer.resize(1024);; buffer.resize(buffer.size() * 4)) {
    error = call(&entry, buffer.data(), buffer.size(), &found);
    if (error != ERANGE || buffer.size() > largest_entry) return error;
  }
}

Error lookup_error(std::string_view kind, std::string_view name, int error) {
  const bool absent = error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
  if (absent) return {Errc::not_found, "there is no " + std::string(kind) + ' ' + in_quotes(name) + " on this node"};
  return {Errc::io,
          std::string(kind) + ' ' + in_quotes(name) + " cannot be looked up: " + std::system_category().message(error)};
}

std::vector<std::uint32_t> groups_of(const passwd& user) {
  std::vector<gid_t> groups(32);
  int count = static_cast<int>(groups.size());
  while (::getgrouplist(user.pw_name, user.pw_gid, groups.data(), &count) < 0)
    groups.resize(std::max(static_cast<std::size_t>(count), groups.size() * 2)),
        count = static_cast<int>(groups.size());
  groups.resize(static_cast<std::size_t>(count));
  return {groups.begin(), groups.end()};
}

template <class Call>
Identities::Found find_user(std::string_view name, Call call) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer;
  const int error = look_up(entry, buffer, found, call);
  if (found == nullptr) return lookup_error("user", name, error);
  return std::make_shared<const Identity>(
      Identity{entry.pw_name, entry.pw_dir, entry.pw_uid, entry.pw_gid, groups_of(entry)});
}

Result<std::uint32_t> find_group(const std::string& name) {
  group entry{};
  group* found = nullptr;
  std::vector<char> buffer;
  const int error = look_up(entry, buffer, found, [&](auto... rest) { return ::getgrnam_r(name.c_str(), rest...); });
  if (found == nullptr) return lookup_error("group", name, error);
  return std::uint32_t{entry.gr_gid};
}

}  // namespace

const Identities::Found& Identities::user(std::string_view name) {
  if (const auto known = users_.find(name); known != users_.end()) return known->second;
  const std::string key(name);
  return users_.emplace(key, find_user(name, [&](auto... rest) { return ::getpwnam_r(key.c_str(), rest...); }))
      .first->second;
}

const Identities::Found& Identities::user(std::uint32_t uid) {
  if (const auto known = uids_.find(uid); known != uids_.end()) return known->second;
  return uids_.emplace(uid, find_user(std::to_string(uid), [&](auto... rest) { return ::getpwuid_r(uid, rest...); }))
      .first->second;
}

const Result<std::uint32_t>& Identities::group(std::string_view name) {
  if (const auto known = groups_.find(name); known != groups_.end()) return known->second;
  return groups_.emplace(std::string(name), find_group(std::string(name))).first->second;
}

}  // namespace ballot::config

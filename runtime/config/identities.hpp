// Identities: users and groups by name, and programs by path, each asked for once. Made for one pass over the files:
// what it has learnt does not age. Threads: one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ballot/error.hpp"
#include "ballot/job.hpp"
#include "config/programs.hpp"

namespace ballot::config {

class Identities {
 public:
  using Found = Result<std::shared_ptr<const Identity>>;  // shared by all who ask

  /// A user with the groups that the system gives it. not_found: there is no such user.
  const Found& user(std::string_view name);
  const Found& user(std::uint32_t uid);

  /// not_found: there is no such group.
  const Result<std::uint32_t>& group(std::string_view name);

  Programs& programs() { return programs_; }

 private:
  Programs programs_;
  std::map<std::string, Found, std::less<>> users_;
  std::map<std::uint32_t, Found> uids_;
  std::map<std::string, Result<std::uint32_t>, std::less<>> groups_;
};

}  // namespace ballot::config

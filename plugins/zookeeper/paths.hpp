// Paths: where things lie in the store, and back. Short, as the client sends all watched paths at once.
//
//   ROOT/e/GROUP                  the last term of the group (TermRecord)
//   ROOT/e/GROUP/SESSION-SEQ      a candidate; the lowest SEQ leads
//   ROOT/m/NODE                   what the node's last session published of itself (MemberRecord)
//   ROOT/m/NODE/SESSION           ephemeral: that session is open
//   ROOT/m/NODE@GROUP             of a candidate of one group only
//   ROOT/r/L/REST                 the register or record L/REST
//
// ROOT is chroot and namespace. SESSION is the session's id in hexadecimal digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client_id.hpp"

namespace ballot::zookeeper {

/// A candidate's name: whose it is and its place in the queue.
struct Place {
  std::string session;
  std::int32_t sequence = 0;  // wraps; compare by before()
};
std::optional<Place> parse_place(std::string_view name);
/// In the order of the queue, also where the sequence has wrapped.
bool before(std::int32_t a, std::int32_t b) noexcept;

class Paths {
 public:
  Paths(const std::string& chroot, const std::string& name_space);

  /// Every folder above groups, members and registers, outermost first.
  const std::vector<std::string>& folders() const noexcept { return folders_; }
  const std::string& groups() const noexcept { return groups_; }
  const std::string& registers() const noexcept { return registers_; }
  const std::string& members() const noexcept { return members_; }

  std::string group(const std::string& name) const { return groups_ + "/" + name; }
  std::string candidate(const std::string& group, const std::string& name) const {
    return groups_ + "/" + group + "/" + name;
  }
  std::string member(const std::string& node) const { return members_ + "/" + node; }
  std::string session(const std::string& node, std::int64_t session) const {
    return member(node) + "/" + session_text(session);
  }
  std::string letter(char letter) const { return registers_ + "/" + letter; }
  /// Requires: `name` is one of a register.
  std::string of_register(const std::string& name) const;

  /// "" where the path is none of a candidate.
  std::string group_of(const std::string& path) const;
  /// True: of registers, or the folder of all of them, where `letter` is 0.
  bool watches_registers(const std::string& path, char& letter) const;

  /// A register's name without its letter as a node's name, and back: "." and ".." are not allowed there.
  static std::string escaped(const std::string& rest);
  static std::string unescaped(const std::string& name);

 private:
  std::string groups_, members_, registers_;
  std::vector<std::string> folders_;
};

}  // namespace ballot::zookeeper

// Tidy: removes what dead nodes have left under `m/`, once a session, half of T after it was opened: candidates of
// `run` often have names that never come back. A node that a group's last term names is kept, as whoever leads next
// asks when it was alive. Some at a time, and only where there are few groups, as all of them are read.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "session_context.hpp"
#include "support/texts.hpp"

namespace ballot::zookeeper {

class Tidy {
 public:
  static constexpr std::size_t most_nodes = 64, most_groups = 1000;

  Tidy(SessionContext& context, SteadyTime when) : context_(context), at_(when) {}

  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const noexcept { return at_; }

 private:
  void check_nodes(const std::vector<std::string>& nodes);
  void arrived();
  void check_groups();
  void keep(const TermRecord& term);
  void remove();

  SessionContext& context_;
  std::optional<SteadyTime> at_;
  std::map<std::string, int> left_;  // nodes without a session, and the version of what they published last
  std::size_t open_ = 0;
  bool groups_seen_ = false;
};

}  // namespace ballot::zookeeper
